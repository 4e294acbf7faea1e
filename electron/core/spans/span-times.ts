/**
 * Reads times of spans in files of other tools: numbers since 1970 in any unit, and durations in milliseconds. Pure.
 */
import { isRawNumber, writeExact } from '../../shared/exact-json.ts';
import type { SpanChanges } from '../../shared/span-file.ts';
import { ENDS_BEFORE_START, msBetween, nanosOfText } from './otlp-values.ts';

/** The unit of a number, in nanoseconds, by its number of digits. Valid for times between 2001 and 2286. */
const UNITS: ReadonlyMap<number, bigint> = new Map([
  [10, 1_000_000_000n],
  [13, 1_000_000n],
  [16, 1_000n],
  [19, 1n],
]);
const NUMBER = /^(\d+)(?:\.(\d{1,9})\d*)?$/;

interface EpochTime {
  nanos: bigint;
  /** Length of the unit in nanoseconds. */
  unit: bigint;
}

/** The time of a number of seconds, milliseconds, microseconds or nanoseconds since 1970; null for other values. */
export function epochOf(value: unknown): EpochTime | null {
  const text = typeof value === 'number' || isRawNumber(value) ? writeExact(value) : value;
  const [, whole = '', fraction = ''] = typeof text === 'string' ? (NUMBER.exec(text.trim()) ?? []) : [];
  const unit = UNITS.get(whole.length);
  if (unit === undefined) return null;
  const part = (BigInt(fraction.padEnd(9, '0')) * unit) / 1_000_000_000n;
  return { nanos: BigInt(whole) * unit + part, unit };
}

const HAS_ZONE = /(?:z|[+-]\d{2}(?::?\d{2})?)$/i;
/** Factors from milliseconds, seconds, microseconds and nanoseconds to milliseconds, the most common unit first. */
const FACTORS = [1, 1_000, 1e-3, 1e-6];
const SECOND_MS = 1_000;

/** Milliseconds between two times, negative if they are in reverse order, and their precision; null if a time is missing. */
function spanBetween(start: unknown, end: unknown): { ms: number; exactMs: number } | null {
  const [from, to] = [momentOf(start), momentOf(end)];
  if (from === null || to === null || from.hasZone !== to.hasZone) return null;
  return { ms: msBetween(from.nanos, to.nanos), exactMs: Math.max(from.exactMs, to.exactMs) };
}

/** A number since 1970 or an ISO 8601 time, with its precision. */
function momentOf(value: unknown): { nanos: bigint; exactMs: number; hasZone: boolean } | null {
  const epoch = epochOf(value);
  if (epoch !== null) return { nanos: epoch.nanos, exactMs: Number(epoch.unit) / 1e6, hasZone: true };
  const nanos = nanosOfText(value);
  if (nanos === null || typeof value !== 'string') return null;
  return {
    nanos,
    exactMs: /[.,]\d/.test(value) ? 1 : SECOND_MS,
    hasZone: HAS_ZONE.test(value.trim()),
  };
}

const isNoTime = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  typeof value === 'boolean' ||
  (typeof value === 'string' && value.trim() === '');

/** Columns of durations whose names state the unit, with the factor to milliseconds. */
const NAMED_DURATIONS: readonly (readonly [name: string, factor: number])[] = [
  ['duration_ms', 1],
  ['durationMs', 1],
  ['duration_us', 1e-3],
  ['duration_ns', 1e-6],
  ['duration_nano', 1e-6],
  ['durationNano', 1e-6],
  ['durationNanos', 1e-6],
];
/** OpenTelemetry's tables in ClickHouse store nanoseconds. */
const CLICKHOUSE: (typeof NAMED_DURATIONS)[number] = ['Duration', 1e-6];

/** A non-negative number, or the text of one; NaN for anything else, such as a blank text. */
function amountOf(value: unknown): number {
  const text = isRawNumber(value) ? value.digits : value;
  const isGiven = typeof text === 'number' || (typeof text === 'string' && text.trim() !== '');
  const amount = isGiven ? Number(text) : Number.NaN;
  return amount >= 0 && Number.isFinite(amount) ? amount : Number.NaN;
}

/** The duration, in milliseconds, from a column whose name states its unit; undefined if there is none. */
export function namedDuration(flat: ReadonlyMap<string, unknown>, into: SpanChanges): unknown {
  const names = flat.has('SpanName') ? [...NAMED_DURATIONS, CLICKHOUSE] : NAMED_DURATIONS;
  for (const [name, factor] of names) {
    const value = flat.get(name);
    const given = amountOf(value);
    if (Number.isNaN(given)) continue;
    if (factor === 1) return value;
    const ms = Number((given * factor).toPrecision(15));
    into.add('duration-number', 'duration', String(given), String(ms));
    return ms;
  }
  return undefined;
}

/**
 * The duration of a span in milliseconds. If a duration is given, its unit is the one in which it agrees with start and
 * end. If there is no end, `isOneUnit` means that it has the unit of the start. If no duration is given, the time
 * between start and end is used; a span that ends before it starts has none, which is noted.
 */
export function durationIn(
  { start, end, duration }: { start: unknown; end: unknown; duration: unknown },
  isOneUnit: boolean,
  into: SpanChanges,
): unknown {
  const found = spanBetween(start, end);
  const between = found !== null && found.ms >= 0 ? found : null;
  const given = amountOf(duration);
  if (Number.isNaN(given)) {
    if (!isNoTime(duration)) return duration;
    if (found !== between) into.omit('duration', ENDS_BEFORE_START);
    return between?.ms ?? duration;
  }
  const unit = epochOf(start)?.unit;
  const factor =
    between === null
      ? isOneUnit && unit !== undefined
        ? Number(unit) / 1e6
        : 1
      : (FACTORS.find(
          (each) => Math.abs(given * each - between.ms) <= between.exactMs + between.ms / 1_000,
        ) ?? 1);
  if (factor === 1) return duration;
  const ms = Number((given * factor).toPrecision(15));
  into.add('duration-number', 'duration', String(given), String(ms));
  return ms;
}
