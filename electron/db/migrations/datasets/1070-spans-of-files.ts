import type { Migration } from '../../migrate.ts';

const OLD = 'build_id = old.build_id AND block = old.position / 1024 AND state = old.state';

export const spansOfFiles: Migration = {
  number: 1_070,
  name: 'picked spans whose contents come from a file',
  sql: `
    -- Apart from the spans, as edits are. They go to the dataset as items.
    CREATE TABLE span_of_file (
      build_id TEXT NOT NULL,
      position INTEGER NOT NULL,
      -- What the service said of it; null: it was not asked yet.
      asked TEXT,
      PRIMARY KEY (build_id, position)
    ) STRICT, WITHOUT ROWID;
    -- The key set of a span changes with its contents.
    DROP TRIGGER span_recounted;
    CREATE TRIGGER span_recounted AFTER UPDATE OF state, shape_id ON span
      WHEN old.state <> new.state OR old.shape_id IS NOT new.shape_id BEGIN
      UPDATE span_count SET spans = spans - 1 WHERE ${OLD} AND shape_id = coalesce(old.shape_id, -1);
      INSERT INTO span_count (build_id, block, state, shape_id, spans)
        VALUES (new.build_id, new.position / 1024, new.state, coalesce(new.shape_id, -1), 1)
        ON CONFLICT (build_id, block, state, shape_id) DO UPDATE SET spans = spans + 1;
    END;
  `,
};
