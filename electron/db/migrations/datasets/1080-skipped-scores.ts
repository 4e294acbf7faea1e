import type { Migration } from '../../migrate.ts';

export const skippedScores: Migration = {
  number: 1_080,
  name: 'items without the field of a score run are skipped, not failed',
  sql: `
    UPDATE score_item SET state = 'skipped'
      WHERE state = 'failed' AND inputs_json IS NULL AND error_json ->> 'code' = 'INVALID_ARGUMENT';
  `,
};
