import type { Migration } from '../../migrate.ts';
import { searchChanges } from './1010-search-changes.ts';
import { kept } from './1030-kept.ts';
import { left } from './1040-left.ts';
import { rowPlaces } from './1050-row-places.ts';
import { ended } from './1060-ended.ts';
import { goneRows } from './1070-gone-rows.ts';
import { libraryService } from './1080-service.ts';
import { heldReadings } from './1090-held-readings.ts';

const baseline: Migration = {
  number: 1_000,
  name: 'lists, records, request log',
  sql: `
    CREATE TABLE list (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      list_key TEXT NOT NULL UNIQUE,
      query TEXT NOT NULL CHECK (json_valid(query)),
      opened_at_ms INTEGER NOT NULL,
      shown_generation_id INTEGER REFERENCES generation (id) ON DELETE SET NULL,
      -- When its rows were removed, and the limit they were removed for; both null while there are rows.
      removed_at_ms INTEGER,
      removed_to TEXT
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
      request_id TEXT,
      is_outdated INTEGER NOT NULL DEFAULT 0 CHECK (is_outdated IN (0, 1)),
      size_bytes INTEGER NOT NULL DEFAULT 0,
      -- A page below the stated total came back empty: the list does not reach that far.
      is_total_refuted INTEGER NOT NULL DEFAULT 0 CHECK (is_total_refuted IN (0, 1))
    ) STRICT;
    CREATE INDEX generation_by_list ON generation (list_id);
    CREATE INDEX list_by_generation ON list (shown_generation_id);

    CREATE TABLE list_row (
      generation_id INTEGER NOT NULL REFERENCES generation (id),
      position INTEGER NOT NULL,
      identity TEXT,
      -- What a person sees of the record, for narrowing without parsing every record; null where it is long.
      shown_text TEXT,
      -- Where text_id is set, only the beginning of each value.
      record TEXT NOT NULL,
      text_id INTEGER,
      PRIMARY KEY (generation_id, position)
    ) STRICT;
    CREATE UNIQUE INDEX list_row_by_identity ON list_row (generation_id, identity) WHERE identity IS NOT NULL;
    CREATE INDEX list_row_by_text ON list_row (text_id) WHERE text_id IS NOT NULL;

    -- The lists that the view of a tab shows: they are not removed while that tab is open, also over a restart.
    CREATE TABLE list_view (
      view_id TEXT NOT NULL,
      list_id INTEGER NOT NULL REFERENCES list (id) ON DELETE CASCADE,
      PRIMARY KEY (view_id, list_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX list_view_by_list ON list_view (list_id);

    CREATE TABLE record (
      record_key TEXT NOT NULL PRIMARY KEY,
      query TEXT NOT NULL CHECK (json_valid(query)),
      record TEXT NOT NULL,
      fetched_at_ms INTEGER NOT NULL,
      request_id TEXT NOT NULL,
      is_outdated INTEGER NOT NULL DEFAULT 0 CHECK (is_outdated IN (0, 1)),
      -- When the service was known to have it no longer; what was stored stays readable.
      gone_at_ms INTEGER,
      text_id INTEGER
    ) STRICT;
    CREATE INDEX record_by_text ON record (text_id) WHERE text_id IS NOT NULL;

    -- JSON of a record that is too long to be written and read in one step. Nothing refers to it until it is whole.
    CREATE TABLE long_text (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      characters INTEGER NOT NULL DEFAULT 0,
      -- A row has referred to it: without one it can go.
      is_used INTEGER NOT NULL DEFAULT 0 CHECK (is_used IN (0, 1)),
      touched_at_ms INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE long_text_part (
      text_id INTEGER NOT NULL REFERENCES long_text (id),
      from_character INTEGER NOT NULL,
      part TEXT NOT NULL,
      PRIMARY KEY (text_id, from_character)
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
      priority TEXT NOT NULL,
      started_at_ms INTEGER NOT NULL DEFAULT 0,
      sent_bytes INTEGER NOT NULL DEFAULT 0,
      group_name TEXT NOT NULL DEFAULT '',
      is_shared INTEGER NOT NULL DEFAULT 0 CHECK (is_shared IN (0, 1)),
      -- Attempts that were answered with 429: most of these requests were answered in the end.
      refusals INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX request_log_by_operation ON request_log (operation, seq);
    CREATE INDEX request_log_by_id ON request_log (id);
    -- What only the view of one request needs.
    CREATE TABLE request_detail (
      seq INTEGER PRIMARY KEY REFERENCES request_log (seq) ON DELETE CASCADE,
      origin TEXT NOT NULL,
      tries_json TEXT NOT NULL CHECK (json_valid(tries_json)),
      error_json TEXT CHECK (error_json IS NULL OR json_valid(error_json)),
      -- Only bodies that hold no event and no secret, of the newest requests.
      body TEXT,
      body_kept TEXT NOT NULL
    ) STRICT;
    CREATE INDEX request_detail_with_body ON request_detail (seq) WHERE body IS NOT NULL;
  `,
};

export const LIBRARY_MIGRATIONS: readonly Migration[] = [
  baseline,
  searchChanges,
  kept,
  left,
  rowPlaces,
  ended,
  goneRows,
  libraryService,
  heldReadings,
];
