import type { Migration } from '../../migrate.ts';

export const reviews: Migration = {
  number: 1_010,
  name: 'reviews of the spans of a build',
  sql: `
    -- What a person decided of the spans of a build, one event a row: what is shown is folded from them.
    CREATE TABLE review_event (
      build_id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      event_json TEXT NOT NULL,
      PRIMARY KEY (build_id, seq)
    ) STRICT, WITHOUT ROWID;
  `,
};
