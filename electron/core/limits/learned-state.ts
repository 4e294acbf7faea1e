/** A lane's knowledge about its limits: published, stated by the service, or learned by trial. Stored as JSON text. */
import * as z from '../../shared/zod.ts';
import { LIMIT_CATEGORIES, type LimitCategory } from './limits.ts';
import type { UnseenTime } from './service-clock.ts';

const foreignUse = z.strictObject({
  /** Number of requests that others have certainly sent. */
  count: z.number(),
  /** From this time on, one request may test whether the requests of others still count. */
  resetAtMs: z.number(),
  /** From this time on, the requests of others certainly no longer count. */
  untilMs: z.number(),
  /** Send time of the request whose answer proved the use by others. */
  sentAtMs: z.number(),
});

const learnedWindow = z.strictObject({
  count: z.int().min(1),
  lengthMs: z.number().min(1),
  foreign: foreignUse.nullable(),
  /** Ledger time at which the service's own counter has certainly been reset, according to its headers. */
  resetAtMs: z.number().nullable(),
  /** Arrival time of the answer that announced the reset; missing in states of older versions. */
  resetSaidAtMs: z.number().nullable().default(null),
  /** The reset after which a request beyond our own count was already tried. */
  triedResetMs: z.number().nullable(),
  /** Requests answered until this time no longer count, according to the service. */
  freedUntilMs: z.number().nullable(),
  /** True if the window was learned by trial and was neither published nor stated. */
  isSoft: z.boolean(),
});
export type LearnedWindow = z.infer<typeof learnedWindow>;

const learnedState = z.strictObject({
  version: z.literal(1),
  windows: z.array(learnedWindow),
  source: z.enum(['published', 'stated', 'off', 'adapting']),
  policy: z.string().nullable(),
  /** Ledger time before which nothing is sent. */
  parkedUntilMs: z.number().nullable(),
  /**
   * True if an answer asked for an implausibly long wait. The lane waits for a shorter time and then sends a single
   * request. A person can also reset the wait.
   */
  isWaitCut: z.boolean().default(false),
  /** Number of consecutive 429 answers. */
  refusalStreak: z.int().min(0),
  /** True after a 429: single requests are sent until one gets a different answer. */
  isProbing: z.boolean(),
  inFlightLimit: z.int().min(1).nullable(),
  factor: z.number().min(0.01).max(100),
  /** Time when `factor` or a trial value last changed, or when a 429 arrived. */
  steppedAtMs: z.number(),
  /** Number of consecutive answers without any rate header. */
  headerless: z.int().min(0),
  /** True if this lane got a 429 without rate headers, so that their absence proves nothing. */
  isSilenceMeaningless: z.boolean(),
  /** A policy given as a number without an interval, and the longest time until its reset seen so far. */
  bare: z
    .strictObject({ count: z.number(), maxResetInMs: z.number(), seen: z.int(), sinceMs: z.number() })
    .nullable(),
  /** Limit stated by the service for an unknown window: at most `left` requests from `afterMs` until `untilMs`. */
  cap: z
    .strictObject({
      left: z.number(),
      afterMs: z.number(),
      untilMs: z.number(),
      /** True if the stated duration was implausibly long and was shortened. */
      isCut: z.boolean().default(false),
    })
    .nullable(),
  /** Number of successful answers since the last step up. */
  successes: z.number(),
  refusals: z.int(),
  /** When an answer last changed the knowledge; missing in states of older versions. */
  changedAtMs: z.number().nullable().default(null),
  /** Unseen time that was already applied, oldest first. */
  unseen: z
    .array(z.strictObject({ untilMs: z.number(), byMs: z.number(), atMs: z.number() }))
    .default(() => []),
});
export type LearnedState = z.infer<typeof learnedState>;

/**
 * Whether an ordinary answer can make room earlier than computed. Our own slots alone cannot, because a request in
 * flight leaves a window later than those answered before it.
 */
export function waitsForAnswers({ cap, windows }: LearnedState): boolean {
  if (cap !== null) return true;
  return windows.some(({ foreign, resetAtMs }) => foreign !== null || resetAtMs !== null);
}

/**
 * Maximum number of entries kept. A process that missed this many sleeps in a row saw no answer for days, and its state
 * is empty by then.
 */
const KEPT_UNSEEN = 8;
/** Initial maximum of requests in flight for a lane without a published limit. */
const GENTLE_IN_FLIGHT = 2;

export function newWindow(count: number, lengthMs: number, isSoft = false): LearnedWindow {
  return {
    count,
    lengthMs,
    foreign: null,
    resetAtMs: null,
    resetSaidAtMs: null,
    triedResetMs: null,
    freedUntilMs: null,
    isSoft,
  };
}

export function initialState(category: LimitCategory, nowMs: number): LearnedState {
  const windows = LIMIT_CATEGORIES[category].windows.map((window) =>
    newWindow(window.count, window.lengthMs),
  );
  return {
    version: 1,
    windows,
    source: windows.length === 0 ? 'adapting' : 'published',
    policy: null,
    parkedUntilMs: null,
    isWaitCut: false,
    refusalStreak: 0,
    isProbing: false,
    inFlightLimit: windows.length === 0 ? GENTLE_IN_FLIGHT : null,
    factor: 1,
    steppedAtMs: nowMs,
    headerless: 0,
    isSilenceMeaningless: false,
    bare: null,
    cap: null,
    successes: 0,
    refusals: 0,
    changedAtMs: null,
    unseen: [],
  };
}

/**
 * Restores the published limits. Temporary restrictions from an answer remain unless they were implausibly long. The
 * next request is sent alone.
 */
export function forgotten(state: LearnedState, category: LimitCategory, nowMs: number): LearnedState {
  const fresh = initialState(category, nowMs);
  const windows = fresh.windows.map((window) => {
    const known = state.windows.find(({ lengthMs, isSoft }) => lengthMs === window.lengthMs && !isSoft);
    return known === undefined ? window : { ...known, count: window.count };
  });
  // The kept values were already moved by this unseen time, and must not be moved again.
  const { refusalStreak, unseen } = state;
  const { parkedUntilMs, cap } = withoutCut(state);
  return { ...fresh, windows, parkedUntilMs, cap, refusalStreak, unseen, isProbing: true };
}

const hasCut = ({ isWaitCut, cap }: LearnedState): boolean => isWaitCut || cap?.isCut === true;

/** The state with implausibly long waits removed. */
function withoutCut(state: LearnedState): LearnedState {
  const { parkedUntilMs, isWaitCut, cap } = state;
  return { ...state, parkedUntilMs: isWaitCut ? null : parkedUntilMs, cap: cap?.isCut === true ? null : cap };
}

/** Returns null if the text was written by another version. The lane then starts from the published limits. */
export function parseLearned(text: string | null): LearnedState | null {
  if (text === null) return null;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = learnedState.safeParse(json);
  return parsed.success ? parsed.data : null;
}

/**
 * Merges the knowledge of two processes about one lane: takes the later state, and every temporary restriction of
 * either. The order of the arguments does not matter.
 */
export function merged(a: LearnedState, b: LearnedState): LearnedState {
  const [one, other] = [caughtUp(a, b.unseen), caughtUp(b, a.unseen)];
  const [later, known] = versionOf(one) >= versionOf(other) ? [one, other] : [other, one];
  // An implausibly long wait ends once newer knowledge exists, from a reset by a person or from another answer.
  const isFreed = hasCut(known) && !hasCut(later);
  const earlier = isFreed ? withoutCut(known) : known;
  const parkedUntilMs = Math.max(later.parkedUntilMs ?? 0, earlier.parkedUntilMs ?? 0);
  const isCapEarlier = (earlier.cap?.afterMs ?? 0) > (later.cap?.afterMs ?? 0);
  return {
    ...later,
    windows: later.windows.map((window) => withForeign(window, earlier.windows)),
    parkedUntilMs: parkedUntilMs === 0 ? null : parkedUntilMs,
    cap: isCapEarlier ? earlier.cap : later.cap,
    isProbing: later.isProbing || isFreed,
    refusals: isForgotten(later) ? later.refusals : Math.max(later.refusals, earlier.refusals),
  };
}

/**
 * True for a state that a person reset and that has learned nothing since. It is news to any process with older
 * knowledge.
 */
function isForgotten(state: LearnedState): boolean {
  return isFresh(state) && state.isProbing;
}

function isFresh({ changedAtMs, policy, refusals }: LearnedState): boolean {
  return changedAtMs === null && policy === null && refusals === 0;
}

/** Time of the last change. A lane without any knowledge is older than all others. */
function versionOf(state: LearnedState): number {
  const { changedAtMs, steppedAtMs } = state;
  return isFresh(state) && !isForgotten(state) ? 0 : Math.max(changedAtMs ?? 0, steppedAtMs);
}

/** A window with the knowledge of another process added: use by others, and whether its announced reset was tried. */
function withForeign(window: LearnedWindow, others: readonly LearnedWindow[]): LearnedWindow {
  const other = others.find(
    ({ lengthMs, isSoft }) => lengthMs === window.lengthMs && isSoft === window.isSoft,
  );
  if (other === undefined) return window;
  const triedMs = Math.max(window.triedResetMs ?? 0, other.triedResetMs ?? 0);
  const isLater =
    other.foreign !== null && (window.foreign === null || other.foreign.sentAtMs > window.foreign.sentAtMs);
  if (!isLater && triedMs === (window.triedResetMs ?? 0)) return window;
  const triedResetMs = triedMs === 0 ? null : triedMs;
  return { ...window, triedResetMs, foreign: isLater ? other.foreign : window.foreign };
}

/** Like `merged`, for stored text. Returns ours if theirs cannot be read. */
export function mergeLearned(theirs: string, ours: string): string {
  const [stored, own] = [parseLearned(theirs), parseLearned(ours)];
  return stored === null || own === null ? ours : JSON.stringify(merged(stored, own));
}

/** Applies the unseen time that another state includes and this one does not yet. */
function caughtUp(state: LearnedState, unseen: readonly UnseenTime[]): LearnedState {
  if (unseen.length === 0) return state;
  const copy = {
    ...state,
    unseen: [...state.unseen],
    windows: state.windows.map((window) => ({ ...window })),
  };
  if (state.cap !== null) copy.cap = { ...state.cap };
  for (const time of unseen) moveBack(copy, time);
  return copy;
}

/** Like `moveBack`, for stored text; null if nothing changes. */
export function movedLearned(text: string | null, unseen: UnseenTime): string | null {
  const state = parseLearned(text);
  return state !== null && moveBack(state, unseen) ? JSON.stringify(state) : null;
}

/** `isLater`: whether the state's knowledge is known to be newer than the unseen time. */
function moveReset(window: LearnedWindow, { untilMs, byMs, atMs }: UnseenTime, isLater: boolean): void {
  const saidAtMs = window.resetSaidAtMs ?? (isLater ? atMs : untilMs);
  if (window.resetAtMs === null || saidAtMs >= atMs) return;
  // Another process recorded the reset in between, before or after the sleep. The next answer states it again.
  const isUnsure = saidAtMs > untilMs;
  window.resetAtMs = isUnsure ? null : window.resetAtMs - byMs;
  if (window.triedResetMs !== null && !isUnsure) window.triedResetMs -= byMs;
}

/**
 * Makes the knowledge older by time that passed unseen. Does nothing if the state was already moved by it or was
 * learned later. Returns whether the state changed.
 */
export function moveBack(state: LearnedState, unseen: UnseenTime): boolean {
  const { untilMs, byMs } = unseen;
  const lastMs = state.unseen.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
  if (lastMs >= untilMs) return false;
  state.unseen = [...state.unseen.slice(1 - KEPT_UNSEEN), unseen];
  const isLater = (state.changedAtMs ?? untilMs) > unseen.atMs;
  for (const window of state.windows) moveReset(window, unseen, isLater);
  if (isLater) return true;
  const moved = (timeMs: number) => (timeMs > untilMs ? timeMs : timeMs - byMs);
  if (state.parkedUntilMs !== null) state.parkedUntilMs -= byMs;
  state.steppedAtMs = moved(state.steppedAtMs);
  if (state.changedAtMs !== null) state.changedAtMs = moved(state.changedAtMs);
  if (state.cap !== null && state.cap.afterMs <= untilMs) state.cap.untilMs -= byMs;
  for (const window of state.windows) {
    if (window.freedUntilMs !== null) window.freedUntilMs = moved(window.freedUntilMs);
    if (window.foreign === null || window.foreign.sentAtMs > untilMs) continue;
    // Copies the object, because merged states share it.
    const { foreign } = window;
    window.foreign = { ...foreign, resetAtMs: foreign.resetAtMs - byMs, untilMs: foreign.untilMs - byMs };
  }
  return true;
}
