/** Used in a long run: properties without a number of runs are run as often as the others. */
import fc from 'fast-check';
import { runs } from './runs.ts';

fc.configureGlobal({ numRuns: runs(100) });
