/** Asynchronous jobs. Their state is a function of time, and their effect is applied once, when they end. */
import { type JsonRecord, parseRecord, type Sqlite } from './store.ts';

export interface JobRow {
  id: string;
  name: string;
  info: JsonRecord;
  /** The effect when the job ends; it is parsed by the code that applies effects. */
  effect: JsonRecord;
  createdMs: number;
  startedMs: number;
  endsMs: number;
  /** Why the effect failed. */
  errorMessage: string | null;
}

export interface JobStore {
  add(job: JobRow): void;
  get(id: string): JobRow | null;
  /** Jobs that have ended by `nowMs` and whose effect was not applied yet, oldest first. */
  due(nowMs: number): JobRow[];
  /** Jobs whose effect was not applied yet. */
  open(): JobRow[];
  /** Newest first. */
  all(): JobRow[];
  markDone(id: string, errorMessage: string | null): void;
}

interface StoredJob {
  id: string;
  name: string;
  info: string;
  effect: string;
  created_ms: number;
  started_ms: number;
  ends_ms: number;
  error_message: string | null;
}

function toJob(row: StoredJob): JobRow {
  return {
    id: row.id,
    name: row.name,
    info: parseRecord(row.info),
    effect: parseRecord(row.effect),
    createdMs: row.created_ms,
    startedMs: row.started_ms,
    endsMs: row.ends_ms,
    errorMessage: row.error_message,
  };
}

export function createJobStore(db: Sqlite): JobStore {
  const insert = db.prepare(
    'INSERT INTO job (id, name, info, effect, created_ms, started_ms, ends_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const one = db.prepare<[string], StoredJob>('SELECT * FROM job WHERE id = ?');
  const due = db.prepare<[number], StoredJob>(
    'SELECT * FROM job WHERE is_done = 0 AND ends_ms <= ? ORDER BY ends_ms, created_ms',
  );
  const open = db.prepare<[], StoredJob>('SELECT * FROM job WHERE is_done = 0 ORDER BY created_ms');
  const all = db.prepare<[], StoredJob>('SELECT * FROM job ORDER BY created_ms DESC, rowid DESC');
  const done = db.prepare('UPDATE job SET is_done = 1, error_message = ? WHERE id = ?');
  return {
    add: (job) => {
      const { id, name, info, effect, createdMs, startedMs, endsMs } = job;
      insert.run(id, name, JSON.stringify(info), JSON.stringify(effect), createdMs, startedMs, endsMs);
    },
    get: (id) => {
      const row = one.get(id);
      return row === undefined ? null : toJob(row);
    },
    due: (nowMs) => due.all(nowMs).map(toJob),
    open: () => open.all().map(toJob),
    all: () => all.all().map(toJob),
    markDone: (id, errorMessage) => {
      done.run(errorMessage, id);
    },
  };
}
