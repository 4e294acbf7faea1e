/** Computes how long a request occupies a window: from its send until one window length after its answer. Pure. */
import type { LearnedWindow } from './learned-state.ts';

/** Minimum length of a window for which one request is tried after the reset that the service announced. */
export const LONG_WINDOW_MS = 3_600_000;

/** Margin for clocks with slightly different speeds, and for services that count in whole milliseconds. */
export const marginMs = (lengthMs: number) => 1 + lengthMs * 5e-4;

/** Requests answered after this instant still occupy the window at `atMs`. */
export function occupiedSince(window: LearnedWindow, atMs: number): number {
  const since = atMs - window.lengthMs - marginMs(window.lengthMs);
  return window.freedUntilMs === null ? since : Math.max(since, window.freedUntilMs);
}

/** The time at which a request answered at `answeredMs` leaves the window. */
export function leavesAtMs(window: LearnedWindow, answeredMs: number): number {
  // `countAfter` is strict, so the slot is free at exactly this instant.
  return answeredMs + window.lengthMs + marginMs(window.lengthMs);
}

/** The time at which the next announced reset can be tried; Infinity if there is none. */
export function nextTryMs({ lengthMs, resetAtMs, triedResetMs }: LearnedWindow, nowMs: number): number {
  const isToCome = lengthMs >= LONG_WINDOW_MS && resetAtMs !== null && resetAtMs > nowMs;
  return isToCome && resetAtMs !== triedResetMs ? resetAtMs : Number.POSITIVE_INFINITY;
}
