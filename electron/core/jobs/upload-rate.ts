/** Measures the speed of an upload and estimates the remaining time. Pure: the caller passes monotonic milliseconds. */

import { elementAt } from '../element-at.ts';

interface Mark {
  atMs: number;
  /** Number of rows answered by that time. */
  rows: number;
}

/** Progress every few seconds. The first entry is the start, or the oldest one that still counts. */
export interface RateState {
  marks: readonly [Mark, ...Mark[]];
}

/**
 * Period over which the speed is measured. Limits apply per minute, so several minutes contain bursts and waits in
 * representative shares. Over a shorter period, the wait after a burst would be taken for the speed.
 */
const MEMORY_MS = 150_000;
/** Answers within this time share an entry. */
const STEP_MS = 5_000;
/** Minimum period for a reliable speed. */
const SHORTEST_MS = 250;

export function startRate(nowMs: number): RateState {
  return { marks: [{ atMs: nowMs, rows: 0 }] };
}

/** Adds `rows` answered at `nowMs`. A long pause between answers lowers the speed, so waits for limits are included. */
export function observeRows({ marks }: RateState, rows: number, nowMs: number): RateState {
  const answered = elementAt(marks, marks.length - 1).rows + rows;
  const isOpen = nowMs - (marks.at(-2)?.atMs ?? nowMs - STEP_MS) < STEP_MS;
  const known = isOpen ? marks.slice(0, -1) : marks;
  const late = known.findLastIndex(({ atMs }) => atMs <= nowMs - MEMORY_MS);
  const kept = known.slice(Math.max(0, late));
  return { marks: [elementAt(kept, 0), ...kept.slice(1), { atMs: nowMs, rows: answered }] };
}

/** True if no answer was added yet. */
export function isUnobserved({ marks }: RateState): boolean {
  return marks.length === 1;
}

/** Null until there are two answers, or until some time after the first. */
function rowsPerMs({ marks }: RateState): number | null {
  const [first] = marks;
  const last = elementAt(marks, marks.length - 1);
  const elapsedMs = last.atMs - first.atMs;
  return elapsedMs < SHORTEST_MS ? null : (last.rows - first.rows) / elapsedMs;
}

export function rowsPerSecond(state: RateState): number | null {
  const rate = rowsPerMs(state);
  return rate === null ? null : rate * 1_000;
}

/**
 * Remaining milliseconds, estimated from the measured speed, but at least the time that the rate limits still require
 * (`plannedMs`; null if unknown). Null if neither is known.
 */
export function etaMs(state: RateState, rowsLeft: number, plannedMs: number | null): number | null {
  if (rowsLeft <= 0) return 0;
  const rate = rowsPerMs(state);
  const bySpeed = rate === null || rate <= 0 ? null : rowsLeft / rate;
  if (bySpeed === null) return plannedMs;
  return Math.max(bySpeed, plannedMs ?? 0);
}
