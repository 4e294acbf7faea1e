import type { Migration } from '../../migrate.ts';

export const answerTimeout: Migration = {
  number: 20,
  name: 'time-out of a connection',
  sql: `
    -- Seconds; NULL for the usual time.
    ALTER TABLE connection ADD COLUMN answer_timeout_s INTEGER CHECK (answer_timeout_s BETWEEN 5 AND 3600);
  `,
};
