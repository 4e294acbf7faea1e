import type { Migration } from '../../migrate.ts';

export const listsRecordsLog: Migration = {
  number: 10,
  name: 'lists, records, request log',
  sql: `
    CREATE TABLE list (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      list_key TEXT NOT NULL UNIQUE,
      query TEXT NOT NULL CHECK (json_valid(query)),
      opened_at_ms INTEGER NOT NULL,
      shown_generation_id INTEGER REFERENCES generation (id) ON DELETE SET NULL
    ) STRICT;

    -- One reading of a list. A refresh writes a generation of its own beside the one that is shown.
    CREATE TABLE generation (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      list_id INTEGER NOT NULL REFERENCES list (id) ON DELETE CASCADE,
      revision INTEGER NOT NULL DEFAULT 0,
      touched_at_ms INTEGER NOT NULL,
      total_rows INTEGER,
      row_count INTEGER NOT NULL DEFAULT 0,
      -- Rows 0 to front_position - 1 are there without a gap; front_offset is the offset to ask for next.
      front_position INTEGER NOT NULL DEFAULT 0,
      front_offset INTEGER NOT NULL DEFAULT 0,
      is_complete INTEGER NOT NULL DEFAULT 0 CHECK (is_complete IN (0, 1)),
      has_moved INTEGER NOT NULL DEFAULT 0 CHECK (has_moved IN (0, 1)),
      is_discarded INTEGER NOT NULL DEFAULT 0 CHECK (is_discarded IN (0, 1)),
      oldest_ms INTEGER,
      newest_ms INTEGER,
      request_id TEXT
    ) STRICT;
    CREATE INDEX generation_by_list ON generation (list_id);
    CREATE INDEX list_by_generation ON list (shown_generation_id);

    CREATE TABLE list_row (
      generation_id INTEGER NOT NULL REFERENCES generation (id),
      position INTEGER NOT NULL,
      identity TEXT,
      -- What a person sees of the record, for narrowing without parsing every record; null where it is long.
      shown_text TEXT,
      record TEXT NOT NULL,
      PRIMARY KEY (generation_id, position)
    ) STRICT;
    CREATE UNIQUE INDEX list_row_by_identity ON list_row (generation_id, identity) WHERE identity IS NOT NULL;

    CREATE TABLE record (
      record_key TEXT NOT NULL PRIMARY KEY,
      query TEXT NOT NULL CHECK (json_valid(query)),
      record TEXT NOT NULL,
      fetched_at_ms INTEGER NOT NULL,
      request_id TEXT NOT NULL
    ) STRICT;

    CREATE TABLE request_log (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL,
      at_ms INTEGER NOT NULL,
      operation TEXT NOT NULL,
      url TEXT NOT NULL,
      status INTEGER,
      error_code TEXT,
      attempts INTEGER NOT NULL,
      queued_ms INTEGER NOT NULL,
      network_ms INTEGER NOT NULL,
      size_bytes INTEGER NOT NULL,
      priority TEXT NOT NULL
    ) STRICT;
    CREATE INDEX request_log_by_time ON request_log (at_ms);
  `,
};
