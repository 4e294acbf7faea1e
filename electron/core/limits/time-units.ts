/** Time units in HTTP headers. Pure. */
import { DAY_MS } from './limits.ts';

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
/** A pattern that matches every unit. */
export const UNITS =
  'milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|months?|m|hours?|hrs?|h|days?|d|weeks?|w';

/** Milliseconds of one unit; 0 if the unit is unknown. */
export function unitMs(text: string): number {
  const lower = text.toLowerCase();
  return UNIT_MS[lower] ?? UNIT_MS[lower.replace(/s$/, '')] ?? 0;
}
