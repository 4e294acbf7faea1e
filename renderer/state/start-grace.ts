/** What a person begins in the window is sent a few seconds later: until then a press takes it back. */

/** Nothing is sent before it: what was pressed by mistake can be taken back. */
export const START_GRACE_MS = 5_000;

/** It was begun, not planned for later; a little more than the grace, as clocks of windows tick apart. */
export function isAboutToStart(startAtMs: number | null, nowMs: number): boolean {
  return startAtMs !== null && startAtMs - nowMs <= 2 * START_GRACE_MS;
}

/** `Starting in 3 s` */
export function startingText(startAtMs: number, nowMs: number): string {
  return `Starting in ${Math.max(0, Math.ceil((startAtMs - nowMs) / 1_000))} s`;
}
