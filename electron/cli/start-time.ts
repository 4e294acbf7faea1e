/** Points and lengths of time as typed and printed on the command line. Local time. */
import { AppError } from '../shared/errors.ts';
import { numberText } from './human-text.ts';
import { readTime } from './typed-time.ts';

/** Possible amounts by which clocks are set back at the end of summer time. */
const SET_BACK_MS = [1_800_000, 3_600_000];
/**
 * `02:00` is the next time a wall clock shows it, `2026-05-01 02:00` that local time, an ISO time with a zone that
 * instant, and `2h` in two hours. `option`: its name in messages. Throws INVALID_ARGUMENT for anything else and for times in the past.
 */
export function parseStartTime(text: string, nowMs: number, option = '--start-at'): number {
  const clock = (hour: number, minute: number) => nextClock(hour, minute, nowMs);
  const found = readTime(text, nowMs, { clock, lengthSign: 1 });
  if (found === null) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `${option} expects a time such as 02:00, "tomorrow 02:00", "2026-05-01 02:00", 2026-05-01T02:00:00Z or 2h (from now), got ${text}.`,
    );
  }
  const atMs = found.ms;
  if (atMs > nowMs) return atMs;
  throw new AppError('INVALID_ARGUMENT', `${option} expects a time in the future; ${text} has passed.`);
}

function nextClock(hour: number, minute: number, nowMs: number): number {
  const at = new Date(nowMs);
  at.setHours(hour, minute, 0, 0);
  // In the night in which clocks are set back, an hour occurs twice.
  const shown = SET_BACK_MS.map((byMs) => at.getTime() + byMs).filter((ms) => isShown(ms, hour, minute));
  const next = [at.getTime(), ...shown].find((ms) => ms > nowMs);
  if (next !== undefined) return next;
  at.setDate(at.getDate() + 1);
  // If a clock change moved the time, the wall clock time counts.
  at.setHours(hour, minute, 0, 0);
  return at.getTime();
}

function isShown(ms: number, hour: number, minute: number): boolean {
  const at = new Date(ms);
  return at.getHours() === hour && at.getMinutes() === minute;
}

/** `30 per day`, `10 per s`, `5 per 2 min`. */
export function limitText({ count, lengthMs }: { count: number; lengthMs: number }): string {
  const units: [number, string][] = [
    [86_400_000, 'day'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ];
  const [unitMs, unit] = units.find(([ms]) => lengthMs % ms === 0) ?? [1, 'ms'];
  return `${numberText(count)} per ${lengthMs === unitMs ? '' : `${lengthMs / unitMs} `}${unit}`;
}
