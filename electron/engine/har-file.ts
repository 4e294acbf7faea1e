/** Writes the request log of a connection as an HTTP archive in steps, without holding the whole log in memory. */
import { HAR_TAIL, harEntries, harHead } from '../core/text/har.ts';
import type { LogFilter, RequestLogStore } from '../db/request-log-store.ts';
import type { Connection } from '../shared/model.ts';
import { writeWhole } from '../uploads/whole-file-writer.ts';

/** Rows in one step. They are read in a few milliseconds, so that other work can run between two steps. */
const STEP_ROWS = 50;

/**
 * Returns the number of written entries, one for each attempt. Throws DISK_FULL or FILE_UNREADABLE; then there is no
 * file.
 */
export async function writeHar(
  log: RequestLogStore,
  path: string,
  filter: LogFilter,
  about: { version: string; connection: Pick<Connection, 'name'> },
): Promise<{ entries: number }> {
  const count = { entries: 0 };
  function* pieces(): Generator<string> {
    yield harHead(about.version, `Request log of ${about.connection.name}. The access token is masked.`);
    let afterSeq = 0;
    for (;;) {
      const rows = log.details({ ...filter, limit: STEP_ROWS, afterSeq });
      for (const row of rows) {
        for (const entry of harEntries(row)) {
          yield `${count.entries === 0 ? '' : ',\n'}${JSON.stringify(entry)}`;
          count.entries += 1;
        }
        afterSeq = row.seq;
      }
      if (rows.length < STEP_ROWS) break;
    }
    yield HAR_TAIL;
  }
  await writeWhole(path, pieces());
  return count;
}
