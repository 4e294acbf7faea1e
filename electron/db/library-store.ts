/** `connections/<id>/library.db`: what was read from the service, and the log of its requests. */
import type { Clock, Logger } from '../core/ports.ts';
import { recordRow, type StoredRecord } from './library-rows.ts';
import { createListStore, type ListStore } from './list-store.ts';
import { LIBRARY_MIGRATIONS } from './migrations/library/index.ts';
import { type Database, openStore, parseRow } from './open.ts';
import { createRequestLogStore, type RequestLogStore } from './request-log-store.ts';

export interface RecordStore {
  find(recordKey: string): StoredRecord | null;
  /** `query` and `record` are JSON. */
  save(recordKey: string, query: string, record: StoredRecord): void;
  /** Forgets the records that were not fetched for longest. */
  prune(keptRecords: number): void;
}

export interface LibraryStore {
  lists: ListStore;
  records: RecordStore;
  requestLog: RequestLogStore;
  close(): void;
}

/** Throws what `openStore` throws. Several processes may have the file open. */
export function openLibraryStore(options: { file: string; clock: Clock; logger: Logger }): LibraryStore {
  const db = openStore({ ...options, migrations: LIBRARY_MIGRATIONS, synchronous: 'NORMAL' });
  return {
    lists: createListStore(db, options.clock),
    records: createRecordStore(db),
    requestLog: createRequestLogStore(db, options.logger),
    close: () => db.close(),
  };
}

function createRecordStore(db: Database): RecordStore {
  const find = db.prepare('SELECT record, fetched_at_ms, request_id FROM record WHERE record_key = ?');
  const save = db.prepare(`
    INSERT INTO record (record_key, query, record, fetched_at_ms, request_id) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (record_key) DO UPDATE SET record = excluded.record, fetched_at_ms = excluded.fetched_at_ms,
      request_id = excluded.request_id`);
  const prune = db.prepare(`
    DELETE FROM record WHERE record_key IN
      (SELECT record_key FROM record ORDER BY fetched_at_ms DESC LIMIT -1 OFFSET ?)`);
  return {
    find: (recordKey) => {
      const row = find.get(recordKey);
      return row === undefined ? null : parseRow(recordRow, row, 'record');
    },
    save: (recordKey, query, { record, fetchedAtMs, requestId }) => {
      save.run(recordKey, query, record, fetchedAtMs, requestId);
    },
    prune: (keptRecords) => {
      prune.run(keptRecords);
    },
  };
}
