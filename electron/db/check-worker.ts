/** The thread that reads a whole store and checks its integrity; started by `check-store.ts`. */
import { constants, getPriority, setPriority } from 'node:os';
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import { takeFormats } from '../shared/thread-formats.ts';
import * as z from '../shared/zod.ts';
import { openToRead } from './open-file.ts';

takeFormats(getEnvironmentData);

/**
 * Lets the other threads of the application go first: reading a store of gigabytes takes a core for seconds. Only Linux
 * has priorities of threads; elsewhere this would slow down the whole process. Returns whether the priority was lowered.
 */
function giveWay(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const lowered = getPriority() + constants.priority.PRIORITY_BELOW_NORMAL;
    setPriority(Math.min(lowered, constants.priority.PRIORITY_LOW));
    return true;
  } catch {
    // A sandbox can forbid it, and the store is checked anyway.
    return false;
  }
}

/** `ok`, or the first problem found. */
function finding(file: string): string {
  // The log was checked when the store was opened, because the store is in use.
  const db = openToRead(file, 'seen');
  try {
    return String(db.pragma('quick_check(1)', { simple: true }));
  } finally {
    db.close();
  }
}

giveWay();
const { file } = z.object({ file: z.string() }).parse(workerData);
parentPort?.postMessage({ finding: finding(file) });
