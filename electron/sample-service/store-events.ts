/** Events of the models. An event that is sent twice is stored twice, so that duplicates are noticed. */
import { type JsonRecord, parseRecord, type Sqlite } from './store.ts';

interface EventRow {
  id: string;
  modelId: string;
  environmentId: string;
  isProduction: boolean;
  timeMs: number;
  record: JsonRecord;
}

/** Selects the events that a deletion removes: production events that were stored before it was requested. */
interface EventSelection {
  modelId: string;
  /** Position of the last event stored when the deletion was requested. */
  upTo: number;
  ids: readonly string[] | null;
  /** Start inclusive, end exclusive. */
  timeRange: { startMs: number; endMs: number } | null;
}

interface EventChange {
  id: string;
  columns: JsonRecord;
  /** New time of the event; null leaves it unchanged. */
  timeMs: number | null;
}

interface StoredEvent {
  id: string;
  event: JsonRecord;
}

export interface EventStore {
  add(events: readonly EventRow[]): void;
  /** Whether production has an event with this id. */
  has(modelId: string, id: string): boolean;
  /** Changes all production events with one of the ids, in one transaction. */
  update(modelId: string, changes: readonly EventChange[]): void;
  lastPosition(): number;
  /** Removes events and returns their number. */
  remove(selection: EventSelection): number;
  countOfEnvironment(environmentId: string): number;
  /** Number of production events with a time in [startMs, endMs). */
  countBetween(modelId: string, startMs: number, endMs: number): number;
  ids(modelId: string): string[];
  all(modelId: string): StoredEvent[];
}

/** Stores events in one transaction. */
function inserter(db: Sqlite): EventStore['add'] {
  const insert = db.prepare(
    'INSERT INTO event (id, model_id, environment_id, is_production, time_ms, record) VALUES (?, ?, ?, ?, ?, ?)',
  );
  return db.transaction((events: readonly EventRow[]) => {
    for (const event of events) {
      insert.run(
        event.id,
        event.modelId,
        event.environmentId,
        event.isProduction ? 1 : 0,
        event.timeMs,
        JSON.stringify(event.record),
      );
    }
  });
}

export function createEventStore(db: Sqlite): EventStore {
  const find = db.prepare<[string, string], { position: number; record: string }>(
    'SELECT position, record FROM event WHERE model_id = ? AND id = ? AND is_production = 1 ORDER BY position',
  );
  const replace = db.prepare(
    'UPDATE event SET record = ?, time_ms = coalesce(?, time_ms) WHERE position = ?',
  );
  const last = db.prepare<[], { position: number | null }>('SELECT max(position) AS position FROM event');
  const removeIds = db.prepare(
    `DELETE FROM event WHERE model_id = ? AND is_production = 1 AND position <= ?
     AND id IN (SELECT value FROM json_each(?))`,
  );
  const removeRange = db.prepare(
    'DELETE FROM event WHERE model_id = ? AND is_production = 1 AND position <= ? AND time_ms >= ? AND time_ms < ?',
  );
  const count = db.prepare<[string], { total: number }>(
    'SELECT count(*) AS total FROM event WHERE environment_id = ?',
  );
  const between = db.prepare<[string, number, number], { total: number }>(
    'SELECT count(*) AS total FROM event WHERE model_id = ? AND is_production = 1 AND time_ms >= ? AND time_ms < ?',
  );
  const all = db.prepare<[string], { id: string; record: string }>(
    'SELECT id, record FROM event WHERE model_id = ? ORDER BY position',
  );
  const ids = db.prepare<[string], { id: string }>(
    'SELECT id FROM event WHERE model_id = ? ORDER BY position',
  );
  const updateAll = db.transaction((modelId: string, changes: readonly EventChange[]) => {
    for (const change of changes) {
      for (const row of find.all(modelId, change.id)) {
        const record = { ...parseRecord(row.record, JSON.parse), ...change.columns };
        replace.run(JSON.stringify(record), change.timeMs, row.position);
      }
    }
  });
  return {
    add: inserter(db),
    has: (modelId, id) => find.get(modelId, id) !== undefined,
    update: updateAll,
    lastPosition: () => last.get()?.position ?? 0,
    remove: ({ modelId, upTo, ids: wanted, timeRange }) => {
      if (wanted !== null) return removeIds.run(modelId, upTo, JSON.stringify(wanted)).changes;
      if (timeRange === null) return 0;
      return removeRange.run(modelId, upTo, timeRange.startMs, timeRange.endMs).changes;
    },
    countOfEnvironment: (environmentId) => count.get(environmentId)?.total ?? 0,
    countBetween: (modelId, startMs, endMs) => between.get(modelId, startMs, endMs)?.total ?? 0,
    ids: (modelId) => ids.all(modelId).map((row) => row.id),
    all: (modelId) =>
      all.all(modelId).map((row) => ({ id: row.id, event: parseRecord(row.record, JSON.parse) })),
  };
}
