/** Sums the figures of the traces of compared runs, and compares them item by item with those of the baseline. Pure. */
import { longestFirst } from '../../shared/critical-path.ts';
import {
  type RunsUsage,
  type RunUsage,
  type TraceUsage,
  USAGE_FIGURES,
  type UsageFigure,
  type UsageSum,
} from '../../shared/run-usage.ts';
import { elementAt } from '../element-at.ts';
import type { UsedTrace } from '../spans/trace-usage.ts';
import { medianOf } from '../statistics/median.ts';
import { RUN_FATES, type RunColumns } from './run-columns.ts';

/**
 * A trace that was read. `partial`: some of its spans are missing; `unread`: it has too many spans; null: not stored.
 */
export type FoundTrace = UsedTrace | 'partial' | 'unread' | null;

interface UsageRules {
  /** Index of the baseline among the runs. */
  baseline: number;
  items: number;
  /** Number of results of a run, stored or not; null if unknown, undefined if all are stored. */
  totalOf: (run: number) => number | null | undefined;
  /** Index of an item in a run; −1 if the run does not have it. */
  placeOf: (run: number, item: number) => number;
  traceOf: (traceId: string) => FoundTrace;
  /** `itemUsage` of an item, by its index in a run. */
  usageOf: (run: number, place: number) => TraceUsage | null;
}

export function usageOfRuns(
  runs: readonly RunColumns[],
  { baseline, items, totalOf, placeOf, traceOf, usageOf }: UsageRules,
): RunsUsage {
  const ofItems = runs.map((_, run) =>
    Array.from({ length: items }, (_, item) => usageOf(run, placeOf(run, item))),
  );
  const before = elementAt(ofItems, baseline);
  return {
    runs: runs.map((columns, run) => {
      const { sums, ...counts } = sumOf(columns, traceOf);
      const total = totalOf(run);
      return {
        ...counts,
        unstored: total === null ? null : Math.max(0, (total ?? 0) - counts.results),
        sums: sums.map((sum): UsageSum => {
          const own = elementAt(ofItems, run);
          return { ...sum, ...mediansOf(sum.figure, own, run === baseline ? null : before) };
        }),
      };
    }),
  };
}

/** Traces that results of several items refer to. Their figures cannot be assigned to one item. */
export function sharedTraces({ traces }: Pick<RunColumns, 'traces'>): ReadonlySet<string> {
  const itemOf = new Map<string, number>();
  const shared = new Set<string>();
  for (const [place, traceIds] of traces)
    for (const traceId of traceIds) {
      if ((itemOf.get(traceId) ?? place) !== place) shared.add(traceId);
      itemOf.set(traceId, place);
    }
  return shared;
}

/**
 * Mean figures of an item's traces. Null if the item failed or was skipped, or if a trace is not completely stored or
 * is shared with other items.
 */
export function itemUsage(
  { fates, traces, repeated }: Pick<RunColumns, 'fates' | 'traces' | 'repeated'>,
  place: number,
  traceOf: UsageRules['traceOf'],
  shared: ReadonlySet<string>,
): TraceUsage | null {
  const traceIds = place < 0 ? undefined : traces.get(place);
  if (traceIds === undefined || traceIds.length < (repeated.get(place)?.length ?? 1)) return null;
  const fate = RUN_FATES[elementAt(fates, place)];
  if (fate !== 'good' && fate !== 'other') return null;
  const found: UsedTrace[] = [];
  for (const traceId of traceIds) {
    const trace = traceOf(traceId);
    if (trace === null || typeof trace === 'string' || shared.has(traceId)) return null;
    found.push(trace);
  }
  const meanOf = (figure: UsageFigure): number | null => {
    let sum = 0;
    for (const trace of found) {
      const value = trace[figure];
      if (value === null) return null;
      sum += value;
    }
    return sum / found.length;
  };
  // Written out, because building the object from a list is several times slower for 10,000 items.
  return {
    tokens: meanOf('tokens'),
    inputTokens: meanOf('inputTokens'),
    outputTokens: meanOf('outputTokens'),
    costUsd: meanOf('costUsd'),
    pathMs: meanOf('pathMs'),
  };
}

function sumOf(
  { results, traces }: RunColumns,
  traceOf: UsageRules['traceOf'],
): Omit<RunUsage, 'sums' | 'unstored'> & { sums: Pick<UsageSum, 'figure' | 'sum' | 'traces'>[] } {
  const counts = { named: 0, whole: 0, partial: 0, missing: 0, unread: 0 };
  const counted = new Set<string>();
  const sums = new Map<UsageFigure, { sum: number; traces: number }>();
  const pathMs = new Map<string | null, number>();
  for (const traceIds of traces.values())
    for (const traceId of traceIds) {
      const trace = traceOf(traceId);
      counts.named += 1;
      counts[trace === null ? 'missing' : typeof trace === 'string' ? trace : 'whole'] += 1;
      if (trace === null || typeof trace === 'string' || counted.has(traceId)) continue;
      counted.add(traceId);
      for (const figure of USAGE_FIGURES) {
        const value = trace[figure];
        if (value === null) continue;
        const { sum, traces: known } = sums.get(figure) ?? { sum: 0, traces: 0 };
        sums.set(figure, { sum: sum + value, traces: known + 1 });
      }
      for (const { type, ms } of trace.pathByType) pathMs.set(type, (pathMs.get(type) ?? 0) + ms);
    }
  return {
    ...counts,
    results: Object.values(results).reduce((all, count) => all + count, 0),
    traces: counted.size,
    sums: USAGE_FIGURES.flatMap((figure) => {
      const sum = sums.get(figure);
      return sum === undefined ? [] : { figure, ...sum };
    }),
    pathByType: longestFirst(pathMs),
  };
}

/** If `before` is null, the medians of the run alone. */
function mediansOf(
  figure: UsageFigure,
  own: readonly (TraceUsage | null)[],
  before: readonly (TraceUsage | null)[] | null,
): Pick<UsageSum, 'median' | 'difference'> {
  const values: number[] = [];
  const differences: number[] = [];
  for (const [item, usage] of own.entries()) {
    const value = usage?.[figure] ?? null;
    if (value === null) continue;
    values.push(value);
    const earlier = before?.[item]?.[figure] ?? null;
    if (earlier !== null) differences.push(value - earlier);
  }
  return { median: medianOf(values), difference: medianOf(differences) };
}
