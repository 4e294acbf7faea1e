import type { Migration } from '../../migrate.ts';

export const valueLedger: Migration = {
  number: 1_030,
  name: 'what a check says of changed values, and which columns can be read in two ways',
  sql: `
    ALTER TABLE scan ADD COLUMN ledger_json TEXT NOT NULL DEFAULT '{"changes":[],"leftOut":[],"decisions":[]}';
    ALTER TABLE scan ADD COLUMN questions_json TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE scan ADD COLUMN proposed_json TEXT NOT NULL DEFAULT '[]';
  `,
};
