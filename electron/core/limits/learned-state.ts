/** What a lane knows about its limits: published, stated by the service, or found out. Stored as JSON text. */
import { z } from 'zod';
import { LIMIT_CATEGORIES, type LimitCategory } from './limits.ts';
import type { UnseenTime } from './service-clock.ts';

const foreignUse = z.strictObject({
  /** Requests that are not ours, as far as an answer proved. */
  count: z.number(),
  /** From here one request may find out whether they still count. */
  resetAtMs: z.number(),
  /** From here they surely do not. */
  untilMs: z.number(),
  /** Send time of the request whose answer said so. */
  sentAtMs: z.number(),
});

const learnedWindow = z.strictObject({
  count: z.int().min(1),
  lengthMs: z.number().min(1),
  foreign: foreignUse.nullable(),
  /** Ledger time at which the service's own counter has surely been reset; from its headers. */
  resetAtMs: z.number().nullable(),
  /** When the answer came that said so; states of older versions do not say. */
  resetSaidAtMs: z.number().nullable().default(null),
  /** The reset for which a request beyond our own count was already tried. */
  triedResetMs: z.number().nullable(),
  /** The service said that what was answered until then does not count any more. */
  freedUntilMs: z.number().nullable(),
  /** Found by trial, not published or stated. */
  isSoft: z.boolean(),
});
export type LearnedWindow = z.infer<typeof learnedWindow>;

const learnedState = z.strictObject({
  version: z.literal(1),
  windows: z.array(learnedWindow),
  source: z.enum(['published', 'stated', 'off', 'adapting']),
  policy: z.string().nullable(),
  /** Nothing is sent before. */
  parkedUntilMs: z.number().nullable(),
  /** An answer asked for a longer wait than is believed: one request goes alone after it, and it can be forgotten. */
  isWaitCut: z.boolean().default(false),
  /** Refusals (429) in a row. */
  refusalStreak: z.int().min(0),
  /** After a refusal one request goes alone until an answer comes that is none. */
  isProbing: z.boolean(),
  inFlightLimit: z.int().min(1).nullable(),
  factor: z.number().min(0.01).max(100),
  /** When `factor` or a trial value last changed, or a refusal came. */
  steppedAtMs: z.number(),
  /** Answers in a row without any rate header. */
  headerless: z.int().min(0),
  /** This lane was refused although no header was there: silence proves nothing. */
  isSilenceMeaningless: z.boolean(),
  /** A policy that is a number without interval, and the longest time to its reset seen so far. */
  bare: z
    .strictObject({ count: z.number(), maxResetInMs: z.number(), seen: z.int(), sinceMs: z.number() })
    .nullable(),
  /** At most `left` sends later than `afterMs`, until `untilMs`: the service said so for a window we do not know. */
  cap: z
    .strictObject({
      left: z.number(),
      afterMs: z.number(),
      untilMs: z.number(),
      /** It was to hold for longer than is believed. */
      isCut: z.boolean().default(false),
    })
    .nullable(),
  /** Answers since the last step up. */
  successes: z.number(),
  refusals: z.int(),
  /** When an answer last changed what is learned; states of older versions do not say. */
  changedAtMs: z.number().nullable().default(null),
  /** Time that passed unseen and is taken into account, the oldest first. */
  unseen: z
    .array(z.strictObject({ untilMs: z.number(), byMs: z.number(), atMs: z.number() }))
    .default(() => []),
});
export type LearnedState = z.infer<typeof learnedState>;

/**
 * Can a plain answer make a request fit sooner than the time at which it was found to fit? Of our own places alone it
 * cannot: one in flight leaves a window later than those answered before it.
 */
export function waitsForAnswers({ cap, windows }: LearnedState): boolean {
  if (cap !== null) return true;
  return windows.some(({ foreign, resetAtMs }) => foreign !== null || resetAtMs !== null);
}

/** Somebody who saw none of so many sleeps in a row saw no answer for days: its picture is empty by then. */
const KEPT_UNSEEN = 8;
/** A lane without published limit starts with so many requests in flight. */
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
 * The published limits again. What an answer forbade for a time holds on, unless that time was too long to be
 * believed, and one request goes alone at first.
 */
export function forgotten(state: LearnedState, category: LimitCategory, nowMs: number): LearnedState {
  const fresh = initialState(category, nowMs);
  const windows = fresh.windows.map((window) => {
    const known = state.windows.find(({ lengthMs, isSoft }) => lengthMs === window.lengthMs && !isSoft);
    return known === undefined ? window : { ...known, count: window.count };
  });
  // What is kept was moved by the time that nobody saw passing: it is not moved by it again.
  const { refusalStreak, unseen } = state;
  const { parkedUntilMs, cap } = withoutCut(state);
  return { ...fresh, windows, parkedUntilMs, cap, refusalStreak, unseen, isProbing: true };
}

const hasCut = ({ isWaitCut, cap }: LearnedState): boolean => isWaitCut || cap?.isCut === true;

/** The state without waits that were too long to be believed. */
function withoutCut(state: LearnedState): LearnedState {
  const { parkedUntilMs, isWaitCut, cap } = state;
  return { ...state, parkedUntilMs: isWaitCut ? null : parkedUntilMs, cap: cap?.isCut === true ? null : cap };
}

/** Null where the text is not of this version: the lane then starts from what is published. */
export function parseLearned(text: string | null): LearnedState | null {
  if (text === null) return null;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const parsed = learnedState.safeParse(json);
  return parsed.success ? parsed.data : null;
}

/**
 * What two processes learned about one lane, put together: the later of the two, with everything that forbids for a
 * time, whoever heard it. The same whichever comes first.
 */
export function merged(a: LearnedState, b: LearnedState): LearnedState {
  const [one, other] = [caughtUp(a, b.unseen), caughtUp(b, a.unseen)];
  const [later, known] = versionOf(one) >= versionOf(other) ? [one, other] : [other, one];
  // A wait beyond belief holds until anything later is known: it was forgotten, or answered again.
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

/** Nothing was learned since a person had it forgotten, which is news to whoever knew something. */
function isForgotten(state: LearnedState): boolean {
  return isFresh(state) && state.isProbing;
}

function isFresh({ changedAtMs, policy, refusals }: LearnedState): boolean {
  return changedAtMs === null && policy === null && refusals === 0;
}

/** When it last changed; a lane of which nothing was learned yet gives way to anything. */
function versionOf(state: LearnedState): number {
  const { changedAtMs, steppedAtMs } = state;
  return isFresh(state) && !isForgotten(state) ? 0 : Math.max(changedAtMs ?? 0, steppedAtMs);
}

/** A window with what the other knew of it as well: use by others, and that its announced reset was tried. */
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

/** The same of what is stored, as text; ours where theirs cannot be read. */
export function mergeLearned(theirs: string, ours: string): string {
  const [stored, own] = [parseLearned(theirs), parseLearned(ours)];
  return stored === null || own === null ? ours : JSON.stringify(merged(stored, own));
}

/** A state with the unseen time that another one takes into account and this one does not yet. */
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

/** The same of what is stored, as text; null where nothing of it changes. */
export function movedLearned(text: string | null, unseen: UnseenTime): string | null {
  const state = parseLearned(text);
  return state !== null && moveBack(state, unseen) ? JSON.stringify(state) : null;
}

/** `isLater`: what the state says was learned after that time, as far as is known. */
function moveReset(window: LearnedWindow, { untilMs, byMs, atMs }: UnseenTime, isLater: boolean): void {
  const saidAtMs = window.resetSaidAtMs ?? (isLater ? atMs : untilMs);
  if (window.resetAtMs === null || saidAtMs >= atMs) return;
  // Said by another process in between: before the sleep or after it, nobody knows. The next answer says it again.
  const isUnsure = saidAtMs > untilMs;
  window.resetAtMs = isUnsure ? null : window.resetAtMs - byMs;
  if (window.triedResetMs !== null && !isUnsure) window.triedResetMs -= byMs;
}

/**
 * What was learned is older than it says, by time that passed unseen. Not where that time is taken into account
 * already: the state was moved since then, or learned later. Returns whether the state changed.
 */
export function moveBack(state: LearnedState, unseen: UnseenTime): boolean {
  const { untilMs, byMs } = unseen;
  const lastMs = state.unseen.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY;
  if (lastMs >= untilMs) return false;
  state.unseen = [...state.unseen.slice(1 - KEPT_UNSEEN), unseen];
  const isLater = (state.changedAtMs ?? untilMs) > unseen.atMs;
  for (const window of state.windows) moveReset(window, unseen, isLater);
  if (isLater) return true;
  const moved = (timeMs: number | null) => (timeMs === null || timeMs > untilMs ? timeMs : timeMs - byMs);
  if (state.parkedUntilMs !== null) state.parkedUntilMs -= byMs;
  state.steppedAtMs = moved(state.steppedAtMs) ?? 0;
  state.changedAtMs = moved(state.changedAtMs);
  if (state.cap !== null && state.cap.afterMs <= untilMs) state.cap.untilMs -= byMs;
  for (const window of state.windows) {
    window.freedUntilMs = moved(window.freedUntilMs);
    if (window.foreign === null || window.foreign.sentAtMs > untilMs) continue;
    // A copy: states that were put together share it.
    const { foreign } = window;
    window.foreign = { ...foreign, resetAtMs: foreign.resetAtMs - byMs, untilMs: foreign.untilMs - byMs };
  }
  return true;
}
