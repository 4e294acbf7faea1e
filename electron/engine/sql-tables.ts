/** Tables for SQL with local data, in addition to the lists of the service, with the state in which they are read. */
import type { KeptTable } from '../analysis/views.ts';
import type { Scores } from '../datasets/types.ts';
import type { RequestLogStore } from '../db/request-log-store.ts';
import type { UploadJobStore } from '../db/upload-job-store.ts';

interface KeptStores {
  /** Null for a store that could not be opened. */
  requestLog: Pick<RequestLogStore, 'extent'> | null;
  uploads: Pick<UploadJobStore, 'acknowledged'> | null;
  scores: Pick<Scores, 'list'> | null;
  files: Readonly<Record<'library' | 'uploads' | 'datasets', string>>;
}

/** Leaves out empty tables. */
export function sqlTables({ requestLog, uploads, scores, files }: KeptStores): KeptTable[] {
  const log = requestLog?.extent() ?? null;
  const sent = uploads?.acknowledged() ?? [];
  const times = sent.flatMap(({ firstAtMs }) => firstAtMs ?? []);
  const tables: KeptTable[] = [];
  if (sent.length > 0)
    tables.push({
      ...{ name: 'events', file: files.uploads, state: JSON.stringify(sent) },
      title: 'Rows that uploads acknowledged here, once each, with their event ids',
      rows: sent.reduce((sum, { rows }) => sum + rows, 0),
      isComplete: sent.every(({ isSettled }) => isSettled),
      oldestMs: times.length === 0 ? null : Math.min(...times),
    });
  if (log !== null)
    tables.push({
      ...{ name: 'requests', file: files.library },
      // Includes times, because sequence numbers start again after a library was deleted.
      state: `${log.firstSeq} ${log.lastSeq} ${log.rows} ${log.oldestMs} ${log.newestMs}`,
      title: 'The request log of this connection',
      ...{ rows: log.rows, isComplete: true, oldestMs: log.oldestMs },
    });
  const runs = (scores?.list(null) ?? []).filter(({ counts }) => counts.items > 0);
  if (runs.length > 0) {
    const createdAt = runs.map(({ createdAtMs }) => createdAtMs);
    tables.push({
      ...{ name: 'scores', file: files.datasets },
      state: JSON.stringify(
        runs.map(({ runId, name, counts, endedAtMs }) => [runId, name, counts, endedAtMs]),
      ),
      title: 'Scores of score runs made here, one row for each score of an item',
      // Counted as if each item had all scores, because an item may have several.
      rows: runs.reduce(
        (sum, { counts, scoreNames }) => sum + counts.items * Math.max(1, scoreNames.length),
        0,
      ),
      isComplete: runs.every(({ counts }) => counts.unscored === 0),
      oldestMs: Math.min(...createdAt),
    });
  }
  return tables;
}
