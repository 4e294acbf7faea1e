/** Steps down after a refusal (429) and up again in quiet times, and how long a refusal parks a lane. */
import { initialState, newWindow } from './learned-state.ts';
import { MAX_WAIT_MS } from './limits.ts';
import type { RateReading } from './rate-headers.ts';
import type { AnswerFacts } from './rate-learning.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Wait after a 429 that does not say how long. */
const DEFAULT_WAIT_MS = 1_000;
const BACKOFF_BASE_MS = 500;
const BACKOFF_MAX_MS = 60_000;
const MIN_FACTOR = 0.25;
const QUIET_MS = 60_000;
const OFF_STEP_MS = 10_000;
const OFF_MAX_FACTOR = 4;
/** A lane whose limit nobody knows has at most so many requests in flight ... */
export const MAX_IN_FLIGHT = 8;
/** ... and one more after so many good answers for each of those it may have. */
export const GROWS_AFTER = 8;
const SOFT_LENGTH_MS = 1_000;
const SOFT_MAX_LENGTH_MS = 60_000;
const SOFT_FORGOTTEN_COUNT = 100;

/** Full jitter: anywhere between nothing and the doubled base, on top of the service's own wait. */
export function backoffMs(
  failures: number,
  random: number,
  baseMs = BACKOFF_BASE_MS,
  maxMs = BACKOFF_MAX_MS,
) {
  return random * Math.min(maxMs, baseMs * 2 ** Math.min(30, Math.max(0, failures - 1)));
}

export function learnRefusal(
  limiter: RateLimiter,
  reading: RateReading,
  facts: AnswerFacts,
  isExplained: boolean,
): boolean {
  const { state } = limiter;
  state.refusals++;
  state.refusalStreak++;
  state.isProbing = true;
  state.steppedAtMs = facts.receivedAtMs;
  state.successes = 0;
  park(limiter, reading, facts);
  if (!reading.hasRateHeaders) state.isSilenceMeaningless = true;
  if (state.source === 'off') {
    const fresh = initialState(limiter.category, facts.receivedAtMs);
    Object.assign(state, {
      source: fresh.source,
      windows: fresh.windows,
      inFlightLimit: fresh.inFlightLimit,
    });
    state.factor = 1;
    return true;
  }
  if (state.source === 'adapting') stepDown(limiter, facts);
  else if (!isExplained && pressure(limiter, facts.sentAtMs) >= 0.8) {
    // Nobody else used the token and we kept to the limit as we know it: the service counts more strictly.
    state.factor = Math.max(MIN_FACTOR, state.factor * 0.85);
  }
  return true;
}

/**
 * Parks the lane for at least what the service asks, as far as that can be believed; also for a 503 with Retry-After.
 */
export function park(limiter: RateLimiter, reading: RateReading, facts: AnswerFacts): void {
  const { state } = limiter;
  const askedMs = reading.retryAfterMs ?? DEFAULT_WAIT_MS;
  if (askedMs > MAX_WAIT_MS) state.isWaitCut = true;
  const floorMs = Math.min(askedMs, MAX_WAIT_MS);
  const jitterMs = backoffMs(state.refusalStreak, facts.random);
  const untilMs = facts.receivedAtMs + floorMs + 1 + jitterMs;
  state.parkedUntilMs = Math.max(state.parkedUntilMs ?? 0, untilMs);
}

/** Highest share of a window's allowance that our own requests took. */
function pressure(limiter: RateLimiter, atMs: number): number {
  let highest = 0;
  for (const window of limiter.state.windows) {
    highest = Math.max(highest, limiter.ownUse(window, atMs) / limiter.allowed(window));
  }
  return highest;
}

function stepDown(limiter: RateLimiter, facts: AnswerFacts): void {
  const { state } = limiter;
  state.inFlightLimit = Math.max(1, Math.floor((state.inFlightLimit ?? 1) / 2));
  const soft = state.windows.find((window) => window.isSoft);
  if (soft === undefined) {
    const recent = limiter.inFlight + limiter.answeredSince(facts.receivedAtMs - SOFT_LENGTH_MS);
    state.windows.push(newWindow(Math.max(1, Math.floor(recent / 2)), SOFT_LENGTH_MS, true));
  } else if (soft.count > 1) {
    soft.count = Math.floor(soft.count / 2);
  } else {
    soft.lengthMs = Math.min(SOFT_MAX_LENGTH_MS, soft.lengthMs * 2);
  }
}

/** An answer that is no refusal. */
export function learnQuiet(limiter: RateLimiter, facts: AnswerFacts): boolean {
  const { state } = limiter;
  const wasRefused = state.isProbing;
  state.refusalStreak = 0;
  state.isProbing = false;
  state.successes++;
  const quietMs = facts.receivedAtMs - state.steppedAtMs;
  let isChanged = wasRefused;
  if (state.source === 'off' && state.windows.length > 0) {
    if (
      quietMs >= OFF_STEP_MS &&
      state.factor < OFF_MAX_FACTOR &&
      pressure(limiter, facts.receivedAtMs) >= 0.8
    ) {
      state.factor = Math.min(OFF_MAX_FACTOR, state.factor * 1.25);
      isChanged = true;
    }
  } else if (state.factor < 1 && quietMs >= QUIET_MS) {
    state.factor = Math.min(1, state.factor + 0.05);
    isChanged = true;
  }
  if (stepUp(limiter, quietMs, facts)) isChanged = true;
  if (isChanged) state.steppedAtMs = facts.receivedAtMs;
  return isChanged;
}

function stepUp(limiter: RateLimiter, quietMs: number, facts: AnswerFacts): boolean {
  const { state } = limiter;
  let isChanged = false;
  const limit = state.inFlightLimit;
  if (limit !== null && limit < MAX_IN_FLIGHT && state.successes >= limit * GROWS_AFTER) {
    state.inFlightLimit = limit + 1;
    state.successes = 0;
    isChanged = true;
  }
  const soft = state.windows.find((window) => window.isSoft);
  if (soft === undefined || quietMs < soft.lengthMs * 10) return isChanged;
  if (limiter.ownUse(soft, facts.receivedAtMs) < soft.count) return isChanged;
  if (soft.lengthMs > SOFT_LENGTH_MS) soft.lengthMs = Math.max(SOFT_LENGTH_MS, soft.lengthMs / 2);
  else soft.count = Math.ceil(soft.count * 1.25);
  if (soft.count >= SOFT_FORGOTTEN_COUNT) state.windows = state.windows.filter((window) => window !== soft);
  return true;
}
