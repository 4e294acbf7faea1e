/** Parses the rate headers of SERVICE.md S8 tolerantly: invalid values are null, never an error. */

import { elementAt } from '../element-at.ts';
import { parseHttpDate } from '../text/http-date.ts';
import type { RateHeaders } from './attempt.ts';
import { DAY_MS, type LimitWindow } from './limits.ts';
import { parseRetryAfter } from './retry-after.ts';
import { UNITS, unitMs } from './time-units.ts';

export interface RateReading {
  /** Windows in X-RateLimit-Limit, shortest first; empty if it names none. */
  windows: readonly LimitWindow[];
  /** The value of X-RateLimit-Limit if it was a number without an interval. */
  bareCount: number | null;
  /** True if X-RateLimit-Limit states that there is no limit. */
  saysUnlimited: boolean;
  /** X-RateLimit-Limit as received, truncated for display. */
  policy: string | null;
  remaining: number | null;
  /** Time from the timestamp of the answer to the reset; null if unknown. */
  resetInMs: number | null;
  /** The reset as wall time of the service, if the header was a timestamp. */
  resetAtServiceMs: number | null;
  /** Time to wait from the arrival of the answer; null if absent or invalid. */
  retryAfterMs: number | null;
  /** The service's time from the `Date` header. */
  serviceMs: number | null;
  /** True if at least one of limit, remaining and reset was present. */
  hasRateHeaders: boolean;
}

/**
 * A number with thousands separators, or with one or two decimals. Three decimals could be thousands in another locale.
 */
const NUMBER = '(?<![\\w.])(?:\\d{1,3}(?:,\\d{3})+(?!\\d)|\\d[\\d_]*(?:\\.\\d{1,2})?(?![\\d.]))';

/** Forms such as `30 per 1 second`, `1000/minute`, `30 requests every 10 s` and `30r/s`. */
const PER = new RegExp(
  `(${NUMBER})[\\s-]*(?:requests?|reqs?|r|calls?|hits?|times)?[\\s-]*` +
    `(?:\\/|\\bper\\b|\\bevery\\b|\\beach\\b|\\bin(?:\\s+any)?\\b|\\bwithin\\b|\\ban?\\b)[\\s-]*` +
    `(\\d+(?:\\.\\d+)?)?\\s*(${UNITS})\\b`,
  'gi',
);
/** Forms such as `30rps` and `1000 rpm`. */
const PER_LETTER = new RegExp(`(${NUMBER})\\s*[rq]p([smhd])\\b`, 'gi');
/**
 * Forms of the RateLimit-Policy drafts, with intervals in seconds: `30;w=1`, `"default";q=30;w=1` and `30;window=1`.
 */
const POLICY_ITEM = /(?:\bq=)?(\d+)\s*;\s*(?:[a-z]+=[^;,]*;\s*)*w(?:indow)?=(\d+(?:\.\d+)?)/gi;
const POLICY_ITEM_TURNED = /;\s*w(?:indow)?=(\d+(?:\.\d+)?)\s*;\s*(?:[a-z]+=[^;,]*;\s*)*q=(\d+)/gi;
const UNLIMITED = /^(?:unlimited|none|off|disabled|no[ -]limits?|infinit[ey]|inf|∞|-1)$/i;
const BARE = /^(\d{1,3}(?:,\d{3})+|\d[\d_]*)(?:, \1)*$/;
const MAX_POLICY_LENGTH = 200;
/** Maximum number of characters parsed. A policy is a short line; parsing more would only take time. */
const READ_LENGTH = 500;
/** No window is longer than a month, so a later reset is in an unknown unit. */
const MAX_RESET_MS = 31 * DAY_MS;

const toCount = (text: string) => Number(text.replace(/[,_]/g, ''));

/** The windows in a policy text, shortest first. If a length has several counts, the lowest one is taken. */
export function parsePolicy(text: string): LimitWindow[] {
  const byLength = new Map<number, number>();
  const add = (stated: number, statedMs: number) => {
    // Half a request per second becomes one request in two seconds. One and a half are rounded down to one.
    const isPart = stated > 0 && stated < 1;
    const [count, lengthMs] = isPart ? [1, Math.ceil(statedMs / stated)] : [Math.floor(stated), statedMs];
    if (!Number.isSafeInteger(count) || count < 1 || !(lengthMs >= 1) || lengthMs > MAX_RESET_MS) return;
    byLength.set(lengthMs, Math.min(count, byLength.get(lengthMs) ?? count));
  };
  for (const match of text.matchAll(PER)) {
    add(toCount(elementAt(match, 1)), Math.round(Number(match[2] ?? 1) * unitMs(elementAt(match, 3))));
  }
  for (const match of text.matchAll(PER_LETTER))
    add(toCount(elementAt(match, 1)), unitMs(elementAt(match, 2)));
  for (const match of text.matchAll(POLICY_ITEM)) {
    add(toCount(elementAt(match, 1)), Math.round(Number(match[2]) * 1_000));
  }
  for (const match of text.matchAll(POLICY_ITEM_TURNED)) {
    add(toCount(elementAt(match, 2)), Math.round(Number(match[1]) * 1_000));
  }
  return [...byLength]
    .map(([lengthMs, count]) => ({ count, lengthMs }))
    .sort((a, b) => a.lengthMs - b.lengthMs);
}

/** Fast path for most answers: a plain number; null for anything else. */
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

const COUNT = /^\s*(\d+)(?:\.\d+)?\s*(?:$|;)/;
/** A number with thousands separators, recognized by a group with a leading zero, as in `1,000`. */
const THOUSANDS = /^\s*\d{1,3}(?:,\d{3})*,0\d\d(?:,\d{3})*\s*$/;

/** Parses a count. If there are several numbers because the header was sent twice, the lowest one is taken. */
function parseCount(text: string | null): number | null {
  if (text === null) return null;
  const plain = plainNumber(text);
  if (plain !== null) return plain;
  if (THOUSANDS.test(text)) return toCount(text);
  const counts = text.split(',').flatMap((part) => COUNT.exec(part)?.[1] ?? []);
  return counts.length === 0 ? null : Math.min(...counts.map(Number));
}

const NO_RESET = { inMs: null, atMs: null };

interface Reset {
  inMs: number | null;
  atMs: number | null;
}

const RESET = /^(\d+(?:\.\d+)?)\s*s?\s*(?:$|;)/i;

/**
 * Parses a reset: a timestamp in seconds or milliseconds, a date, or seconds from now. If there are several because the
 * header was sent twice, the latest is taken.
 */
function parseReset(text: string | null, serviceMs: number | null): Reset {
  if (text === null) return NO_RESET;
  const trimmed = text.trim();
  const plain = plainNumber(trimmed);
  if (plain !== null) return resetOf(plain, serviceMs);
  const atMs = parseHttpDate(trimmed);
  if (atMs !== null) return resetAt(atMs, serviceMs);
  let latest: Reset = NO_RESET;
  for (const part of trimmed.split(',')) {
    const value = RESET.exec(part.trim())?.[1];
    if (value === undefined) continue;
    const reset = resetOf(Number(value), serviceMs);
    const isLater = (reset.inMs ?? reset.atMs ?? 0) > (latest.inMs ?? latest.atMs ?? -1);
    if (isLater) latest = reset;
  }
  return latest;
}

function resetOf(value: number, serviceMs: number | null): Reset {
  // A smaller number would be a timestamp before 2001, so it is a wait in seconds.
  if (value >= 1e9) return resetAt(value >= 1e11 ? Math.ceil(value) : Math.ceil(value * 1_000), serviceMs);
  const waitMs = Math.ceil(value * 1_000);
  return waitMs > MAX_RESET_MS ? NO_RESET : { inMs: waitMs, atMs: null };
}

/** A timestamp is compared with the service's own time in the answer. */
function resetAt(atMs: number, serviceMs: number | null): Reset {
  if (serviceMs !== null && atMs - serviceMs > MAX_RESET_MS) return NO_RESET;
  return { inMs: serviceMs === null ? null : Math.max(0, atMs - serviceMs), atMs };
}

/** Caches the last few results of a pure function, because services repeat the same policy and date. */
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

/** `wallMs`: used only for a date in Retry-After if the answer has no `Date`. */
export function readRateHeaders(headers: RateHeaders, wallMs: number): RateReading {
  const serviceMs = headers.date === null ? null : dates.read(headers.date);
  const policy = headers.limit?.trim().slice(0, READ_LENGTH) ?? '';
  const windows = policy === '' ? NO_WINDOWS : policies.read(policy);
  const bare = windows.length === 0 && policy !== '' ? BARE.exec(policy) : null;
  const bareCount = bare === null ? 0 : toCount(elementAt(bare, 1));
  const reset = parseReset(headers.reset, serviceMs);
  return {
    windows,
    bareCount: bareCount < 1 ? null : bareCount,
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
