import type { Migration } from '../../migrate.ts';

export const ended: Migration = {
  number: 1_060,
  name: 'lists that were read to their end though rows are missing',
  sql: `
    -- is_complete says more: that no row is missing.
    ALTER TABLE generation ADD COLUMN is_ended INTEGER NOT NULL DEFAULT 0 CHECK (is_ended IN (0, 1));
    UPDATE generation SET is_ended = 1 WHERE is_complete = 1;
    -- Older versions called a list complete whatever total was stated; one above a billion rows cannot be.
    UPDATE generation SET is_complete = 0
    WHERE is_complete = 1 AND row_count < total_rows AND total_rows <= 1000000000;
  `,
};
