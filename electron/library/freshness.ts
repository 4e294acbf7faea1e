/** When something was fetched and how much of the whole is here. Pure. */
import type { Generation, StoredRecord } from '../db/library-rows.ts';
import type { StoredList } from '../db/list-store.ts';
import type { Freshness, TimeRange } from '../shared/model.ts';
import type { Derivation } from './derive.ts';

/** Where the rows of a list come from. */
export type Source =
  | { kind: 'none'; removed: StoredList['removed'] }
  | { kind: 'own'; generation: Generation }
  | { kind: 'derived'; rule: Derivation['rule']; generation: Generation; positions: readonly number[] };

export type Refresh = Freshness['refresh'];

interface Now {
  nowMs: number;
  staleAfterMs: number;
}

/** Older than the setting allows. A clock that was set back must not make old rows look fresh for years. */
function isStale(fetchedAtMs: number | null, { nowMs, staleAfterMs }: Now): boolean {
  return fetchedAtMs === null || Math.abs(nowMs - fetchedAtMs) > staleAfterMs;
}

/** To be read again: old, or something changed at the service since. */
export function isListStale(shown: Pick<Generation, 'oldestMs' | 'isOutdated'>, now: Now): boolean {
  return shown.isOutdated || isStale(shown.oldestMs, now);
}

export function isRecordStale(stored: StoredRecord | null, now: Now): boolean {
  if (stored?.isOutdated === true && stored.goneAtMs === null) return true;
  return isStale(stored?.goneAtMs ?? stored?.fetchedAtMs ?? null, now);
}

/** No list has more rows: such a total cannot be. */
const MOST_ROWS = 1_000_000_000;

/**
 * Does the total that the service states contradict its pages? They ended elsewhere, one below it was empty, or more
 * rows came than it says there are.
 */
export function isTotalWrong(generation: Generation): boolean {
  const { totalRows, isComplete, rowCount, endPosition, hasMoved, isTotalRefuted } = generation;
  if (totalRows === null) return false;
  if (isComplete) return totalRows !== rowCount && !hasMoved;
  return isTotalRefuted || totalRows > MOST_ROWS || totalRows < endPosition;
}

/** `storedRange`: where nothing is stored, the range for which something is. */
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
