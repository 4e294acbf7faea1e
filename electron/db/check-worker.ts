/** The thread that reads a whole store and checks its integrity; started by `check-store.ts`. */
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';
import { z } from 'zod';
import { takeFormats } from '../shared/thread-formats.ts';

takeFormats(getEnvironmentData);

const BUSY_TIMEOUT_MS = 5_000;

/** `ok`, or the first problem found. */
function finding(file: string): string {
  const db = new BetterSqlite(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    return String(db.pragma('quick_check(1)', { simple: true }));
  } finally {
    db.close();
  }
}

const { file } = z.object({ file: z.string() }).parse(workerData);
parentPort?.postMessage({ finding: finding(file) });
