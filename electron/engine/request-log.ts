/** Operations on the request log of a connection: reading it, repeating a request by hand, exporting it. */
import { curlCommand, shellOf } from '../core/text/curl-command.ts';
import type { LogFilter, LogPageQuery, RequestLogStore } from '../db/request-log-store.ts';
import { AppError } from '../shared/errors.ts';
import type { Connection } from '../shared/model.ts';
import type { LogPage, RequestDetails, Shell } from '../shared/traffic-model.ts';
import { OPERATION_TITLES } from './budgets.ts';
import { writeHar } from './har-file.ts';

export interface RequestLog {
  list(page: LogPageQuery): LogPage;
  /** Throws NOT_FOUND for a request that is no longer kept. */
  request(requestId: string): RequestDetails;
  /**
   * The request as a curl command for a shell (null: the usual one of this system), without the token. Throws the
   * errors of `request`.
   */
  curl(requestId: string, shell: Shell | null): { command: string; note: string };
  /** Writes the filtered requests as HAR 1.2, with the token masked. Throws DISK_FULL, FILE_UNREADABLE. */
  writeHar(path: string, filter: LogFilter): Promise<{ entries: number }>;
  /** Deletes all requests and returns their number. */
  clear(): number;
}

export function createRequestLog(
  store: RequestLogStore,
  about: { version: string; connection: Pick<Connection, 'name'> },
): RequestLog {
  const request = (requestId: string) => {
    const found = store.get(requestId);
    if (found !== null) return found;
    throw new AppError(
      'NOT_FOUND',
      'Expected a request of the log, got one that is not in it: only the newest are kept. Choose another.',
    );
  };
  return {
    list: (page) => ({ ...store.list(page), titles: OPERATION_TITLES }),
    request,
    curl: (requestId, shell) => curlCommand(request(requestId), shell ?? shellOf(process.platform)),
    writeHar: (path, filter) => writeHar(store, path, filter, about),
    clear: () => store.clear(),
  };
}
