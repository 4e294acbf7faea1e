import type { RateLimiter } from './rate-limiter.ts';
import { LONG_WINDOW_MS } from './window-places.ts';

const MAX_PERMITS = 60;
const LOST_MS = 2_000;

/**
 * Maximum number of permits that may be recorded in advance. If the process is killed, at most two seconds of allowance
 * are lost.
 */
export function mostSpare(limiter: RateLimiter): number {
  const { isProbing, windows } = limiter.state;
  if (isProbing) return 0;
  let most = MAX_PERMITS;
  for (const window of windows) {
    if (window.lengthMs >= LONG_WINDOW_MS) return 0;
    most = Math.min(most, Math.floor((limiter.allowed(window) * LOST_MS) / window.lengthMs));
  }
  return most;
}
