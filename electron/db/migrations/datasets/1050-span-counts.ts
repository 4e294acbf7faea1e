import type { Migration } from '../../migrate.ts';

/** Recomputes the counts from the spans. */
export const COUNT_SPANS = `
  DELETE FROM span_count;
  INSERT INTO span_count (build_id, block, state, shape_id, spans)
    SELECT build_id, position / 1024, state, coalesce(shape_id, -1), count(*) FROM span GROUP BY 1, 2, 3, 4;`;

const OLD = 'build_id = old.build_id AND block = old.position / 1024 AND state = old.state';
const LESS = `UPDATE span_count SET spans = spans - 1 WHERE ${OLD} AND shape_id = coalesce(old.shape_id, -1);`;
const MORE = `INSERT INTO span_count (build_id, block, state, shape_id, spans)
      VALUES (new.build_id, new.position / 1024, new.state, coalesce(new.shape_id, -1), 1)
      ON CONFLICT (build_id, block, state, shape_id) DO UPDATE SET spans = spans + 1;`;

export const spanCounts: Migration = {
  number: 1_050,
  name: 'counts of picked spans, and baskets that were put away',
  sql: `
    -- Spans by block of 1024 positions, state and key set (-1: known by its identity alone): no basket is too long to be
    -- counted, or to be paged through from any place.
    CREATE TABLE span_count (
      build_id TEXT NOT NULL,
      block INTEGER NOT NULL,
      state TEXT NOT NULL,
      shape_id INTEGER NOT NULL,
      spans INTEGER NOT NULL,
      PRIMARY KEY (build_id, block, state, shape_id)
    ) STRICT, WITHOUT ROWID;
    ${COUNT_SPANS}
    CREATE TRIGGER span_counted AFTER INSERT ON span BEGIN
      ${MORE}
    END;
    CREATE TRIGGER span_uncounted AFTER DELETE ON span BEGIN
      ${LESS}
    END;
    CREATE TRIGGER span_recounted AFTER UPDATE OF state ON span WHEN old.state <> new.state BEGIN
      ${LESS}
      ${MORE}
    END;
    -- Baskets that were put away and can be taken back for a while.
    CREATE TABLE put_away (
      build_id TEXT PRIMARY KEY NOT NULL,
      at_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
