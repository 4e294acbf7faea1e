/** Durations of spans: the service documents no unit for them, so it is inferred from the spans. Pure. */
import { type SpanPlace, spanPlace } from '../../electron/shared/span-tree.ts';
import { formatDuration, formatNumber } from './format.ts';
import type { JsonObject } from './records.ts';

const UNITS_MS = [1e-6, 1e-3, 1, 1_000] as const;
/** A unit is accepted if this share of children starts while the parent is running. */
const FITTING_SHARE = 0.9;
/** Default if the unit cannot be inferred. */
export const USUAL_UNIT_MS = 1;

/**
 * Milliseconds per unit of `duration`: the smallest unit with which children start while their parents are
 * running. Null if these spans contain no usable child.
 */
export function readUnit(rows: readonly JsonObject[]): number | null {
  return unitOf(rows.map(timesOf));
}

/** Fields that determine when a span was running, and its parent. */
export interface SpanTimes extends SpanPlace {
  /** The service's value; null if it is not a number of at least zero. */
  duration: number | null;
}

export function timesOf(row: JsonObject): SpanTimes {
  const { duration } = row;
  return {
    ...spanPlace(row),
    duration: typeof duration === 'number' && Number.isFinite(duration) && duration >= 0 ? duration : null,
  };
}

/** The same as `readUnit` for times that are already read. */
export function unitOf(spans: readonly SpanTimes[]): number | null {
  const byId = new Map(spans.map((each) => [each.spanId, each]));
  const pairs = spans.flatMap(({ parentId, startMs }) => {
    const parent = parentId === '' ? undefined : byId.get(parentId);
    const parentMs = parent?.startMs ?? null;
    const duration = parent?.duration ?? null;
    if (startMs === null || parentMs === null || duration === null) return [];
    return startMs > parentMs ? [{ afterMs: startMs - parentMs, duration }] : [];
  });
  if (pairs.length === 0) return null;
  const fits = (unit: number) =>
    pairs.filter(({ afterMs, duration }) => afterMs <= duration * unit).length >=
    pairs.length * FITTING_SHARE;
  return UNITS_MS.find(fits) ?? null;
}

/** `s`, `ms`, `µs`, `ns` */
export function unitWord(unitMs: number): string {
  if (unitMs > 1) return 's';
  return unitMs === 1 ? 'ms' : unitMs < 1e-4 ? 'ns' : 'µs';
}

const rounded = (value: number, places: number) => formatNumber(Number(value.toFixed(places)));

/** `430 ms`, `4.43 s`, `12.5 s`, `3 min`, `250 µs`: values compared in a column keep three digits. */
export function formatSpanDuration(value: number, unitMs: number): string {
  const ms = value * unitMs;
  if (!Number.isFinite(ms) || ms < 0) return formatNumber(value);
  if (ms === 0) return `0 ${unitWord(unitMs)}`;
  if (ms < 1e-3) return `${rounded(ms * 1e6, 0)} ns`;
  if (ms < 1) return `${rounded(ms * 1e3, 0)} µs`;
  if (ms < 999.5) return `${rounded(ms, ms < 9.95 ? 1 : 0)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(ms < 9_995 ? 2 : 1)} s`;
  return formatDuration(ms);
}
