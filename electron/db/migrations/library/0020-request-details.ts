import type { Migration } from '../../migrate.ts';

export const requestDetails: Migration = {
  number: 20,
  name: 'request details',
  sql: `
    DROP INDEX request_log_by_time;
    ALTER TABLE request_log ADD COLUMN started_at_ms INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE request_log ADD COLUMN sent_bytes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE request_log ADD COLUMN group_name TEXT NOT NULL DEFAULT '';
    ALTER TABLE request_log ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 0 CHECK (is_shared IN (0, 1));
    UPDATE request_log SET started_at_ms = at_ms - queued_ms - network_ms;
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
