/** What a lane knows about its limits: published, stated by the service, or found out. Stored as JSON text. */
import { z } from 'zod';
import { LIMIT_CATEGORIES, type LimitCategory } from './limits.ts';

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
  cap: z.strictObject({ left: z.number(), afterMs: z.number(), untilMs: z.number() }).nullable(),
  /** Answers since the last step up. */
  successes: z.number(),
  refusals: z.int(),
  /** When an answer last changed what is learned; states of older versions do not say. */
  changedAtMs: z.number().nullable().default(null),
});
export type LearnedState = z.infer<typeof learnedState>;

/** A lane without published limit starts with so many requests in flight. */
const GENTLE_IN_FLIGHT = 2;

export function newWindow(count: number, lengthMs: number, isSoft = false): LearnedWindow {
  return {
    count,
    lengthMs,
    foreign: null,
    resetAtMs: null,
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
  };
}

/** The published limits again. What an answer forbade for a time holds on, and one request goes alone at first. */
export function forgotten(state: LearnedState, category: LimitCategory, nowMs: number): LearnedState {
  const fresh = initialState(category, nowMs);
  const windows = fresh.windows.map((window) => {
    const known = state.windows.find(({ lengthMs, isSoft }) => lengthMs === window.lengthMs && !isSoft);
    return known === undefined ? window : { ...known, count: window.count };
  });
  const { parkedUntilMs, cap, refusalStreak } = state;
  return { ...fresh, windows, parkedUntilMs, cap, refusalStreak, isProbing: true };
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
