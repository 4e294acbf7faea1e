import type { Migration } from '../../migrate.ts';

export const droppedName: Migration = {
  number: 1_010,
  name: 'the name that a file being prepared was dropped under',
  sql: `
    -- With the names of the folders that were dropped; null for one from before.
    ALTER TABLE preparation ADD COLUMN name TEXT;
  `,
};
