import type { Migration } from '../../migrate.ts';

export const otherReadings: Migration = {
  number: 1_050,
  name: 'other quotes by which rows of a check can be read',
  sql: 'ALTER TABLE scan ADD COLUMN other_reading_json TEXT;',
};
