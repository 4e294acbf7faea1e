/** Actions started in the window are sent a few seconds later: until then they can be cancelled. */

/** Delay in ms before anything is sent, so that mistakes can be cancelled. */
export const START_GRACE_MS = 5_000;

/** Whether it was started, not planned for later; twice the delay, as the clocks of windows differ. */
export function isAboutToStart(startAtMs: number | null, nowMs: number): boolean {
  return startAtMs !== null && startAtMs - nowMs <= 2 * START_GRACE_MS;
}

/** `Starting in 3 s` */
export function startingText(startAtMs: number, nowMs: number): string {
  return `Starting in ${Math.max(0, Math.ceil((startAtMs - nowMs) / 1_000))} s`;
}
