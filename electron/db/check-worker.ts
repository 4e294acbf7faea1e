/** The thread that reads a whole store and checks its integrity; started by `check-store.ts`. */
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import { takeFormats } from '../shared/thread-formats.ts';
import * as z from '../shared/zod.ts';
import { openToRead } from './open-file.ts';

takeFormats(getEnvironmentData);

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

const { file } = z.object({ file: z.string() }).parse(workerData);
parentPort?.postMessage({ finding: finding(file) });
