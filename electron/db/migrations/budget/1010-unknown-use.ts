import type { Migration } from '../../migrate.ts';

export const unknownUse: Migration = {
  number: 1_010,
  name: 'the time before which use is not known',
  sql: `
    -- One row if permits were lost: requests sent before that ledger time are not recorded. Null: the time at which the
    -- next process opens the file.
    CREATE TABLE unknown_use (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      before_ms REAL
    ) STRICT;
  `,
};
