/** Texts about search results and about how much was searched. Pure. */
import type {
  SearchAnswer,
  SearchGroup,
  SearchKind,
  SearchReach,
  TextRange,
} from '../../electron/shared/search-contract.ts';
import { formatCount, formatMoment, formatNumber } from './format.ts';

export const KIND_WORDS: Readonly<Record<SearchKind, { title: string; one: string; many: string }>> = {
  names: { title: 'Names', one: 'entity', many: 'entities' },
  attributes: { title: 'Attributes', one: 'attribute', many: 'attributes' },
  resources: { title: 'Resources', one: 'resource', many: 'resources' },
  uploads: { title: 'Uploads', one: 'upload', many: 'uploads' },
  items: { title: 'Dataset items', one: 'item', many: 'items' },
  results: { title: 'Results', one: 'result', many: 'results' },
  spans: { title: 'Spans', one: 'span', many: 'spans' },
  values: { title: 'Values', one: 'value', many: 'values' },
};

/** Whether everything stored was searched. Otherwise the counts are lower bounds. */
const isWholeAnswer = ({ rowsLeft, isCut }: Pick<SearchAnswer, 'rowsLeft' | 'isCut'>): boolean =>
  rowsLeft === 0 && !isCut;

/** `12`; `500+` if counting stopped there or not everything was searched. */
export function countText(
  { count, hasMore }: Pick<SearchGroup, 'count' | 'hasMore'>,
  answer: Pick<SearchAnswer, 'rowsLeft' | 'isCut'>,
): string {
  return `${formatNumber(count)}${hasMore || !isWholeAnswer(answer) ? '+' : ''}`;
}

/** Totals over all groups. */
export function sumOf(groups: readonly SearchGroup[]): Pick<SearchGroup, 'count' | 'hasMore'> {
  return {
    count: groups.reduce((sum, { count }) => sum + count, 0),
    hasMore: groups.some(({ hasMore }) => hasMore),
  };
}

/**
 * How much of a kind is stored and was therefore searched: `6,290 of 10,148 entities · 13:58`. The time is the age of
 * the oldest row.
 */
export function reachText(kind: SearchKind, reach: SearchReach, nowMs: number): string {
  const { one, many } = KIND_WORDS[kind];
  const { storedRows, isAtLeast, totalRows, isComplete, oldestMs } = reach;
  if (storedRows === 0) return `no ${many} stored`;
  const isAll = isComplete || (totalRows !== null && storedRows >= totalRows);
  const part = isAtLeast
    ? `at least ${formatCount(storedRows, one, many)} stored`
    : isAll
      ? `all ${formatCount(storedRows, one, many)}`
      : totalRows === null
        ? `${formatCount(storedRows, one, many)} stored`
        : `${formatNumber(storedRows)} of ${formatCount(totalRows, one, many)}`;
  return oldestMs === null ? part : `${part} · ${formatMoment(oldestMs, nowMs)}`;
}

/** Stored share of a kind, from 0 to 1; null if the total is unknown. */
export function reachShare({ storedRows, totalRows }: SearchReach): number | null {
  return totalRows === null || totalRows === 0 ? null : Math.min(1, storedRows / totalRows);
}

/** The line under the search field: how much of all kinds was searched, and the age of the oldest content. */
export function wholeReachText({ groups }: Pick<SearchAnswer, 'groups'>, nowMs: number): string {
  const storedRows = groups.reduce((sum, { reach }) => sum + reach.storedRows, 0);
  if (storedRows === 0) return 'Nothing is stored yet. What you open is stored and can be found here.';
  const isTotalKnown = groups.every(({ reach }) => reach.totalRows !== null);
  const isLeast = groups.some(({ reach }) => reach.isAtLeast);
  const stored = `${isLeast ? 'at least ' : ''}${formatCount(storedRows, 'record')}`;
  const totalRows = groups.reduce((sum, { reach }) => sum + (reach.totalRows ?? reach.storedRows), 0);
  const oldest = groups.flatMap(({ reach }) => reach.oldestMs ?? []);
  const from = oldest.length === 0 ? '' : ` The oldest is from ${formatMoment(Math.min(...oldest), nowMs)}.`;
  if (storedRows >= totalRows) {
    return isTotalKnown
      ? `Searched all ${stored} of the lists that are stored here.${from}`
      : `Searched ${isLeast ? '' : 'the '}${stored} that are stored here.${from}`;
  }
  const about = isTotalKnown ? '' : 'at least ';
  return `Searched the ${formatNumber(storedRows)} of ${about}${formatCount(totalRows, 'record')} that are stored here.${from}`;
}

/** Splits a text into the matches and the parts between them. */
export function partsOf(text: string, ranges: readonly TextRange[]): { text: string; isFound: boolean }[] {
  const parts: { text: string; isFound: boolean }[] = [];
  let at = 0;
  for (const [from, to] of ranges) {
    if (from > at) parts.push({ text: text.slice(at, from), isFound: false });
    parts.push({ text: text.slice(from, to), isFound: true });
    at = to;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isFound: false });
  return parts;
}

export const TIMES = [
  { value: 'any', title: 'Any time' },
  { value: '1', title: 'Last 24 hours' },
  { value: '7', title: 'Last 7 days' },
  { value: '30', title: 'Last 30 days' },
] as const;
