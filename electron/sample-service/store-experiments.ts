/**
 * Results of experiments. Generated results are created when they are first read, from the plan of their experiment.
 */
import type { PageRequest } from './envelope.ts';
import { type JsonRecord, parseRecord, type Sqlite } from './store.ts';
import type { RowPage } from './store-catalog.ts';

/** The result of an item, as it was sent, with the times at which it arrived and changed. */
export interface StoredResult {
  item: JsonRecord;
  scores: JsonRecord[];
  createdAt: string;
  updatedAt: string;
  timestampMs: number;
  /** Time from which the result is visible: results of a run in progress appear one by one. */
  visibleMs: number;
}

export interface ExperimentStore {
  /** Stores results; a result of the same item is replaced. */
  put(experimentId: string, results: readonly StoredResult[]): void;
  get(experimentId: string, itemId: string): StoredResult | null;
  /** Results that are visible at `nowMs`, newest first. */
  all(experimentId: string, nowMs: number): StoredResult[];
  page(experimentId: string, nowMs: number, page: PageRequest): RowPage<StoredResult>;
  remove(experimentId: string): void;
  addPlan(experimentId: string, plan: JsonRecord): void;
  /** The plan for results that were not generated yet; it is returned only once. */
  takePlan(experimentId: string): JsonRecord | null;
}

interface Row {
  item: string;
  scores: string;
  created_at: string;
  updated_at: string;
  timestamp_ms: number;
  visible_ms: number;
}

const COLUMNS = 'item, scores, created_at, updated_at, timestamp_ms, visible_ms';
const SHOWN = 'experiment_id = ? AND visible_ms <= ?';
const ORDER = 'ORDER BY timestamp_ms DESC, position DESC';

function toResult(row: Row): StoredResult {
  const { scores } = parseRecord(`{"scores":${row.scores}}`);
  return {
    item: parseRecord(row.item),
    // Safe cast: only `put` writes the scores.
    scores: scores as JsonRecord[],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    timestampMs: row.timestamp_ms,
    visibleMs: row.visible_ms,
  };
}

export function createExperimentStore(db: Sqlite): ExperimentStore {
  const insert = db.prepare(`
    INSERT INTO experiment_result (experiment_id, item_id, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (experiment_id, item_id) DO UPDATE SET item = excluded.item, scores = excluded.scores,
      updated_at = excluded.updated_at, timestamp_ms = excluded.timestamp_ms`);
  const one = db.prepare<[string, string], Row>(
    `SELECT ${COLUMNS} FROM experiment_result WHERE experiment_id = ? AND item_id = ?`,
  );
  const count = db.prepare<[string, number], { total: number }>(
    `SELECT count(*) AS total FROM experiment_result WHERE ${SHOWN}`,
  );
  const select = db.prepare<[string, number, number, number], Row>(
    `SELECT ${COLUMNS} FROM experiment_result WHERE ${SHOWN} ${ORDER} LIMIT ? OFFSET ?`,
  );
  const remove = db.prepare('DELETE FROM experiment_result WHERE experiment_id = ?');
  const insertPlan = db.prepare('INSERT INTO experiment_plan (experiment_id, plan) VALUES (?, ?)');
  const takePlan = db.prepare<[string], { plan: string }>(
    'DELETE FROM experiment_plan WHERE experiment_id = ? RETURNING plan',
  );
  return {
    put: db.transaction((experimentId: string, results: readonly StoredResult[]) => {
      for (const { item, scores, createdAt, updatedAt, timestampMs, visibleMs } of results) {
        const [itemText, scoreText] = [JSON.stringify(item), JSON.stringify(scores)];
        const times = [createdAt, updatedAt, timestampMs, visibleMs];
        insert.run(experimentId, String(item['id']), itemText, scoreText, ...times);
      }
    }),
    get: (experimentId, itemId) => {
      const row = one.get(experimentId, itemId);
      return row === undefined ? null : toResult(row);
    },
    all: (experimentId, nowMs) => select.all(experimentId, nowMs, -1, 0).map(toResult),
    page: (experimentId, nowMs, { limit, offset }) => ({
      items: select.all(experimentId, nowMs, limit, offset).map(toResult),
      total: count.get(experimentId, nowMs)?.total ?? 0,
    }),
    remove: (experimentId) => {
      remove.run(experimentId);
      takePlan.get(experimentId);
    },
    addPlan: (experimentId, plan) => {
      insertPlan.run(experimentId, JSON.stringify(plan));
    },
    takePlan: (experimentId) => {
      const row = takePlan.get(experimentId);
      return row === undefined ? null : parseRecord(row.plan);
    },
  };
}
