import type { Migration } from '../../migrate.ts';

export const spansNow: Migration = {
  number: 1_060,
  name: 'spans of a build that were read again before the first call and are not as they were prepared',
  sql: `
    CREATE TABLE span_now (
      build_id TEXT NOT NULL,
      position INTEGER NOT NULL,
      -- Null: the service has it no more.
      record TEXT,
      PRIMARY KEY (build_id, position)
    ) STRICT;
  `,
};
