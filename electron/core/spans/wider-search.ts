/**
 * Searches again for spans named in a 422, in successively wider time ranges, within a maximum number of calls. A call
 * that is rejected for them again writes nothing (SERVICE.md S4.9 rule 4), so retrying is harmless. Pure.
 */
import { rangeText } from '../../shared/count-text.ts';
import { MAX_SEARCH_CALLS, type TimeRange, type WiderSearch } from '../../shared/dataset-model.ts';
import { isoOf, startMsOf } from './call-range.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Margins added on both sides, in order of use. */
const MARGINS_MS: readonly number[] = [HOUR_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 365 * DAY_MS];
/** The order for reads, because a single read of the widest range is enough if the service answers it. */
export const WIDEST_FIRST: readonly number[] = MARGINS_MS.toReversed();

/** A search without a margin yet: spans that were found are sent first, as usual. */
export const NEW_SEARCH: WiderSearch = { marginMs: 0, calls: 0, found: [], isRefused: false, end: null };

/** The margin of the next call; null if it is sent with the usual margin. */
export function searchMargin(search: WiderSearch | null): number | null {
  return search === null || search.end !== null || search.marginMs === 0 ? null : search.marginMs;
}

/** The next step after all found spans were sent. `usualMs`: the margin of every ordinary call. */
export function nextSearch(search: WiderSearch, unresolved: number, usualMs: number): WiderSearch {
  if (unresolved === 0) return { ...search, end: 'all-found' };
  if (search.isRefused) return { ...search, end: 'refused' };
  const wider = MARGINS_MS.find((marginMs) => marginMs > Math.max(search.marginMs, usualMs));
  if (wider === undefined) return { ...search, end: 'widest' };
  if (search.calls >= MAX_SEARCH_CALLS) return { ...search, end: 'allowance' };
  return { ...search, marginMs: wider };
}

export function withCall(search: WiderSearch): WiderSearch {
  return { ...search, calls: search.calls + 1 };
}

export function withFound(search: WiderSearch, spans: number): WiderSearch {
  const { marginMs } = search;
  const before = search.found.find((each) => each.marginMs === marginMs)?.spans ?? 0;
  const others = search.found.filter((each) => each.marginMs !== marginMs);
  return { ...search, found: [...others, { marginMs, spans: before + spans }] };
}

/** An invalid bound stays unchanged. */
export function widened(range: TimeRange, marginMs: number): TimeRange {
  const [start, end] = [startMsOf(range.startTime), startMsOf(range.endTime)];
  return {
    startTime: start === null ? range.startTime : isoOf(start - marginMs),
    endTime: end === null ? range.endTime : isoOf(end + marginMs),
  };
}

/** Text that says why the other spans were not found, and what follows from it. */
export function notFoundText(count: number, { end, marginMs }: WiderSearch): string {
  const spans = count === 1 ? '1 span was' : `${count} spans were`;
  const range = `up to ${rangeText(marginMs)} before and after ${count === 1 ? 'its start' : 'their starts'}`;
  if (end === 'widest') {
    return `${spans} not found ${range}. The service most likely no longer has ${count === 1 ? 'it' : 'them'}.`;
  }
  if (end === 'refused') {
    return `${spans} not found. The service refused to search ${range}.`;
  }
  return `${spans} not found ${range}. The search ended after ${MAX_SEARCH_CALLS} requests.`;
}
