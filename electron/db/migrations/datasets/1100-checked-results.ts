import type { Migration } from '../../migrate.ts';

export const checkedResults: Migration = {
  number: 1_100,
  name: 'checks over the results of an experiment',
  sql: 'ALTER TABLE score_item ADD COLUMN result_ids_json TEXT;',
};
