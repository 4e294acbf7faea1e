import type { Migration } from '../../migrate.ts';

export const listSizes: Migration = {
  number: 50,
  name: 'sizes of lists, and what was removed to make room',
  sql: `
    ALTER TABLE generation ADD COLUMN size_bytes INTEGER NOT NULL DEFAULT 0;
    UPDATE generation SET size_bytes = (
      SELECT coalesce(sum(octet_length(record) + coalesce(octet_length(shown_text), 0)
        + coalesce(octet_length(identity), 0) + 60), 0)
      FROM list_row WHERE generation_id = generation.id);

    -- When its rows were removed, and the limit they were removed for; both null while there are rows.
    ALTER TABLE list ADD COLUMN removed_at_ms INTEGER;
    ALTER TABLE list ADD COLUMN removed_to TEXT;

    -- The lists that the view of a tab shows: they are not removed while that tab is open, also over a restart.
    CREATE TABLE list_view (
      view_id TEXT NOT NULL,
      list_id INTEGER NOT NULL REFERENCES list (id) ON DELETE CASCADE,
      PRIMARY KEY (view_id, list_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX list_view_by_list ON list_view (list_id);
  `,
};
