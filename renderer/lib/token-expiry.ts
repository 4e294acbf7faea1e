/** Finds out when the token in use expires, from the list of access keys (SERVICE.md F13). Pure. */
import { parseTime } from '../../electron/shared/zone-time.ts';
import { formatCount } from './format.ts';
import { type JsonObject, textField } from './records.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Home shows the expiry if at most this many days are left. */
const SAID_DAYS = 14;
const URGENT_DAYS = 3;

export interface TokenExpiry {
  keyId: string;
  keyName: string;
  expiresAtMs: number;
}

/** The key that ends with the same characters as the token; null if none or several do. */
export function keyInUse(keys: readonly JsonObject[], lastFour: string): JsonObject | null {
  if (lastFour.length < 4) return null;
  const found = keys.filter((key) => textField(key, 'key_suffix').endsWith(lastFour));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** When the key expires; null if it has no such time. */
export function expiryOf(key: JsonObject | null): TokenExpiry | null {
  const expiresAtMs = key === null ? null : parseTime(key['expires_at']);
  if (key === null || expiresAtMs === null) return null;
  return { keyId: textField(key, 'key_id'), keyName: textField(key, 'name'), expiresAtMs };
}

/** `in 6 days` in whole days, on the last day in hours; null once the time has passed. */
export function timeLeft(expiresAtMs: number, nowMs: number): string | null {
  const leftMs = expiresAtMs - nowMs;
  if (leftMs <= 0) return null;
  if (leftMs < HOUR_MS) return 'in less than an hour';
  if (leftMs < DAY_MS) return `in ${formatCount(Math.floor(leftMs / HOUR_MS), 'hour')}`;
  return `in ${formatCount(Math.floor(leftMs / DAY_MS), 'day')}`;
}

/** A sentence such as `This token expires in 6 days.` */
export function expirySentence({ expiresAtMs }: TokenExpiry, nowMs: number): string {
  const left = timeLeft(expiresAtMs, nowMs);
  return left === null ? 'This token has expired.' : `This token expires ${left}.`;
}

/** Whether the expiry is near enough to be shown on Home, and how it is highlighted. */
export function urgencyOf({ expiresAtMs }: TokenExpiry, nowMs: number): 'none' | 'info' | 'warn' {
  const leftMs = expiresAtMs - nowMs;
  if (leftMs > SAID_DAYS * DAY_MS) return 'none';
  return leftMs > URGENT_DAYS * DAY_MS ? 'info' : 'warn';
}
