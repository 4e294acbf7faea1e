/** Items of evaluation datasets. */
import type { PageRequest } from './envelope.ts';
import { type JsonRecord, parseRecord, type Sqlite } from './store.ts';
import type { RowPage } from './store-catalog.ts';

export interface DatasetItemStore {
  add(datasetId: string, id: string, record: JsonRecord): void;
  /** Adds items, which have ids, atomically. */
  addAll(datasetId: string, records: readonly JsonRecord[]): void;
  has(datasetId: string, id: string): boolean;
  get(datasetId: string, id: string): JsonRecord | null;
  removeDataset(datasetId: string): void;
  count(datasetId: string): number;
  /** One page in insertion order. */
  page(datasetId: string, page: PageRequest): RowPage<JsonRecord>;
  /** The first `limit` items; default: all. */
  all(datasetId: string, limit?: number): JsonRecord[];
}

export function createDatasetItemStore(db: Sqlite): DatasetItemStore {
  const insert = db.prepare('INSERT INTO dataset_item (dataset_id, id, record) VALUES (?, ?, ?)');
  const count = db.prepare<[string], { total: number }>(
    'SELECT count(*) AS total FROM dataset_item WHERE dataset_id = ?',
  );
  const select = db.prepare<[string, number, number], { record: string }>(
    'SELECT record FROM dataset_item WHERE dataset_id = ? ORDER BY position LIMIT ? OFFSET ?',
  );
  const read = (datasetId: string, limit: number, offset: number): JsonRecord[] =>
    select.all(datasetId, limit, offset).map((row) => parseRecord(row.record));
  const total = (datasetId: string): number => count.get(datasetId)?.total ?? 0;
  const find = db.prepare<[string, string], { position: number }>(
    'SELECT position FROM dataset_item WHERE dataset_id = ? AND id = ?',
  );
  const one = db.prepare<[string, string], { record: string }>(
    'SELECT record FROM dataset_item WHERE dataset_id = ? AND id = ?',
  );
  const remove = db.prepare('DELETE FROM dataset_item WHERE dataset_id = ?');
  const addAll = db.transaction((datasetId: string, records: readonly JsonRecord[]) => {
    for (const record of records) insert.run(datasetId, String(record['id']), JSON.stringify(record));
  });
  return {
    add: (datasetId, id, record) => {
      insert.run(datasetId, id, JSON.stringify(record));
    },
    addAll,
    has: (datasetId, id) => find.get(datasetId, id) !== undefined,
    get: (datasetId, id) => {
      const row = one.get(datasetId, id);
      return row === undefined ? null : parseRecord(row.record);
    },
    removeDataset: (datasetId) => {
      remove.run(datasetId);
    },
    count: total,
    page: (datasetId, { limit, offset }) => ({
      items: read(datasetId, limit, offset),
      total: total(datasetId),
    }),
    all: (datasetId, limit = -1) => read(datasetId, limit, 0),
  };
}
