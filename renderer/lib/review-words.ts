/** Texts about the progress of a review: pace, shares, remaining spans, next span. Pure. */
import type { Review } from '../../electron/shared/review-fold.ts';
import { VERDICTS } from '../../electron/shared/review-model.ts';
import { differenceAt } from '../../electron/shared/second-review.ts';
import { formatCount, formatNumber } from './format.ts';

type Marks = Review['marks'];
type Mark = NonNullable<ReturnType<Marks['get']>>;

/** The pace is measured over this time only: earlier work may have been on another day, or on another kind of span. */
const PACE_MS = 5 * 60_000;
/** Minimum number of decisions from which a pace is derived. */
const MIN_DECIDED = 3;

const isDecided = (marks: Marks, position: number | undefined): boolean =>
  position !== undefined && (marks.get(position)?.verdict ?? null) !== null;

/**
 * Position in the queue of the next span without a verdict, continuing from the start at the end; null if there is
 * none.
 */
export function nextOpen(marks: Marks, queue: readonly number[], after: number): number | null {
  for (let step = 1; step <= queue.length; step += 1) {
    const at = (after + step + queue.length) % queue.length;
    if (!isDecided(marks, queue[at])) return at;
  }
  return null;
}

/** Spans per minute; null until there are enough decisions. */
function paceOf(marks: Marks, nowMs: number): number | null {
  const times = [...marks.values()]
    .filter(({ verdict, atMs }) => verdict !== null && nowMs - atMs <= PACE_MS)
    .map(({ atMs }) => atMs);
  if (times.length < MIN_DECIDED) return null;
  const spentMs = nowMs - times.reduce((least, atMs) => Math.min(least, atMs), nowMs);
  return spentMs <= 0 ? null : (times.length / spentMs) * 60_000;
}

/** `42 a minute · about 9 min left`; empty until the pace is known. */
export function paceText(marks: Marks, total: number, decided: number, nowMs: number): string {
  const pace = paceOf(marks, nowMs);
  if (pace === null || decided >= total) return '';
  const minutes = Math.round((total - decided) / pace);
  const left = minutes === 0 ? 'less than a minute' : `about ${formatNumber(minutes)} min`;
  return `${formatNumber(Math.round(pace))} a minute · ${left} left`;
}

/** Labels with their numbers of spans, most used first. */
export function labelCounts(marks: Marks): [string, number][] {
  const counts = new Map<string, number>();
  for (const { labels } of marks.values())
    for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].sort(([one, first], [other, second]) => second - first || one.localeCompare(other));
}

/**
 * The spans to review: a verdict, `open`, `noted`, `kind:ID`, `label:NAME`, all, or the spans on which a second
 * reviewer decided differently (`different:NAME`) or named another failure kind (`other-kind:NAME`).
 */
export type ReviewFilter = string;

/** The filter for spans on which this reviewer decided differently. */
export const differentFilter = (reviewer: string): ReviewFilter => `different:${reviewer}`;
const otherKindFilter = (reviewer: string): ReviewFilter => `other-kind:${reviewer}`;

/** Whether the span at this position belongs to the filter. */
export function isInFilter(
  review: Pick<Review, 'marks' | 'kinds' | 'seconds'>,
  position: number,
  filter: ReviewFilter,
): boolean {
  for (const second of review.seconds) {
    const { reviewer } = second;
    if (filter === differentFilter(reviewer)) return differenceAt(review, second, position) === 'verdict';
    if (filter === otherKindFilter(reviewer)) return differenceAt(review, second, position) === 'kind';
  }
  return fitsFilter(review.marks.get(position), filter);
}

function fitsFilter(mark: Mark | undefined, filter: ReviewFilter): boolean {
  if (filter === 'all') return true;
  if (filter === 'open') return (mark?.verdict ?? null) === null;
  if (mark === undefined) return false;
  if (filter === 'noted') return mark.note !== '';
  if (filter.startsWith('kind:')) return mark.kindId === filter.slice('kind:'.length);
  if (filter.startsWith('label:')) return mark.labels.includes(filter.slice('label:'.length));
  return mark.verdict === filter;
}

/** Filters with at least one match, with their counts. */
export function filterOptions(
  review: Pick<Review, 'marks' | 'kinds' | 'seconds'>,
  total: number,
): { value: ReviewFilter; title: string }[] {
  const { marks, kinds, seconds } = review;
  const count = (filter: ReviewFilter) =>
    [...marks.keys()].filter((position) => isInFilter(review, position, filter)).length;
  const decided = [...marks.values()].filter(({ verdict }) => verdict !== null).length;
  const some = [
    ...VERDICTS.map((verdict) => ({ value: verdict, name: verdict })),
    { value: 'noted', name: 'with a note' },
    ...seconds.flatMap(({ reviewer }) => [
      { value: differentFilter(reviewer), name: `decided differently by ${reviewer}` },
      { value: otherKindFilter(reviewer), name: `rejected for another kind by ${reviewer}` },
    ]),
    ...kinds.map(({ kindId, name }) => ({ value: `kind:${kindId}`, name: `kind: ${name}` })),
    ...labelCounts(marks).map(([label]) => ({ value: `label:${label}`, name: `label: ${label}` })),
  ];
  return [
    { value: 'all', title: `All ${formatCount(total, 'span')}` },
    { value: 'open', title: `${formatNumber(total - decided)} open` },
    ...some.flatMap(({ value, name }) =>
      count(value) === 0 ? [] : [{ value, title: `${formatNumber(count(value))} ${name}` }],
    ),
  ];
}

interface Decided {
  accepted: number;
  edited: number;
  rejected: number;
  skipped: number;
}

const listed = (parts: readonly (readonly [number, string])[]): string[] =>
  parts.filter(([count]) => count > 0).map(([count, word]) => `${formatNumber(count)} ${word}`);

/** `19 accepted and 3 skipped`: the items added to the dataset by verdict, if the verdicts explain all of them. */
export function addedText(counts: Decided, takesSkipped: boolean, toSend: number): string {
  const parts = listed([
    [counts.accepted, 'accepted'],
    [counts.edited, 'edited'],
    [takesSkipped ? counts.skipped : 0, 'skipped'],
  ]);
  const sum = counts.accepted + counts.edited + (takesSkipped ? counts.skipped : 0);
  // The sum can differ: spans without a verdict can be added too, and accepted ones can already be in the dataset.
  return sum !== toSend || parts.length === 0 ? formatCount(toSend, 'item') : parts.join(' and ');
}

/** `8 rejected and 3 skipped left out of the dataset.`; empty if no span is left out. */
export function leftOutText(counts: Decided, takesSkipped: boolean): string {
  const parts = listed([
    [counts.rejected, 'rejected'],
    [takesSkipped ? 0 : counts.skipped, 'skipped'],
  ]);
  return parts.length === 0 ? '' : `${parts.join(' and ')} left out of the dataset.`;
}
