/**
 * The time range of one from-spans call. The service searches only within it (SERVICE.md S4.9 rule 1), so it must cover
 * every span of the call; the precision of stored start times is not published, so a margin is added. Pure.
 */
import type { TimeRange } from '../../shared/dataset-model.ts';
import { isoTime } from '../../shared/zone-time.ts';

/** Milliseconds since 1970 of a start time from the service, or null. */
export function startMsOf(value: unknown): number | null {
  return typeof value === 'string' ? isoTime(value) : null;
}

interface RangeRules {
  /** Bounds set by a person, which apply to every call. */
  timeRange: TimeRange | null;
  /** Bounds of the queries from which the spans were picked. Used for spans without a start time. */
  pickedRange: TimeRange | null;
  marginMs: number;
}

/** Null if a span has no start time and no other range is known. */
export function callRange(startsMs: readonly (number | null)[], rules: RangeRules): TimeRange | null {
  if (rules.timeRange !== null) return rules.timeRange;
  const known = startsMs.filter((ms) => ms !== null);
  const bounds = known.length === 0 ? null : around(known, rules.marginMs);
  if (known.length === startsMs.length) return bounds;
  if (rules.pickedRange === null) return null;
  return bounds === null ? rules.pickedRange : unionOf(bounds, rules.pickedRange);
}

function around(startsMs: readonly number[], marginMs: number): TimeRange {
  const first = startsMs.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY);
  const last = startsMs.reduce((most, ms) => Math.max(most, ms), Number.NEGATIVE_INFINITY);
  // The end is exclusive, and a start may be a fraction of a millisecond later than parsed.
  return { startTime: isoOf(first - marginMs), endTime: isoOf(Math.floor(last) + 1 + marginMs) };
}

const LATEST_MS = 8_640_000_000_000_000;

export function isoOf(ms: number): string {
  const whole = Math.floor(Math.min(LATEST_MS, Math.max(-62_135_596_800_000, ms)));
  return new Date(whole).toISOString();
}

/** The range that covers both. Invalid bounds of the second range are replaced by those of the first. */
export function unionOf(one: TimeRange, other: TimeRange): TimeRange {
  const [start, otherStart] = [startMsOf(one.startTime), startMsOf(other.startTime)];
  const [end, otherEnd] = [startMsOf(one.endTime), startMsOf(other.endTime)];
  return {
    startTime: start !== null && otherStart !== null && otherStart < start ? other.startTime : one.startTime,
    endTime: end !== null && otherEnd !== null && otherEnd > end ? other.endTime : one.endTime,
  };
}
