/** Run as a process: opens a library store, writes one row of the request log, closes. */
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { systemClock } from '../../electron/platform/system.ts';

const logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message: string) => process.stderr.write(message),
  error: (message: string) => process.stderr.write(message),
};
const store = openLibraryStore({ file: process.argv[2] ?? '', clock: systemClock, logger });
store.requestLog.add({
  id: String(process.pid),
  atMs: systemClock.nowMs(),
  operation: 'GET /v3/applications',
  url: '/v3/applications',
  status: 200,
  errorCode: null,
  attempts: 1,
  queuedMs: 0,
  networkMs: 1,
  sizeBytes: 1,
  priority: 'view',
});
store.close();
