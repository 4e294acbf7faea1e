/** Times of spans in files of other tools: numbers since 1970 of any unit, and durations in milliseconds. Pure. */
import { isRawNumber, writeExact } from '../../shared/exact-json.ts';
import type { SpanChanges } from '../../shared/span-file.ts';
import { isoTime } from '../../shared/zone-time.ts';
import { msBetween } from './otlp-values.ts';

/** Nanoseconds of a unit, by the number of digits of times between 2001 and 2286. */
const UNITS: ReadonlyMap<number, bigint> = new Map([
  [10, 1_000_000_000n],
  [13, 1_000_000n],
  [16, 1_000n],
  [19, 1n],
]);
const NUMBER = /^(\d+)(?:\.(\d{1,9})\d*)?$/;

interface EpochTime {
  nanos: bigint;
  /** Nanoseconds of its unit. */
  unit: bigint;
}

/** The time of a number since 1970 in seconds, milliseconds, microseconds or nanoseconds; null for other values. */
export function epochOf(value: unknown): EpochTime | null {
  const text = typeof value === 'number' || isRawNumber(value) ? writeExact(value) : value;
  const [, whole = '', fraction = ''] = typeof text === 'string' ? (NUMBER.exec(text.trim()) ?? []) : [];
  const unit = UNITS.get(whole.length);
  if (unit === undefined) return null;
  const part = (BigInt(fraction.padEnd(9, '0')) * unit) / 1_000_000_000n;
  return { nanos: BigInt(whole) * unit + part, unit };
}

function nanosOfTime(value: unknown): bigint | null {
  const epoch = epochOf(value);
  if (epoch !== null) return epoch.nanos;
  const ms = typeof value === 'string' ? isoTime(value) : null;
  return ms === null ? null : BigInt(Math.round(ms * 1_000)) * 1_000n;
}

/**
 * The duration of a span in milliseconds: between its times; without an end, in the unit in which the start is given; a
 * duration beside a time in words stays as it is.
 */
export function durationIn(
  { start, end, duration }: { start: unknown; end: unknown; duration: unknown },
  into: SpanChanges,
): unknown {
  const [from, to] = [nanosOfTime(start), nanosOfTime(end)];
  const unit = epochOf(start)?.unit;
  const given = Number(isRawNumber(duration) ? duration.digits : (duration ?? Number.NaN));
  const between = from !== null && to !== null && to >= from ? msBetween(from, to) : null;
  const ms = between ?? (unit === undefined ? given : (given * Number(unit)) / 1e6);
  if (!Number.isFinite(ms)) return duration;
  if (Number.isFinite(given) && ms !== given)
    into.add('duration-number', 'duration', String(given), String(ms));
  return ms === given ? duration : ms;
}
