/**
 * Parameters of all properties: in a long run those without a number of runs are run as often as the others;
 * `PROPERTY_SEED` decides the cases, which otherwise are new in each run.
 */
import fc from 'fast-check';
import { runs } from './runs.ts';

const seed = process.env['PROPERTY_SEED'];
const isLong = process.env['PROPERTY_RUNS'] !== undefined;

fc.configureGlobal({
  ...(isLong ? { numRuns: runs(100) } : {}),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
});
