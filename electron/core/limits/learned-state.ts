/** A lane's knowledge about its limits: published, stated by the service, or learned. Stored as JSON text. */
import * as z from '../../shared/zod.ts';
import { LIMIT_CATEGORIES, type LimitCategory } from './limits.ts';
import type { UnseenTime } from './service-clock.ts';

const foreignUse = z.strictObject({
  /** Proven number of requests by others. */
  count: z.number(),
  /** From here one request may test whether they still count. */
  resetAtMs: z.number(),
  /** From here they certainly no longer count. */
  untilMs: z.number(),
  /** Send time of the request whose answer proved it. */
  sentAtMs: z.number(),
});

const learnedWindow = z.strictObject({
  count: z.int().min(1),
  lengthMs: z.number().min(1),
  foreign: foreignUse.nullable(),
  /** Ledger time at which the service's own counter has certainly been reset; from its headers. */
  resetAtMs: z.number().nullable(),
  /** When that answer arrived; missing in states of older versions. */
  resetSaidAtMs: z.number().nullable().default(null),
  /** The reset for which a request beyond our own count was already tried. */
  triedResetMs: z.number().nullable(),
  /** The service said that requests answered until then no longer count. */
  freedUntilMs: z.number().nullable(),
  /** Learned by trial, neither published nor stated. */
  isSoft: z.boolean(),
});
export type LearnedWindow = z.infer<typeof learnedWindow>;

const learnedState = z.strictObject({
  version: z.literal(1),
  windows: z.array(learnedWindow),
  source: z.enum(['published', 'stated', 'off', 'adapting']),
  policy: z.string().nullable(),
  /** Nothing is sent before this time. */
  parkedUntilMs: z.number().nullable(),
  /**
   * An answer asked for an implausibly long wait: after a shorter one, a single request is sent, and the wait can be
   * reset.
   */
  isWaitCut: z.boolean().default(false),
  /** Consecutive 429 answers. */
  refusalStreak: z.int().min(0),
  /** After a 429, single requests are sent until one gets a different answer. */
  isProbing: z.boolean(),
  inFlightLimit: z.int().min(1).nullable(),
  factor: z.number().min(0.01).max(100),
  /** When `factor` or a trial value last changed, or a 429 arrived. */
  steppedAtMs: z.number(),
  /** Consecutive answers without any rate header. */
  headerless: z.int().min(0),
  /** This lane got a 429 although headers were missing: their absence proves nothing. */
  isSilenceMeaningless: z.boolean(),
  /** A policy that is a number without an interval, and the longest time to its reset seen so far. */
  bare: z
    .strictObject({ count: z.number(), maxResetInMs: z.number(), seen: z.int(), sinceMs: z.number() })
    .nullable(),
  /** At most `left` sends after `afterMs`, until `untilMs`: stated by the service for an unknown window. */
  cap: z
    .strictObject({
      left: z.number(),
      afterMs: z.number(),
      untilMs: z.number(),
      /** Its stated duration was implausibly long and was shortened. */
      isCut: z.boolean().default(false),
    })
    .nullable(),
  /** Answers since the last step up. */
  successes: z.number(),
  refusals: z.int(),
  /** When an answer last changed the knowledge; missing in states of older versions. */
  changedAtMs: z.number().nullable().default(null),
  /** Unseen time already accounted for, oldest first. */
  unseen: z
    .array(z.strictObject({ untilMs: z.number(), byMs: z.number(), atMs: z.number() }))
    .default(() => []),
});
export type LearnedState = z.infer<typeof learnedState>;

/**
 * Whether an ordinary answer can let a request fit earlier than the computed time. Own slots alone cannot: one in
 * flight leaves a window later than those answered before it.
 */
export function waitsForAnswers({ cap, windows }: LearnedState): boolean {
  if (cap !== null) return true;
  return windows.some(({ foreign, resetAtMs }) => foreign !== null || resetAtMs !== null);
}

/** A process that missed this many sleeps in a row saw no answer for days: its state is empty by then. */
const KEPT_UNSEEN = 8;
/** Initial number of requests in flight for a lane without a published limit. */
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
 * Restores the published limits. Temporary restrictions from an answer remain, unless they were implausibly long, and
 * one request is sent alone first.
 */
export function forgotten(state: LearnedState, category: LimitCategory, nowMs: number): LearnedState {
  const fresh = initialState(category, nowMs);
  const windows = fresh.windows.map((window) => {
    const known = state.windows.find(({ lengthMs, isSoft }) => lengthMs === window.lengthMs && !isSoft);
    return known === undefined ? window : { ...known, count: window.count };
  });
  // The kept values were already moved by the unseen time, and must not be moved again.
  const { refusalStreak, unseen } = state;
  const { parkedUntilMs, cap } = withoutCut(state);
  return { ...fresh, windows, parkedUntilMs, cap, refusalStreak, unseen, isProbing: true };
}

const hasCut = ({ isWaitCut, cap }: LearnedState): boolean => isWaitCut || cap?.isCut === true;

/** The state without implausibly long waits. */
function withoutCut(state: LearnedState): LearnedState {
  const { parkedUntilMs, isWaitCut, cap } = state;
  return { ...state, parkedUntilMs: isWaitCut ? null : parkedUntilMs, cap: cap?.isCut === true ? null : cap };
}

/** Null if the text is not of this version: the lane then starts from the published limits. */
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
 * Merges the knowledge of two processes about one lane: the later of the two, with every temporary restriction that
 * either received. Symmetric in its arguments.
 */
export function merged(a: LearnedState, b: LearnedState): LearnedState {
  const [one, other] = [caughtUp(a, b.unseen), caughtUp(b, a.unseen)];
  const [later, known] = versionOf(one) >= versionOf(other) ? [one, other] : [other, one];
  // An implausibly long wait lasts until newer knowledge exists: it was reset, or answered again.
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

/** Nothing was learned since a person reset it; that is new information for any process with older knowledge. */
function isForgotten(state: LearnedState): boolean {
  return isFresh(state) && state.isProbing;
}

function isFresh({ changedAtMs, policy, refusals }: LearnedState): boolean {
  return changedAtMs === null && policy === null && refusals === 0;
}

/** When it last changed; a lane without any knowledge gives way to all others. */
function versionOf(state: LearnedState): number {
  const { changedAtMs, steppedAtMs } = state;
  return isFresh(state) && !isForgotten(state) ? 0 : Math.max(changedAtMs ?? 0, steppedAtMs);
}

/** A window with the other's knowledge added: use by others, and that its announced reset was tried. */
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

/** Like `merged`, for stored text; returns ours if theirs cannot be read. */
export function mergeLearned(theirs: string, ours: string): string {
  const [stored, own] = [parseLearned(theirs), parseLearned(ours)];
  return stored === null || own === null ? ours : JSON.stringify(merged(stored, own));
}

/** Applies the unseen time that another state accounts for and this one does not yet. */
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

/** `isLater`: the state's knowledge was acquired after that time, as far as is known. */
function moveReset(window: LearnedWindow, { untilMs, byMs, atMs }: UnseenTime, isLater: boolean): void {
  const saidAtMs = window.resetSaidAtMs ?? (isLater ? atMs : untilMs);
  if (window.resetAtMs === null || saidAtMs >= atMs) return;
  // Stated by another process in between, before the sleep or after it. The next answer states it again.
  const isUnsure = saidAtMs > untilMs;
  window.resetAtMs = isUnsure ? null : window.resetAtMs - byMs;
  if (window.triedResetMs !== null && !isUnsure) window.triedResetMs -= byMs;
}

/**
 * Makes the knowledge older by time that passed unseen, unless that is already accounted for: the state was moved since
 * then, or learned later. Returns whether the state changed.
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
    // Copies, because merged states share it.
    const { foreign } = window;
    window.foreign = { ...foreign, resetAtMs: foreign.resetAtMs - byMs, untilMs: foreign.untilMs - byMs };
  }
  return true;
}
