import type { Migration } from '../../migrate.ts';

export const searchChanges: Migration = {
  number: 1_010,
  name: 'what the search index has to read again',
  sql: `
    -- Written with the rows, read and removed by the index: positions of a reading, the last one not included.
    CREATE TABLE search_change (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      generation_id INTEGER NOT NULL,
      from_position INTEGER NOT NULL,
      to_position INTEGER NOT NULL
    ) STRICT;
  `,
};
