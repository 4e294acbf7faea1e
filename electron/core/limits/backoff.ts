/** Increasing waits between attempts. Pure. */

const BACKOFF_BASE_MS = 500;
const BACKOFF_MAX_MS = 60_000;

/** Full jitter: between zero and the doubled base, in addition to the service's own wait. */
export function backoffMs(
  failures: number,
  random: number,
  baseMs = BACKOFF_BASE_MS,
  maxMs = BACKOFF_MAX_MS,
) {
  return random * Math.min(maxMs, baseMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
}
