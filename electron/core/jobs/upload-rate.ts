/** Smoothed speed of an upload and the time left. Pure: the caller passes monotonic milliseconds. */

export interface RateState {
  /** Rows per millisecond; null until two answers are known. */
  rowsPerMs: number | null;
  lastAtMs: number;
  /** Rows answered since `lastAtMs`. */
  heldRows: number;
}

/** An observation loses two thirds of its weight after this long. */
const MEMORY_MS = 20_000;
/** Answers that come closer together than this are taken as one observation. */
const SHORTEST_MS = 250;

export function startRate(nowMs: number): RateState {
  return { rowsPerMs: null, lastAtMs: nowMs, heldRows: 0 };
}

/** Takes in `rows` answered at `nowMs`. A long pause between answers counts as slowness, so waits for limits show. */
export function observeRows(state: RateState, rows: number, nowMs: number): RateState {
  const heldRows = state.heldRows + rows;
  const elapsedMs = nowMs - state.lastAtMs;
  if (elapsedMs < SHORTEST_MS) return { ...state, heldRows };
  const seen = heldRows / elapsedMs;
  const weight = state.rowsPerMs === null ? 1 : 1 - Math.exp(-elapsedMs / MEMORY_MS);
  const rowsPerMs = (state.rowsPerMs ?? 0) * (1 - weight) + seen * weight;
  return { rowsPerMs, lastAtMs: nowMs, heldRows: 0 };
}

export function rowsPerSecond(state: RateState): number | null {
  return state.rowsPerMs === null ? null : state.rowsPerMs * 1_000;
}

/**
 * Milliseconds left: what the measured speed says, but never less than what the rate limits still demand
 * (`plannedMs`, null where not known). Null while neither is known.
 */
export function etaMs(state: RateState, rowsLeft: number, plannedMs: number | null): number | null {
  if (rowsLeft <= 0) return 0;
  const bySpeed = state.rowsPerMs === null || state.rowsPerMs <= 0 ? null : rowsLeft / state.rowsPerMs;
  if (bySpeed === null) return plannedMs;
  return Math.max(bySpeed, plannedMs ?? 0);
}
