/** SQL over what is stored: the views there are, and what a query answers. */
import type { ListQuery } from './model.ts';

/** One stored list as SQL names it. */
export interface SqlView {
  name: string;
  query: ListQuery;
  storedRows: number;
  isComplete: boolean;
  oldestMs: number | null;
}

export interface SqlColumn {
  name: string;
  /** As the engine names it: BIGINT, DECIMAL(18,3), TIMESTAMP WITH TIME ZONE, JSON. */
  type: string;
}

/** Values are JSON: whole numbers past 32 bits, decimals and times are texts with all digits. */
export interface SqlPage {
  columns: SqlColumn[];
  rows: unknown[][];
}
