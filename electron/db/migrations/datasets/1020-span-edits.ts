import type { Migration } from '../../migrate.ts';

export const spanEdits: Migration = {
  number: 1_020,
  name: 'edited expected outputs of the spans of a build',
  sql: `
    -- As the review left them. Apart from the spans, as their records are.
    CREATE TABLE span_edit (
      build_id TEXT NOT NULL,
      position INTEGER NOT NULL,
      expected TEXT NOT NULL,
      PRIMARY KEY (build_id, position)
    ) STRICT;
  `,
};
