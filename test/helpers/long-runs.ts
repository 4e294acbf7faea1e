/** Of a long run: properties that do not say how often they are tried are tried as often as the others. */
import fc from 'fast-check';
import { runs } from './runs.ts';

fc.configureGlobal({ numRuns: runs(100) });
