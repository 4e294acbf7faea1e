import type { Migration } from '../../migrate.ts';

export const requestRefusals: Migration = {
  number: 40,
  name: 'request refusals',
  sql: `
    -- Attempts that were answered with 429: most of these requests were answered in the end.
    ALTER TABLE request_log ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;
    UPDATE request_log SET refusals = 1 WHERE status = 429;
  `,
};
