/** Reads the rate headers of INTERFACE section 8, tolerantly: what cannot be understood is null, never an error. */
import type { RateHeaders } from './attempt.ts';
import { parseHttpDate } from './http-date.ts';
import { DAY_MS, type LimitWindow } from './limits.ts';

export interface RateReading {
  /** Windows named in X-RateLimit-Limit, shortest first; empty where it names none. */
  windows: readonly LimitWindow[];
  /** X-RateLimit-Limit was a number without an interval. */
  bareCount: number | null;
  /** X-RateLimit-Limit says in words that there is no limit. */
  saysUnlimited: boolean;
  /** X-RateLimit-Limit as it came, cut to a showable length. */
  policy: string | null;
  remaining: number | null;
  /** How long after the answer was stamped the window resets; null where unknown. */
  resetInMs: number | null;
  /** The same as the service's wall time, where the header gave a timestamp. */
  resetAtServiceMs: number | null;
  /** How long to wait from the arrival of the answer; null where absent or not understood. */
  retryAfterMs: number | null;
  /** `Date`. */
  serviceMs: number | null;
  /** At least one of limit, remaining, reset was there. */
  hasRateHeaders: boolean;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  millisecond: 1,
  s: 1_000,
  sec: 1_000,
  second: 1_000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hour: 3_600_000,
  d: DAY_MS,
  day: DAY_MS,
  w: 7 * DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
};
const UNITS = 'milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|months?|m|hours?|hrs?|h|days?|d|weeks?|w';
const NUMBER = '\\d{1,3}(?:,\\d{3})+(?!\\d)|\\d[\\d_]*';

/** `30 per 1 second`, `1000/minute`, `30 requests every 10 s`. */
const PER = new RegExp(
  `(${NUMBER})\\s*(?:requests?|reqs?|calls?|hits?)?\\s*(?:\\/|\\bper\\b|\\bevery\\b|\\beach\\b|\\bin\\b|\\ban?\\b)\\s*` +
    `(\\d+(?:\\.\\d+)?)?\\s*(${UNITS})\\b`,
  'gi',
);
/** `30;w=1` and `"default";q=30;w=1`: intervals in seconds (the RateLimit-Policy drafts). */
const POLICY_ITEM = /(?:\bq=)?(\d+)\s*;\s*(?:[a-z]+=[^;,]*;\s*)*w=(\d+(?:\.\d+)?)/gi;
const UNLIMITED = /^(?:unlimited|none|off|disabled|no limit|infinity|inf|-1)$/i;
const BARE = new RegExp(`^(${NUMBER})$`);
const MAX_POLICY_LENGTH = 200;
/** Longest wait taken at its word; anything above it is as good as never. */
const MAX_WAIT_MS = 10 * 365 * DAY_MS;
/** No window is longer than a month: a reset further away is in units nobody knows. */
const MAX_RESET_MS = 31 * DAY_MS;

const toCount = (text: string | undefined) => Number((text ?? '').replace(/[,_]/g, ''));

function unitMs(text: string): number {
  const lower = text.toLowerCase();
  return UNIT_MS[lower] ?? UNIT_MS[lower.replace(/s$/, '')] ?? 0;
}

/** The windows a policy text names; of several counts for one length the lowest. Shortest first. */
export function parsePolicy(text: string): LimitWindow[] {
  const byLength = new Map<number, number>();
  const add = (count: number, lengthMs: number) => {
    if (!Number.isSafeInteger(count) || count < 1 || !(lengthMs >= 1) || lengthMs > MAX_WAIT_MS) return;
    byLength.set(lengthMs, Math.min(count, byLength.get(lengthMs) ?? count));
  };
  for (const match of text.matchAll(PER)) {
    add(toCount(match[1]), Math.round(Number(match[2] ?? 1) * unitMs(match[3] ?? '')));
  }
  for (const match of text.matchAll(POLICY_ITEM)) {
    add(toCount(match[1]), Math.round(Number(match[2]) * 1_000));
  }
  return [...byLength]
    .map(([lengthMs, count]) => ({ count, lengthMs }))
    .sort((a, b) => a.lengthMs - b.lengthMs);
}

/** What nearly every answer says: some digits and nothing else; null where it is anything else. */
function plainNumber(text: string): number | null {
  if (text.length === 0 || text.length > 12) return null;
  let value = 0;
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return value;
}

function parseCount(text: string | null): number | null {
  const plain = text === null ? null : plainNumber(text);
  if (plain !== null) return plain;
  const match = text === null ? null : /^\s*(\d+)(?:\.\d+)?\s*(?:$|[,;])/.exec(text);
  return match === null ? null : Number(match[1]);
}

const NO_RESET = { inMs: null, atMs: null };

/** A timestamp in seconds, tolerated in milliseconds, as a date, or as seconds from now. */
function parseReset(
  text: string | null,
  serviceMs: number | null,
): { inMs: number | null; atMs: number | null } {
  if (text === null) return NO_RESET;
  const trimmed = text.trim();
  const value = plainNumber(trimmed) ?? (/^\d+(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) : null);
  // Below 10^9 a timestamp would lie before 2001: it is a wait.
  if (value !== null && value < 1e9) {
    const waitMs = Math.ceil(value * 1_000);
    return waitMs > MAX_RESET_MS ? NO_RESET : { inMs: waitMs, atMs: null };
  }
  const atMs =
    value === null ? parseHttpDate(trimmed) : value >= 1e11 ? Math.ceil(value) : Math.ceil(value * 1_000);
  // A timestamp is measured against the answer's own.
  if (atMs === null || (serviceMs !== null && atMs - serviceMs > MAX_RESET_MS)) return NO_RESET;
  return { inMs: serviceMs === null ? null : Math.max(0, atMs - serviceMs), atMs };
}

const SECONDS = /^\+?(\d+(?:\.\d+)?)\s*(?:s|sec|secs|seconds?)?$/i;

/**
 * Seconds (whole or not) or a date. A date is measured against the answer's own `Date`, else against `wallMs`. Of
 * several numbers (the header was sent twice) the largest.
 */
function parseRetryAfter(text: string | null, serviceMs: number | null, wallMs: number): number | null {
  if (text === null) return null;
  const trimmed = text.trim();
  const waits = trimmed.split(/[,;]/).flatMap((part) => {
    const match = SECONDS.exec(part.trim());
    return match === null ? [] : [Number(match[1])];
  });
  if (waits.length > 0) return Math.min(MAX_WAIT_MS, Math.ceil(Math.max(...waits) * 1_000));
  const atMs = parseHttpDate(trimmed);
  if (atMs === null) return null;
  return Math.min(MAX_WAIT_MS, Math.max(0, atMs - (serviceMs ?? wallMs)));
}

/** Remembers the last few answers of a pure function: services say the same policy and date again and again. */
class Memo<T> {
  readonly #compute: (text: string) => T;
  readonly #known = new Map<string, T>();

  constructor(compute: (text: string) => T) {
    this.#compute = compute;
  }

  read(text: string): T {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const value = this.#compute(text);
    if (this.#known.size >= MEMO_SIZE) this.#known.clear();
    this.#known.set(text, value);
    return value;
  }
}

const MEMO_SIZE = 32;
const NO_WINDOWS: readonly LimitWindow[] = [];
const policies = new Memo(parsePolicy);
const dates = new Memo(parseHttpDate);

/** `wallMs` is used only for a date in Retry-After when the answer has no `Date`. */
export function readRateHeaders(headers: RateHeaders, wallMs: number): RateReading {
  const serviceMs = headers.date === null ? null : dates.read(headers.date);
  const policy = headers.limit?.trim() ?? '';
  const windows = policy === '' ? NO_WINDOWS : policies.read(policy);
  const bare = windows.length === 0 && policy !== '' ? BARE.exec(policy) : null;
  const reset = parseReset(headers.reset, serviceMs);
  return {
    windows,
    bareCount: bare === null || toCount(bare[1]) < 1 ? null : toCount(bare[1]),
    saysUnlimited: UNLIMITED.test(policy),
    policy: policy === '' ? null : policy.slice(0, MAX_POLICY_LENGTH),
    remaining: parseCount(headers.remaining),
    resetInMs: reset.inMs,
    resetAtServiceMs: reset.atMs,
    retryAfterMs: parseRetryAfter(headers.retryAfter, serviceMs, wallMs),
    serviceMs,
    hasRateHeaders: headers.limit !== null || headers.remaining !== null || headers.reset !== null,
  };
}
