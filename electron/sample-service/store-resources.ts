/** Small resources (projects, applications, models, environments, datasets …) stored as JSON, in order. */
import { type JsonRecord, parseRecord, type Sqlite } from './store.ts';

export type ResourceKind =
  | 'project'
  | 'application'
  | 'model'
  | 'environment'
  | 'dataset'
  | 'experiment'
  | 'alert-rule'
  | 'notification'
  | 'baseline'
  | 'custom-metric'
  | 'segment'
  | 'evaluator'
  | 'evaluator-rule'
  | 'genai-alert-rule'
  | 'access-key'
  | 'user'
  | 'file';

export interface ResourceStore {
  add(kind: ResourceKind, id: string, parentId: string | null, record: JsonRecord): void;
  get(kind: ResourceKind, id: string): JsonRecord | null;
  /** All records of a kind, or those below one parent, in insertion order. */
  list(kind: ResourceKind, parentId?: string): JsonRecord[];
  /** Replaces a record, which keeps its position in the order. */
  replace(kind: ResourceKind, id: string, record: JsonRecord): void;
  remove(kind: ResourceKind, id: string): void;
}

export function createResourceStore(db: Sqlite): ResourceStore {
  const insert = db.prepare('INSERT INTO resource (kind, id, parent_id, record) VALUES (?, ?, ?, ?)');
  const one = db.prepare<[string, string], { record: string }>(
    'SELECT record FROM resource WHERE kind = ? AND id = ?',
  );
  const all = db.prepare<[string], { record: string }>(
    'SELECT record FROM resource WHERE kind = ? ORDER BY position',
  );
  const below = db.prepare<[string, string], { record: string }>(
    'SELECT record FROM resource WHERE kind = ? AND parent_id = ? ORDER BY position',
  );
  const replace = db.prepare('UPDATE resource SET record = ? WHERE kind = ? AND id = ?');
  const remove = db.prepare('DELETE FROM resource WHERE kind = ? AND id = ?');
  return {
    add: (kind, id, parentId, record) => {
      insert.run(kind, id, parentId, JSON.stringify(record));
    },
    get: (kind, id) => {
      const row = one.get(kind, id);
      return row === undefined ? null : parseRecord(row.record);
    },
    list: (kind, parentId) => {
      const rows = parentId === undefined ? all.all(kind) : below.all(kind, parentId);
      return rows.map((row) => parseRecord(row.record));
    },
    replace: (kind, id, record) => {
      replace.run(JSON.stringify(record), kind, id);
    },
    remove: (kind, id) => {
      remove.run(kind, id);
    },
  };
}
