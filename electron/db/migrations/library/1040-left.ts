import type { Migration } from '../../migrate.ts';

export const left: Migration = {
  number: 1_040,
  name: 'what made room for others',
  sql: `
    -- Of the rows that were removed; beside removed_at_ms.
    ALTER TABLE list ADD COLUMN removed_bytes INTEGER;
    CREATE INDEX list_by_removal ON list (removed_at_ms DESC) WHERE removed_at_ms IS NOT NULL;
  `,
};
