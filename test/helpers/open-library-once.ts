/** A program that opens a library store, writes one row of the request log, and closes the store. */
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { aRequest } from './traffic.ts';

const logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message: string) => process.stderr.write(message),
  error: (message: string) => process.stderr.write(message),
};
const store = openLibraryStore({ file: process.argv[2] ?? '', clock: systemClock, logger });
store.requestLog.add(aRequest({ id: String(process.pid), atMs: systemClock.nowMs() }));
store.close();
