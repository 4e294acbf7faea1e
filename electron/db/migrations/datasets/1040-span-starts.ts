import type { Migration } from '../../migrate.ts';

export const spanStarts: Migration = {
  number: 1_040,
  name: 'an index of the start times of the spans of a build',
  sql: `
    -- The first and the last start are asked for after every change of a basket.
    CREATE INDEX span_by_start ON span (build_id, start_ms);
  `,
};
