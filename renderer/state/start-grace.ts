/** Actions started in the window are sent a few seconds later, so that they can be cancelled until then. */

/** Delay in ms before anything is sent, so that mistakes can be cancelled. */
export const START_GRACE_MS = 5_000;

/**
 * Whether the action was started and not planned for later. Accepts twice the delay, as the clocks of windows differ.
 */
export function isAboutToStart(startAtMs: number | null, nowMs: number): boolean {
  return startAtMs !== null && startAtMs - nowMs <= 2 * START_GRACE_MS;
}

/** Countdown text: `Starting in 3 s`. */
export function startingText(startAtMs: number, nowMs: number): string {
  return `Starting in ${Math.max(0, Math.ceil((startAtMs - nowMs) / 1_000))} s`;
}
