import type { Migration } from '../../migrate.ts';

export const problems: Migration = {
  number: 1_020,
  name: 'problems that a check found, and rows that repairs made good',
  sql: `
    ALTER TABLE scan ADD COLUMN repaired_row_count INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE scan ADD COLUMN problems_json TEXT NOT NULL DEFAULT '[]';
  `,
};
