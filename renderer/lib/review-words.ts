/** A review in figures and words: pace, what is left, where it goes on. Pure. */
import type { Review } from '../../electron/shared/review-model.ts';
import { formatNumber } from './format.ts';

type Marks = Review['marks'];

/** Pace is that of the last minutes: what came before was another day, or another kind of span. */
const PACE_MS = 5 * 60_000;
/** Fewer decisions give no pace. */
const LEAST_DECIDED = 3;

const isDecided = (marks: Marks, position: number): boolean =>
  (marks.get(position)?.verdict ?? null) !== null;

/** The next span without a verdict after this one, from the start once the end is reached; null where all have one. */
export function nextOpen(marks: Marks, total: number, after: number): number | null {
  for (let step = 1; step <= total; step += 1) {
    const position = (after + step + total) % total;
    if (!isDecided(marks, position)) return position;
  }
  return null;
}

/** Spans a minute; null until there are enough decisions. */
function paceOf(marks: Marks, nowMs: number): number | null {
  const times = [...marks.values()]
    .filter(({ verdict, atMs }) => verdict !== null && nowMs - atMs <= PACE_MS)
    .map(({ atMs }) => atMs);
  if (times.length < LEAST_DECIDED) return null;
  const spentMs = nowMs - times.reduce((least, atMs) => Math.min(least, atMs), nowMs);
  return spentMs <= 0 ? null : (times.length / spentMs) * 60_000;
}

/** `42 a minute · about 9 min left`; empty until there is a pace. */
export function paceText(marks: Marks, total: number, decided: number, nowMs: number): string {
  const pace = paceOf(marks, nowMs);
  if (pace === null || decided >= total) return '';
  const minutes = Math.max(1, Math.round((total - decided) / pace));
  return `${formatNumber(Math.round(pace))} a minute · about ${formatNumber(minutes)} min left`;
}

/** Positions that are to be left out of the dataset, or taken in again, after a change of marks. */
export function rejections(before: Marks, after: Marks): { excluded: number[]; included: number[] } {
  const isRejected = (marks: Marks, position: number) => marks.get(position)?.verdict === 'rejected';
  const positions = [...new Set([...before.keys(), ...after.keys()])];
  return {
    excluded: positions.filter((each) => !isRejected(before, each) && isRejected(after, each)),
    included: positions.filter((each) => isRejected(before, each) && !isRejected(after, each)),
  };
}
