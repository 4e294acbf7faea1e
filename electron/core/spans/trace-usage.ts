/** Computes tokens, cost and critical path of a trace, and whether all of its spans are stored. Pure. */
import { criticalPath, msByType } from '../../shared/critical-path.ts';
import type { JsonObject } from '../../shared/messages/message.ts';
import type { Pieces } from '../../shared/pieces.ts';
import type { TraceUsage } from '../../shared/run-usage.ts';
import { idField, spanTree } from '../../shared/span-tree.ts';
import { type SpanTimes, timesOf, USUAL_UNIT_MS, unitOf } from '../../shared/span-unit.ts';
import { sumUsage, type Usage, usageOf } from '../../shared/span-usage.ts';
import type { ReadRange } from './read-ranges.ts';

/** The fields of a span that are needed for its trace. */
export interface UsedSpan extends SpanTimes {
  traceId: string;
  type: string;
  usage: Usage;
}

export interface UsedTrace extends TraceUsage {
  /** Milliseconds of the critical path by span type. A type of null stands for the time between spans. */
  pathByType: readonly { type: string | null; ms: number }[];
}

export const usedSpan = (record: JsonObject): UsedSpan => ({
  ...timesOf(record),
  traceId: idField(record['trace_id']),
  type: idField(record['span_type']),
  usage: usageOf(record),
});

/**
 * The usage of a trace. Null if spans may be missing: a span refers to a parent that is not stored, or no completely
 * read time range covers the trace from its first start to its last end. `ranges` must not touch each other.
 * `usualUnitMs`: unit of durations if it cannot be inferred.
 */
export function* usageOfTrace(
  spans: readonly UsedSpan[],
  ranges: readonly ReadRange[],
  usualUnitMs = USUAL_UNIT_MS,
): Pieces<UsedTrace | null> {
  const { nodes, roots } = yield* spanTree(spans);
  if (nodes.some(({ isOrphan }) => isOrphan)) return null;
  const unitMs = unitOf(spans) ?? usualUnitMs;
  const { nested: _, ...usage } = yield* sumUsage(roots);
  const path = yield* criticalPath(roots, unitMs);
  const [first, last] = [path[0], path.at(-1)];
  const pathMs = first === undefined || last === undefined ? null : last.endMs - first.startMs;
  if (!isWithin(ranges, [...spans.map(({ startMs }) => startMs), last?.endMs ?? null])) return null;
  return { ...usage, pathMs, pathByType: msByType(path) };
}

/** True if one range contains all these times. If there are no times, true if there is exactly one range. */
function isWithin(ranges: readonly ReadRange[], times: readonly (number | null)[]): boolean {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const time of times) {
    if (time === null) continue;
    first = Math.min(first, time);
    last = Math.max(last, time);
  }
  if (first > last) return ranges.length === 1;
  return ranges.some(({ startMs, endMs }) => startMs <= first && last <= endMs);
}
