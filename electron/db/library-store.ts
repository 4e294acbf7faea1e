/** `connections/<id>/library.db`: data read from the service, and the request log. */
import type { JobRecord, JobShape } from '../core/jobs/job-record.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { readable } from '../core/readable.ts';
import type { ListQuery } from '../shared/model.ts';
import { createDamagedRows } from './damaged-rows.ts';
import { createFormerReads, type FormerReads } from './former-reads.ts';
import { createJobStore, type KindStore } from './job-store.ts';
import { createKeptStore, type KeptStore } from './kept-store.ts';
import { type AnsweredRecord, keysOf, queryRow, recordRow, type StoredRecord } from './library-rows.ts';
import { createListStore, type ListStore } from './list-store.ts';
import { createLongTextStore, type LongTextStore, prepareUse } from './long-text-store.ts';
import { LIBRARY_MIGRATIONS } from './migrations/library/index.ts';
import { type Database, openStore, parseRow } from './open.ts';
import { createOutdatedStore, type OutdatedStore } from './outdated-store.ts';
import { boundsOf, createRequestLogStore, type RequestLogStore } from './request-log-store.ts';
import { createSearchChanges, type SearchChanges } from './search-changes.ts';
import { type ServiceOfStore, settleMove } from './service-of-store.ts';

interface RecordStore {
  find(recordKey: string): StoredRecord | null;
  /** Queries of an operation whose answer is stored. */
  queriesOf(operation: string): ListQuery[];
  /** `query` and `record` are JSON. */
  save(recordKey: string, query: string, record: AnsweredRecord): void;
  /** Marks the record as missing at the service; its stored data stays. Does nothing if no data is stored. */
  markGone(recordKey: string, goneAtMs: number): void;
  /** Removes the least recently fetched records that are neither kept nor shown; returns their number. */
  prune(keptRecords: number, shownKeys: readonly string[]): number;
}

export interface LibraryStore {
  /** Path of the store, for threads that read it themselves. */
  file: string;
  lists: ListStore;
  records: RecordStore;
  longTexts: LongTextStore;
  requestLog: RequestLogStore;
  outdated: OutdatedStore;
  former: FormerReads;
  searchChanges: SearchChanges;
  kept: KeptStore;
  /** The jobs of one kind; they write files from the data in this store. */
  jobsOf<T extends JobRecord>(shape: JobShape<T>): KindStore<T>;
  close(): void;
}

/**
 * A checkpoint waits for the disk, so the search thread makes checkpoints while it follows the log. If the thread is
 * missing or behind, one is made when the write-ahead log has 256 MB, more than the largest answers that arrive at
 * once.
 */
const CHECKPOINT_PAGES = 65_536;

/** Opens the store, which several processes may have open. Throws the errors of `openStore`. */
export function openLibraryStore(options: {
  file: string;
  clock: Clock;
  logger: Logger;
  /** Number of requests that the log keeps, the newest ones. */
  logRequests?: number;
  service?: ServiceOfStore | undefined;
}): LibraryStore {
  const db = openStore({ ...options, migrations: LIBRARY_MIGRATIONS, synchronous: 'NORMAL' });
  if (options.service !== undefined) settleMove(db, options.service, options.clock.nowMs());
  db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const searchChanges = createSearchChanges(db);
  const kept = createKeptStore(db);
  return {
    file: options.file,
    lists: createListStore(db, options.clock, searchChanges.note),
    searchChanges,
    records: createRecordStore(db),
    longTexts: createLongTextStore(db, () => options.clock.nowMs()),
    requestLog: createRequestLogStore(db, options.logger, boundsOf(options.logRequests)),
    outdated: createOutdatedStore(db),
    former: createFormerReads(db, options.clock),
    kept,
    jobsOf: (shape) => {
      const jobs = createJobStore(db, shape);
      return { jobs, commit: kept.commit, damaged: createDamagedRows([jobs.damaged], kept.commit) };
    },
    close: () => db.close(),
  };
}

function createRecordStore(db: Database): RecordStore {
  const find = db.prepare(
    'SELECT record, text_id, fetched_at_ms, request_id, is_outdated, gone_at_ms FROM record WHERE record_key = ?',
  );
  const save = db.prepare(`
    INSERT INTO record (record_key, query, record, text_id, fetched_at_ms, request_id) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (record_key) DO UPDATE SET record = excluded.record, text_id = excluded.text_id, fetched_at_ms = excluded.fetched_at_ms,
      request_id = excluded.request_id, is_outdated = 0, gone_at_ms = NULL`);
  const queriesOf = db.prepare('SELECT query FROM record WHERE record_key >= ? AND record_key < ?');
  const useText = prepareUse(db);
  const saveWhole = db.transaction((recordKey: string, query: string, answered: AnsweredRecord): void => {
    const { record, textId, fetchedAtMs, requestId } = answered;
    useText(textId);
    save.run(recordKey, query, record, textId, fetchedAtMs, requestId);
  });
  const markGone = db.prepare('UPDATE record SET gone_at_ms = ? WHERE record_key = ?');
  const prune = db.prepare(`
    DELETE FROM record WHERE record_key IN
      (SELECT record_key FROM record
       WHERE NOT EXISTS (SELECT 1 FROM kept_question WHERE query_key = record_key) ORDER BY fetched_at_ms DESC LIMIT -1 OFFSET ?)
      AND record_key NOT IN (SELECT value FROM json_each(?))`);
  return {
    find: (recordKey) => {
      const row = find.get(recordKey);
      return row === undefined ? null : parseRow(recordRow, row, 'record');
    },
    queriesOf: (operation) =>
      readable(queriesOf.all(...keysOf(operation)), (row) => parseRow(queryRow, row, 'record').query),
    save: saveWhole.immediate,
    markGone: (recordKey, goneAtMs) => {
      markGone.run(goneAtMs, recordKey);
    },
    prune: (keptRecords, shownKeys) => prune.run(keptRecords, JSON.stringify(shownKeys)).changes,
  };
}
