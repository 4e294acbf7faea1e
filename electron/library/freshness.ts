/** Describes when data was fetched, and how much of the whole is stored. Pure. */
import type { Generation, StoredRecord } from '../db/library-rows.ts';
import type { StoredList } from '../db/list-store.ts';
import type { Freshness, TimeRange } from '../shared/model.ts';
import { MAX_LIST_ROWS } from './completeness.ts';
import type { Derivation } from './derive.ts';
import type { Positions } from './positions.ts';

/** The source of a list's rows. */
export type Source =
  | { kind: 'none'; removed: StoredList['removed'] }
  | { kind: 'own'; generation: Generation }
  | { kind: 'derived'; rule: Derivation['rule']; generation: Generation; positions: Positions };

export type Refresh = Freshness['refresh'];

interface Now {
  nowMs: number;
  staleAfterMs: number;
}

/**
 * Whether data is older than the setting allows. Uses the absolute difference, because after a clock was set back old
 * rows would look fresh for years.
 */
function isStale(fetchedAtMs: number | null, { nowMs, staleAfterMs }: Now): boolean {
  return fetchedAtMs === null || Math.abs(nowMs - fetchedAtMs) > staleAfterMs;
}

/**
 * Whether data was read at `notBeforeMs` or later. A time in the future does not count, because it was written before
 * the clock was set back.
 */
export function isReadSince(fetchedAtMs: number, notBeforeMs: number, nowMs: number): boolean {
  return fetchedAtMs >= notBeforeMs && fetchedAtMs <= nowMs;
}

/** Whether the list must be read again, because it is old or something changed at the service since. */
export function isListStale(shown: Pick<Generation, 'oldestMs' | 'isOutdated'>, now: Now): boolean {
  return shown.isOutdated || isStale(shown.oldestMs, now);
}

export function isRecordStale(stored: StoredRecord | null, now: Now): boolean {
  if (stored?.isOutdated === true && stored.goneAtMs === null) return true;
  return isStale(stored?.goneAtMs ?? stored?.fetchedAtMs ?? null, now);
}

/**
 * Whether the pages contradict the stated total: they ended elsewhere, a page below it was empty, or more rows arrived.
 */
export function isTotalWrong(generation: Generation): boolean {
  const { totalRows, isEnded, isComplete, endPosition, hasMoved, isTotalRefuted } = generation;
  if (totalRows === null) return false;
  if (isEnded) return isComplete && totalRows !== returnedRowsOf(generation) && !hasMoved;
  return isTotalRefuted || totalRows > MAX_LIST_ROWS || totalRows < endPosition;
}

/** Number of rows that the service returned in this reading. */
export const returnedRowsOf = ({
  rowCount,
  carriedRows,
}: Pick<Generation, 'rowCount' | 'carriedRows'>): number => rowCount - carriedRows;

/**
 * Number of rows that are missing although the list was read to its end, according to the stated total; null if that
 * total is inconclusive. Undefined if none are missing, or if the reading has not ended.
 */
export function missingRowsOf(
  generation: Pick<Generation, 'isEnded' | 'isComplete' | 'totalRows' | 'rowCount' | 'carriedRows'>,
): number | null | undefined {
  const { isEnded, isComplete, totalRows } = generation;
  if (!isEnded || isComplete) return undefined;
  const returned = returnedRowsOf(generation);
  return totalRows !== null && totalRows > returned ? totalRows - returned : null;
}

/** `storedRange`: the time range for which data is stored, if none is stored for the requested one. */
export function freshnessOfList(
  source: Source,
  refresh: Refresh,
  now: Now,
  storedRange: TimeRange | null,
): Freshness {
  if (source.kind === 'none') {
    const { removed } = source;
    return { ...nothing(storedRange), refresh, ...(removed === null ? {} : { removed }) };
  }
  const { generation } = source;
  const isDerived = source.kind === 'derived';
  const missingRows = missingRowsOf(generation);
  return {
    newestMs: generation.newestMs,
    oldestMs: generation.oldestMs,
    isStale: isListStale(generation, now),
    storedRows: isDerived ? source.positions.length : generation.rowCount,
    totalRows: isDerived ? source.positions.length : generation.totalRows,
    isComplete: generation.isComplete,
    source: !isDerived ? 'stored' : source.rule === 'stated' ? 'derived' : 'assumed',
    searchedRows: isDerived ? generation.rowCount : null,
    hasMovedWhileRead: generation.hasMoved,
    refresh,
    requestId: generation.requestId,
    ...(!isDerived && isTotalWrong(generation) ? { isTotalWrong: true } : {}),
    ...(missingRows === undefined ? {} : { missingRows: isDerived ? null : missingRows }),
    ...(!isDerived && generation.goneRows > 0 ? { goneRows: generation.goneRows } : {}),
  };
}

export function freshnessOfRecord(
  stored: StoredRecord | null,
  refresh: Refresh,
  now: Now,
  storedRange: TimeRange | null,
): Freshness {
  if (stored === null) return { ...nothing(storedRange), refresh };
  return {
    ...NOTHING,
    newestMs: stored.fetchedAtMs,
    oldestMs: stored.fetchedAtMs,
    isStale: isRecordStale(stored, now),
    storedRows: 1,
    totalRows: 1,
    isComplete: true,
    source: 'stored',
    refresh,
    requestId: stored.requestId,
  };
}

function nothing(storedRange: TimeRange | null): Omit<Freshness, 'refresh'> {
  return storedRange === null ? NOTHING : { ...NOTHING, storedRange };
}

const NOTHING: Omit<Freshness, 'refresh'> = {
  newestMs: null,
  oldestMs: null,
  isStale: true,
  storedRows: 0,
  totalRows: null,
  isComplete: false,
  source: 'none',
  searchedRows: null,
  hasMovedWhileRead: false,
  requestId: null,
};
