import type { Migration } from '../../migrate.ts';

export const longTexts: Migration = {
  number: 70,
  name: 'long records in parts',
  sql: `
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

    -- Where it is set, the column record holds only the beginning of each value.
    ALTER TABLE list_row ADD COLUMN text_id INTEGER;
    CREATE INDEX list_row_by_text ON list_row (text_id) WHERE text_id IS NOT NULL;
    ALTER TABLE record ADD COLUMN text_id INTEGER;
    CREATE INDEX record_by_text ON record (text_id) WHERE text_id IS NOT NULL;

    -- Long records that were written in one step are read from the service again.
    DELETE FROM record WHERE octet_length(record) > 90000;
  `,
};
