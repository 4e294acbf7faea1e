import type { Migration } from '../../migrate.ts';

/** Older ones were listed and searched under the name of their evaluator. */
export const scoreTitles: Migration = {
  number: 1_090,
  name: 'score runs are listed under their names',
  sql: `
    UPDATE job SET title = plan_json ->> '$.plan.name'
      WHERE kind = 'score' AND plan_json ->> '$.plan.name' IS NOT NULL;
  `,
};
