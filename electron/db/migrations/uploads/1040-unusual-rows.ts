import type { Migration } from '../../migrate.ts';

export const unusualRows: Migration = {
  number: 1_040,
  name: 'rows of a check that are sent with values outside of the range or categories of the model',
  sql: 'ALTER TABLE scan ADD COLUMN unusual_row_count INTEGER NOT NULL DEFAULT 0;',
};
