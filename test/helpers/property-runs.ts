/**
 * Parameters of all properties. In a long run, properties without a number of runs are run as often as the others.
 * `PROPERTY_SEED` determines the cases, which otherwise are new in each run.
 */
import fc from 'fast-check';
import { runs } from './runs.ts';

const seed = process.env['PROPERTY_SEED'];
const isLong = process.env['PROPERTY_RUNS'] !== undefined;

fc.configureGlobal({
  ...(isLong ? { numRuns: runs(100) } : {}),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
});
