import type { Migration } from '../../migrate.ts';

/** Older ones were listed and searched under the name of their evaluator. A damaged job keeps its title. */
export const scoreTitles: Migration = {
  number: 1_090,
  name: 'score runs are listed under their names',
  sql: `
    UPDATE job SET title = plan_json ->> '$.plan.name'
      WHERE kind = 'score' AND CASE WHEN json_valid(plan_json) THEN plan_json ->> '$.plan.name' END IS NOT NULL;
  `,
};
