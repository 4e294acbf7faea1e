/** Speed of an upload and the time left. Pure: the caller passes monotonic milliseconds. */

interface Mark {
  atMs: number;
  /** Rows answered up to then. */
  rows: number;
}

/** Answers so far, every few seconds: the start, or the oldest that counts, comes first. */
export interface RateState {
  marks: readonly [Mark, ...Mark[]];
}

/**
 * The speed is that of so much time. Limits are counted by the minute, so some minutes in a row hold bursts and waits in
 * the shares that all of the upload has; a shorter time takes the wait after a burst for the speed.
 */
const MEMORY_MS = 150_000;
/** Answers that come closer together than this share a mark. */
const STEP_MS = 5_000;
/** Less than this tells no speed. */
const SHORTEST_MS = 250;

export function startRate(nowMs: number): RateState {
  return { marks: [{ atMs: nowMs, rows: 0 }] };
}

/** Takes in `rows` answered at `nowMs`. A long pause between answers counts as slowness, so waits for limits show. */
export function observeRows({ marks }: RateState, rows: number, nowMs: number): RateState {
  const answered = (marks.at(-1)?.rows ?? 0) + rows;
  const isOpen = nowMs - (marks.at(-2)?.atMs ?? nowMs - STEP_MS) < STEP_MS;
  const known = isOpen ? marks.slice(0, -1) : marks;
  const late = known.findLastIndex(({ atMs }) => atMs <= nowMs - MEMORY_MS);
  const [first = marks[0], ...others] = known.slice(Math.max(0, late));
  return { marks: [first, ...others, { atMs: nowMs, rows: answered }] };
}

/** No answer was taken in yet. */
export function isUnobserved({ marks }: RateState): boolean {
  return marks.length === 1;
}

/** Null until two answers, or the first after a moment, are known. */
function rowsPerMs({ marks }: RateState): number | null {
  const [first] = marks;
  const last = marks.at(-1) ?? first;
  const elapsedMs = last.atMs - first.atMs;
  return elapsedMs < SHORTEST_MS ? null : (last.rows - first.rows) / elapsedMs;
}

export function rowsPerSecond(state: RateState): number | null {
  const rate = rowsPerMs(state);
  return rate === null ? null : rate * 1_000;
}

/**
 * Milliseconds left: what the measured speed says, but never less than what the rate limits still demand
 * (`plannedMs`, null where not known). Null while neither is known.
 */
export function etaMs(state: RateState, rowsLeft: number, plannedMs: number | null): number | null {
  if (rowsLeft <= 0) return 0;
  const rate = rowsPerMs(state);
  const bySpeed = rate === null || rate <= 0 ? null : rowsLeft / rate;
  if (bySpeed === null) return plannedMs;
  return Math.max(bySpeed, plannedMs ?? 0);
}
