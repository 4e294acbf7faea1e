/**
 * Updates the knowledge of a lane from an answer. Limits are lowered at once, but raised only if the service states it.
 * After a 429 the limit steps down, and up again in quiet times. The functions return whether something changed that
 * other processes or the person should know.
 */
import { initialState, type LearnedState, type LearnedWindow, newWindow } from './learned-state.ts';
import { DAY_MS, LIMIT_CATEGORIES, type LimitWindow, MAX_WAIT_MS } from './limits.ts';
import type { RateReading } from './rate-headers.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { park } from './retry-after.ts';
import { DRIFT, type ServiceClock } from './service-clock.ts';

interface AnswerFacts {
  status: number;
  sentAtMs: number;
  receivedAtMs: number;
  /** In [0, 1). */
  random: number;
}

/** A reset is stated in whole seconds, so it has certainly happened this much later. */
const RESET_STEP_MS = 1_000;
const LONG_WINDOW_MS = 3_600_000;
/** Number of answers without rate headers after which limiting counts as switched off. */
const SILENT_ANSWERS = 100;
/** Number of answers after which a policy without an interval is assigned a window. */
const BARE_ANSWERS = 20;
/** Window lengths tried for a policy without an interval if no window is known. */
const USUAL_LENGTHS = [1_000, 60_000, LONG_WINDOW_MS, DAY_MS];
const OFF_IN_FLIGHT = 8;

const MIN_FACTOR = 0.25;
const QUIET_MS = 60_000;
const OFF_STEP_MS = 10_000;
const OFF_MAX_FACTOR = 4;
/** Upper bound of the number of requests in flight for a lane with an unknown limit. */
export const MAX_IN_FLIGHT = 8;
/** Number of successes, for each allowed request in flight, after which one more is allowed. */
const GROWS_AFTER = 8;
/**
 * The same number as long as there was no 429. It is smaller, so that a lane adapts fast at first and cautiously after
 * a 429.
 */
const GROWS_AFTER_AT_FIRST = 2;

/** Number of successes, for each allowed request in flight, after which one more is allowed. */
export const growsAfter = ({ refusals }: LearnedState): number =>
  refusals === 0 ? GROWS_AFTER_AT_FIRST : GROWS_AFTER;
const SOFT_LENGTH_MS = 1_000;
const SOFT_MAX_LENGTH_MS = 60_000;
const SOFT_FORGOTTEN_COUNT = 100;

/** Learns from an answer. Must be called after `limiter.finish` of the same request. */
export function learn(
  limiter: RateLimiter,
  reading: RateReading,
  facts: AnswerFacts,
  clock: ServiceClock,
): boolean {
  const isPolicyNew = learnPolicy(limiter, reading, facts);
  const isExplained = facts.status === 429 && (isPolicyNew || isForeignKnown(limiter, facts.sentAtMs));
  const isRemainingNew = learnRemaining(limiter, reading, facts, clock);
  const isSilenceNew = learnSilence(limiter, reading, facts);
  const isStepNew =
    facts.status === 429
      ? learnRejection(limiter, reading, facts, isExplained)
      : facts.status < 500 && learnQuiet(limiter, facts);
  if (isPolicyNew || isSilenceNew || isStepNew) limiter.state.changedAtMs = facts.receivedAtMs;
  return isPolicyNew || isRemainingNew || isSilenceNew || isStepNew;
}

/**
 * Whether use by others was known before this answer. A 429 that itself reports use by others is no proof, because the
 * service may count more strictly than it states.
 */
function isForeignKnown({ state }: RateLimiter, atMs: number): boolean {
  if (state.cap !== null && atMs < state.cap.untilMs) return true;
  for (const { foreign } of state.windows) if (foreign !== null && atMs < foreign.untilMs) return true;
  return false;
}

function learnPolicy(limiter: RateLimiter, reading: RateReading, facts: AnswerFacts): boolean {
  const { state } = limiter;
  if (reading.policy !== null) state.policy = reading.policy;
  if (reading.saysUnlimited) {
    if (state.source === 'off' && state.windows.length === 0) return false;
    state.source = 'off';
    state.windows = [];
    state.inFlightLimit = OFF_IN_FLIGHT;
    return true;
  }
  if (reading.windows.length > 0) return takeStated(limiter, reading.windows, reading.windows.length > 1);
  return reading.bareCount !== null && learnBare(limiter, reading.bareCount, reading, facts);
}

/** A single stated window replaces a similar one or is added. Several stated windows are the complete policy. */
function takeStated(limiter: RateLimiter, stated: readonly LimitWindow[], isWhole: boolean): boolean {
  const { state, taken: last } = limiter;
  const wasOff = state.source === 'off';
  // The service repeats its statement, and the windows have not changed since.
  if (last?.stated === stated && last.windows === state.windows && !wasOff && state.inFlightLimit === null)
    return false;
  const before = policyText(state.windows);
  const known = wasOff ? initialState(limiter.category, 0).windows : state.windows;
  const kept = isWhole ? [] : known.filter((window) => !window.isSoft && !hasLength(stated, window));
  const taken = stated.map(({ count, lengthMs }) => ({
    ...(state.windows.find((window) => window.lengthMs === lengthMs) ?? newWindow(count, lengthMs)),
    count,
    isSoft: false,
  }));
  state.windows = [...kept, ...taken].sort((a, b) => a.lengthMs - b.lengthMs);
  state.inFlightLimit = null;
  limiter.taken = { stated, windows: state.windows };
  if (wasOff) state.factor = 1;
  const published = policyText(LIMIT_CATEGORIES[limiter.category].windows);
  state.source = policyText(state.windows) === published ? 'published' : 'stated';
  return wasOff || policyText(state.windows) !== before;
}

const hasLength = (windows: readonly LimitWindow[], { lengthMs }: LimitWindow) =>
  windows.some((window) => window.lengthMs === lengthMs);

const policyText = (windows: readonly LimitWindow[]) =>
  windows.map((window) => `${window.count}/${window.lengthMs}`).join();

/**
 * Learns from a number without an interval that fits no window. The interval is estimated from the longest time to a
 * reset.
 */
function learnBare(limiter: RateLimiter, count: number, reading: RateReading, facts: AnswerFacts): boolean {
  const { state } = limiter;
  if (state.windows.some((window) => window.count === count && !window.isSoft)) return false;
  if (reading.resetInMs === null) return false;
  const bare =
    state.bare?.count === count
      ? state.bare
      : { count, maxResetInMs: 0, seen: 0, sinceMs: facts.receivedAtMs };
  bare.seen++;
  bare.maxResetInMs = Math.max(bare.maxResetInMs, reading.resetInMs);
  state.bare = bare;
  const hard = state.windows.filter((window) => !window.isSoft).map((window) => window.lengthMs);
  const lengths = hard.length > 0 ? hard : USUAL_LENGTHS;
  // Answers are observed for a while first, because a burst in the last second of a minute would look like a window of
  // one second.
  const watchMs = hard.length > 0 ? Math.min(LONG_WINDOW_MS, Math.max(...hard)) : LONG_WINDOW_MS;
  if (bare.seen < BARE_ANSWERS || facts.receivedAtMs - bare.sinceMs < watchMs) return false;
  const lengthMs = lengths.find((length) => length >= bare.maxResetInMs - RESET_STEP_MS);
  if (lengthMs === undefined) return false;
  state.bare = null;
  return takeStated(limiter, [{ count, lengthMs }], false);
}

/** Whether the Remaining and Reset of an answer can refer to this window. */
function isMeant(window: LearnedWindow, reading: RateReading, remaining: number): boolean {
  const named = reading.windows.length === 1 ? reading.windows[0] : undefined;
  if (window.isSoft || remaining > window.count) return false;
  if (named !== undefined && named.lengthMs !== window.lengthMs) return false;
  if (reading.bareCount !== null && reading.bareCount !== window.count) return false;
  return reading.resetInMs === null || reading.resetInMs <= window.lengthMs + 2 * RESET_STEP_MS;
}

function learnRemaining(
  limiter: RateLimiter,
  reading: RateReading,
  facts: AnswerFacts,
  clock: ServiceClock,
): boolean {
  const { remaining } = reading;
  if (remaining === null || limiter.state.source === 'off') return false;
  const resetAtMs = localReset(reading, facts, clock);
  // Our own use is counted at its maximum, so the rest is certainly use by others. Among several possible windows, the
  // one with the least use by others is chosen. A request with a 429 is in our count but not in the service's.
  const refused = facts.status === 429 ? 1 : 0;
  let possible = 0;
  let best: LearnedWindow | undefined;
  let foreignUse = 0;
  for (const window of limiter.state.windows) {
    if (!isMeant(window, reading, remaining)) continue;
    possible++;
    const own = limiter.ownUse(window, facts.sentAtMs) - refused;
    const foreign = Math.max(0, window.count - remaining - own);
    if (best !== undefined && foreign >= foreignUse) continue;
    best = window;
    foreignUse = foreign;
  }
  if (best === undefined) return learnCap(limiter, reading, remaining, resetAtMs, facts);
  const isForeignNew = learnForeign(best, foreignUse, resetAtMs, facts);
  // Others use an unknown window, so the stated number itself is the bound until its reset.
  if (possible > 1 && foreignUse > 0) learnCap(limiter, reading, remaining, resetAtMs, facts);
  const isResetNew =
    possible === 1 && resetAtMs !== null && learnReset(limiter, best, remaining, resetAtMs, facts);
  return isForeignNew || isResetNew;
}

function localReset(reading: RateReading, facts: AnswerFacts, clock: ServiceClock): number | null {
  const { receivedAtMs, sentAtMs } = facts;
  const { resetInMs, resetAtServiceMs } = reading;
  const byAnswerMs = resetInMs === null ? null : receivedAtMs + resetInMs * (1 + DRIFT);
  if (resetAtServiceMs === null) return byAnswerMs === null ? null : byAnswerMs + RESET_STEP_MS;
  const localMs = clock.latestLocalMs(resetAtServiceMs);
  if (localMs === null) return null;
  // The `Date` of the answer gives a time that is slightly late: by the duration of the answer and by the truncation of
  // the header. If the clock gives a much earlier time, it belongs to another machine behind the address, or was set.
  const lateMs = RESET_STEP_MS + receivedAtMs - sentAtMs;
  const isOther = byAnswerMs !== null && resetInMs !== 0 && localMs < byAnswerMs - lateMs - RESET_STEP_MS;
  return Math.max(receivedAtMs, isOther ? byAnswerMs : localMs) + RESET_STEP_MS;
}

function learnForeign(
  window: LearnedWindow,
  count: number,
  resetAtMs: number | null,
  facts: AnswerFacts,
): boolean {
  const old = window.foreign;
  const isFresh = old === null || facts.sentAtMs >= old.resetAtMs;
  if (!isFresh && count < old.count) return false;
  const untilMs = facts.receivedAtMs + window.lengthMs * 1.001 + RESET_STEP_MS;
  window.foreign =
    count === 0
      ? null
      : { count, resetAtMs: Math.min(untilMs, resetAtMs ?? untilMs), untilMs, sentAtMs: facts.sentAtMs };
  return (old?.count ?? 0) !== count;
}

/** Records an announced reset. After it, the service's own count may free slots earlier than a rolling day would. */
function learnReset(
  limiter: RateLimiter,
  window: LearnedWindow,
  remaining: number,
  resetAtMs: number,
  facts: AnswerFacts,
): boolean {
  if (window.lengthMs < LONG_WINDOW_MS) return false;
  if (window.resetAtMs !== null && facts.sentAtMs >= window.resetAtMs) {
    const answered = limiter.answeredUse(window, facts.receivedAtMs);
    // The service's count may not include requests answered while this one was in flight.
    const uncounted = limiter.answeredSince(facts.sentAtMs) - 1;
    const surplus = answered - (window.count - remaining) - Math.max(0, uncounted);
    if (surplus > 0) limiter.freeOldest(window, surplus, facts.receivedAtMs);
  }
  // A reset time that has passed frees no capacity.
  if (resetAtMs <= facts.receivedAtMs + RESET_STEP_MS) return false;
  // A request tried after a reset got a 429, so the next one is tried much later, even if an earlier reset is
  // announced.
  const isVain = facts.status === 429 && window.resetAtMs !== null && facts.sentAtMs >= window.resetAtMs;
  const nextMs = isVain ? Math.max(resetAtMs, facts.receivedAtMs + LONG_WINDOW_MS) : resetAtMs;
  const isNew = window.resetAtMs === null || Math.abs(window.resetAtMs - nextMs) > RESET_STEP_MS;
  window.resetAtMs = nextMs;
  window.resetSaidAtMs = facts.receivedAtMs;
  return isNew;
}

/** Records a statement about an unknown window, which applies until its reset. */
function learnCap(
  limiter: RateLimiter,
  reading: RateReading,
  remaining: number,
  resetAtMs: number | null,
  facts: AnswerFacts,
): boolean {
  if (resetAtMs === null) return false;
  const overlapping = limiter.inFlight + limiter.answeredSince(facts.sentAtMs) - 1;
  const left = Math.max(0, remaining - Math.max(0, overlapping));
  const old = limiter.state.cap;
  if (old !== null && facts.sentAtMs < old.afterMs && left >= old.left) return false;
  // With a complete policy, a reset beyond its longest window must be a mistake.
  const longestMs = Math.max(0, ...limiter.state.windows.map(({ lengthMs }) => lengthMs));
  const isStated = reading.windows.length > 0;
  const longestWaitMs = isStated ? Math.min(longestMs, MAX_WAIT_MS) : MAX_WAIT_MS;
  const untilMs = Math.min(resetAtMs, facts.receivedAtMs + longestWaitMs * (1 + DRIFT) + RESET_STEP_MS);
  limiter.state.cap = { left, afterMs: facts.sentAtMs, untilMs, isCut: resetAtMs > untilMs };
  return left === 0;
}

/** Rate-limited endpoints always send rate headers, so their lasting absence means that limiting is switched off. */
function learnSilence(limiter: RateLimiter, reading: RateReading, facts: AnswerFacts): boolean {
  const { state } = limiter;
  if (reading.hasRateHeaders) {
    state.headerless = 0;
    if (state.source !== 'off' || reading.saysUnlimited) return false;
    state.source = 'published';
    state.factor = 1;
    if (state.windows.length === 0) state.windows = initialState(limiter.category, 0).windows;
    return true;
  }
  if (facts.status >= 300 || limiter.isDurable || state.isSilenceMeaningless) return false;
  if (state.source === 'adapting' || state.source === 'off') return false;
  state.headerless++;
  if (state.headerless < SILENT_ANSWERS) return false;
  state.source = 'off';
  state.steppedAtMs = facts.receivedAtMs;
  return true;
}

function learnRejection(
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
  park(state, reading.retryAfterMs, facts);
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
    // The known limit was kept and no other program used the token, so the service counts more strictly than it states.
    state.factor = Math.max(MIN_FACTOR, state.factor * 0.85);
  }
  return true;
}

/** Highest share of a window's allowance that our own requests use. */
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

/** Learns from an answer other than 429. */
function learnQuiet(limiter: RateLimiter, facts: AnswerFacts): boolean {
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
  if (limit !== null && limit < MAX_IN_FLIGHT && state.successes >= limit * growsAfter(state)) {
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
