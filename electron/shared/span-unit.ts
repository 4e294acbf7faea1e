/** The unit of the durations of spans, inferred from spans and their children. Pure. */
import { doubleOf } from './exact-json.ts';
import type { JsonObject } from './messages/message.ts';
import { type SpanPlace, spanPlace } from './span-tree.ts';

const UNITS_MS = [1e-6, 1e-3, 1, 1_000] as const;
/** A unit is accepted if at least this share of children starts while the parent is running. */
const FITTING_SHARE = 0.9;
/** Default if the unit cannot be inferred. */
export const USUAL_UNIT_MS = 1;

/** Fields that determine a span's parent and when the span was running. */
export interface SpanTimes extends SpanPlace {
  /** The service's value; null if it is not a number of at least zero. */
  duration: number | null;
}

export function timesOf(row: JsonObject): SpanTimes {
  const duration = doubleOf(row['duration']);
  return {
    ...spanPlace(row),
    duration: duration !== null && Number.isFinite(duration) && duration >= 0 ? duration : null,
  };
}

/**
 * Milliseconds per unit of `duration`: the smallest unit with which children start while their parents are running.
 * Null if these spans contain no usable child.
 */
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
