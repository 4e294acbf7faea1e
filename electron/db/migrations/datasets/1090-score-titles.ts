import type { Migration } from '../../migrate.ts';

/**
 * Earlier score runs were listed and searched by the name of their evaluator; they get their name as the title. A
 * damaged job keeps its title.
 */
export const scoreTitles: Migration = {
  number: 1_090,
  name: 'score runs are listed under their names',
  sql: `
    UPDATE job SET title = plan_json ->> '$.plan.name'
      WHERE kind = 'score' AND CASE WHEN json_valid(plan_json) THEN plan_json ->> '$.plan.name' END IS NOT NULL;
  `,
};
