/**
 * Whether this process only reads. If so, all of its threads open stores without a trace (untouched-file.ts), and write
 * nothing to any file.
 */
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/** Threads that start later get a copy of the value. */
const KEY = 'spandeck only reads';

export const onlyReads = (): boolean => getEnvironmentData(KEY) === true;

/**
 * Makes this process only read. Call it before any store is opened. The returned function ends that state, for tests
 * that continue in the same process.
 */
export function readOnlyFromNow(): () => void {
  setEnvironmentData(KEY, true);
  return () => setEnvironmentData(KEY, undefined);
}
