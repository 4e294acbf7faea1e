/**
 * Whether this process only reads: then every store of its threads is opened without a trace (untouched-file.ts), and
 * nothing is prepared, noted or kept in files.
 */
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/** Threads that start later get a copy of the value. */
const KEY = 'spandeck only reads';

export const onlyReads = (): boolean => getEnvironmentData(KEY) === true;

/** Call before anything is opened. The result ends it, for tests, which continue in this process. */
export function readOnlyFromNow(): () => void {
  setEnvironmentData(KEY, true);
  return () => setEnvironmentData(KEY, undefined);
}
