import type { Migration } from '../../migrate.ts';

export const schema: Migration = {
  number: 1_010,
  name: 'the known schema of lists, and its changes',
  sql: `
    CREATE TABLE watched_list (
      kind TEXT NOT NULL,
      list_id TEXT NOT NULL,
      -- Counts by field (core/snapshots/schema-watch.ts).
      state_json TEXT NOT NULL,
      PRIMARY KEY (kind, list_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE schema_change (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      list_id TEXT NOT NULL,
      change_json TEXT NOT NULL
    ) STRICT;
  `,
};
