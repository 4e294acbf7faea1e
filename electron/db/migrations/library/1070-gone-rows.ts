import type { Migration } from '../../migrate.ts';

export const goneRows: Migration = {
  number: 1_070,
  name: 'rows of kept lists that the service no longer returns',
  sql: `
    -- Rows at the end of a reading that come from the reading before: the service did not return them again.
    ALTER TABLE generation ADD COLUMN carried_count INTEGER NOT NULL DEFAULT 0;
    -- Those of them that a complete reading did not find.
    ALTER TABLE generation ADD COLUMN gone_count INTEGER NOT NULL DEFAULT 0;
  `,
};
