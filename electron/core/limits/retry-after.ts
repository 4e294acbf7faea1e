/** Handles the wait that a service asks for (SERVICE.md S8): parses Retry-After, and parks a lane. Pure. */
import { parseHttpDate } from '../text/http-date.ts';
import { backoffMs } from './backoff.ts';
import type { LearnedState } from './learned-state.ts';
import { DAY_MS, MAX_WAIT_MS } from './limits.ts';
import { UNITS, unitMs } from './time-units.ts';

/** Wait after a 429 that does not state one. */
const DEFAULT_WAIT_MS = 1_000;
/** Maximum parsed wait, effectively forever. The code that stores the wait decides how much of it is plausible. */
const MAX_STATED_WAIT_MS = 10 * 365 * DAY_MS;
/** A number of seconds that, as a timestamp, is within this distance from now is read as a timestamp. */
const NEAR_MS = 31 * DAY_MS;

const WAIT = new RegExp(`^"?\\+?(\\d+(?:\\.\\d+)?)\\s*(${UNITS})?"?$`, 'i');
const DATES = /[a-z]{3,9},? [\d]{1,2}[ -][a-z]{3}[ -]\d{2,4} \d{2}:\d{2}:\d{2} (?:gmt|utc|\+0000)/gi;

/**
 * Parses seconds (also with decimals or another unit), or a date. A date is compared with the answer's own `Date`, or
 * with `wallMs` if there is none. If there are several because the header was sent twice, the longest wait is taken.
 */
export function parseRetryAfter(
  text: string | null,
  serviceMs: number | null,
  wallMs: number,
): number | null {
  if (text === null) return null;
  const fromMs = serviceMs ?? wallMs;
  const waits: number[] = [];
  const noteDate = (date: string) => {
    const atMs = parseHttpDate(date);
    if (atMs !== null) waits.push(Math.max(0, atMs - fromMs));
    return atMs !== null;
  };
  if (!noteDate(text)) {
    for (const date of text.match(DATES) ?? []) noteDate(date);
    for (const part of text.replace(DATES, '').split(/[,;]/)) {
      const match = WAIT.exec(part.trim());
      if (match !== null) waits.push(waitMs(Number(match[1]), match[2] ?? 's', fromMs));
    }
  }
  return waits.length === 0 ? null : Math.min(MAX_STATED_WAIT_MS, Math.ceil(Math.max(...waits)));
}

/** A number that is a time near that of the answer is a timestamp, because nobody asks for a wait of decades. */
function waitMs(value: number, unit: string, fromMs: number): number {
  for (const atMs of [value * 1_000, value]) {
    if (value >= 1e9 && atMs > fromMs - DAY_MS && atMs < fromMs + NEAR_MS) return Math.max(0, atMs - fromMs);
  }
  return value * unitMs(unit);
}

/**
 * Parks the lane for at least the requested time, as far as it is plausible, plus jitter, because a Retry-After is a
 * minimum. Called after a 429, and after a 503 with a wait. `askedMs`: null if the answer states none.
 */
export function park(
  state: LearnedState,
  askedMs: number | null,
  { receivedAtMs, random }: { receivedAtMs: number; random: number },
): void {
  const wantedMs = askedMs ?? DEFAULT_WAIT_MS;
  if (wantedMs > MAX_WAIT_MS) state.isWaitCut = true;
  const floorMs = Math.min(wantedMs, MAX_WAIT_MS);
  const untilMs = receivedAtMs + floorMs + 1 + backoffMs(state.refusalStreak, random);
  state.parkedUntilMs = Math.max(state.parkedUntilMs ?? 0, untilMs);
}
