import type { Migration } from '../../migrate.ts';

export const refutedTotals: Migration = {
  number: 60,
  name: 'totals that a page has refuted',
  sql: `
    -- A page below the stated total came back empty: the list does not reach that far.
    ALTER TABLE generation ADD COLUMN is_total_refuted INTEGER NOT NULL DEFAULT 0
      CHECK (is_total_refuted IN (0, 1));
  `,
};
