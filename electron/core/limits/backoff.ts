/** Increasing waits between attempts. Pure. */

const BACKOFF_BASE_MS = 500;
const BACKOFF_MAX_MS = 60_000;

/** Full jitter: a random wait between zero and the doubled base, added to the wait that the service asks for. */
export function backoffMs(
  failures: number,
  random: number,
  baseMs = BACKOFF_BASE_MS,
  maxMs = BACKOFF_MAX_MS,
) {
  return random * Math.min(maxMs, baseMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
}
