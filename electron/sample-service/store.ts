/** The database of the sample service, in a file or in memory. Opens it and creates its tables. */
import Database from 'better-sqlite3';
import { isRawNumber, parseExact } from '../shared/exact-json.ts';

export type Sqlite = Database.Database;
export type JsonRecord = Record<string, unknown>;

/**
 * Incremented when the tables change. A file of a later version is rejected, and one of an earlier version is upgraded.
 */
const STORE_VERSION = 3;

const TABLES = `
  CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS resource (
    position INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, parent_id TEXT, record TEXT NOT NULL,
    UNIQUE (kind, id)
  );
  CREATE INDEX IF NOT EXISTS resource_parent ON resource (kind, parent_id);
  CREATE TABLE IF NOT EXISTS entity (
    entity_id INTEGER PRIMARY KEY, id TEXT NOT NULL, application_id TEXT NOT NULL, entity_type TEXT NOT NULL,
    name TEXT NOT NULL, semantic_name TEXT NOT NULL, data_type TEXT NOT NULL, scope TEXT NOT NULL,
    first_seen TEXT NOT NULL, last_seen TEXT NOT NULL, row_count INTEGER NOT NULL,
    UNIQUE (application_id, entity_type, name)
  );
  CREATE INDEX IF NOT EXISTS entity_name ON entity (application_id, name, entity_type);
  CREATE TABLE IF NOT EXISTS entity_value (
    entity_id INTEGER NOT NULL, value TEXT NOT NULL, first_seen TEXT NOT NULL, last_seen TEXT NOT NULL,
    row_count INTEGER NOT NULL, PRIMARY KEY (entity_id, value)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS dataset_item (
    position INTEGER PRIMARY KEY, id TEXT NOT NULL, dataset_id TEXT NOT NULL, record TEXT NOT NULL,
    UNIQUE (dataset_id, id)
  );
  CREATE INDEX IF NOT EXISTS dataset_item_position ON dataset_item (dataset_id, position);
  CREATE TABLE IF NOT EXISTS span (
    application_id TEXT NOT NULL, trace_id TEXT NOT NULL, span_id TEXT NOT NULL, session_id TEXT,
    start_ms INTEGER NOT NULL, record TEXT NOT NULL, PRIMARY KEY (application_id, trace_id, span_id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS span_start ON span (application_id, start_ms);
  CREATE TABLE IF NOT EXISTS event (
    position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, model_id TEXT NOT NULL,
    environment_id TEXT NOT NULL, is_production INTEGER NOT NULL, time_ms REAL NOT NULL, record TEXT NOT NULL
  );
  CREATE INDEX IF NOT EXISTS event_id ON event (model_id, id);
  CREATE INDEX IF NOT EXISTS event_time ON event (model_id, time_ms);
  CREATE INDEX IF NOT EXISTS event_environment ON event (environment_id);
  CREATE TABLE IF NOT EXISTS job (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, info TEXT NOT NULL, effect TEXT NOT NULL, created_ms INTEGER NOT NULL,
    started_ms INTEGER NOT NULL, ends_ms INTEGER NOT NULL, is_done INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS job_due ON job (is_done, ends_ms);
`;

/** Added in version 2: files, and the reason of a job's failure. */
const TABLES_2 = `
  ALTER TABLE job ADD COLUMN error_message TEXT;
  CREATE TABLE file_part (
    file_id TEXT NOT NULL, number INTEGER NOT NULL, part_id TEXT NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (file_id, number)
  ) WITHOUT ROWID;
`;

/** Added in version 3: experiments. */
const TABLES_3 = `
  CREATE TABLE IF NOT EXISTS experiment_result (
    position INTEGER PRIMARY KEY, experiment_id TEXT NOT NULL, item_id TEXT NOT NULL, item TEXT NOT NULL,
    scores TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, timestamp_ms INTEGER NOT NULL,
    visible_ms INTEGER NOT NULL, UNIQUE (experiment_id, item_id)
  );
  CREATE INDEX IF NOT EXISTS experiment_result_time ON experiment_result (experiment_id, timestamp_ms DESC, position DESC);
  CREATE TABLE IF NOT EXISTS experiment_plan (experiment_id TEXT PRIMARY KEY, plan TEXT NOT NULL) WITHOUT ROWID;
`;

/**
 * Opens or creates the database. `source` null keeps it in memory, and an image is copied into memory. Throws if a file
 * is of a later version.
 */
export function openStore(source: string | Buffer | null): Sqlite {
  const db = new Database(source ?? ':memory:');
  try {
    const version = Number(db.pragma('user_version', { simple: true }));
    if (version > STORE_VERSION) {
      throw new Error(
        `The database of the sample service has version ${version}, this program knows up to ${STORE_VERSION}. Choose another file.`,
      );
    }
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.transaction(() => {
      db.exec(TABLES);
      if (version < 2) db.exec(TABLES_2);
      if (version < 3) db.exec(TABLES_3);
      db.pragma(`user_version = ${STORE_VERSION}`);
    })();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

export function readMeta(db: Sqlite, key: string): string | null {
  const row = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?').get(key);
  return row?.value ?? null;
}

export function writeMeta(db: Sqlite, key: string, value: string): void {
  db.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  ).run(key, value);
}

/**
 * Parses a stored JSON object. This program writes only objects, so anything else means that another program wrote the
 * file.
 */
export function parseRecord(text: string, parse: (text: string) => unknown = parseExact): JsonRecord {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawNumber(value)) {
    throw new Error('A stored record is not a JSON object.');
  }
  return value as JsonRecord;
}
