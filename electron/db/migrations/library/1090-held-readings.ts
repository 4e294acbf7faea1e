import type { Migration } from '../../migrate.ts';

export const heldReadings: Migration = {
  number: 1_090,
  name: 'replaced readings of kept lists that are held until the next whole one',
  sql: `
    -- A view shows its own, unfinished reading of a kept list instead. The next reading that ends takes over the rows.
    ALTER TABLE generation ADD COLUMN is_held INTEGER NOT NULL DEFAULT 0 CHECK (is_held IN (0, 1));
    CREATE INDEX generation_held ON generation (list_id) WHERE is_held = 1;
  `,
};
