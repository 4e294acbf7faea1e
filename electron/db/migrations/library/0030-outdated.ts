import type { Migration } from '../../migrate.ts';

export const outdated: Migration = {
  number: 30,
  name: 'what a change at the service made outdated',
  sql: `
    ALTER TABLE generation ADD COLUMN is_outdated INTEGER NOT NULL DEFAULT 0 CHECK (is_outdated IN (0, 1));
    ALTER TABLE record ADD COLUMN is_outdated INTEGER NOT NULL DEFAULT 0 CHECK (is_outdated IN (0, 1));
    -- When the service was known to have it no longer; what was stored stays readable.
    ALTER TABLE record ADD COLUMN gone_at_ms INTEGER;
  `,
};
