/** The freshness of data, in the form that the main process sends. */
import type { Freshness } from '../../electron/shared/model.ts';

/** All rows are stored and were read just now. */
export const freshRows = (rows: number): Freshness => ({
  newestMs: 1,
  oldestMs: 1,
  isStale: false,
  storedRows: rows,
  totalRows: rows,
  isComplete: true,
  source: 'stored',
  searchedRows: null,
  hasMovedWhileRead: false,
  refresh: { phase: 'idle' },
  requestId: null,
});

/** The state before any row is stored. */
export const nothingStored = (refresh: Freshness['refresh']): Freshness => ({
  ...freshRows(0),
  newestMs: null,
  oldestMs: null,
  isStale: true,
  totalRows: null,
  isComplete: false,
  source: 'none',
  refresh,
});
