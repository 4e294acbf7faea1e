/** The number of events that a model received each day, from a metric query. Pure. */
import { ruleBody } from '../../../electron/shared/alert-rule.ts';
import type { ListQuery, TimeRange } from '../../../electron/shared/model.ts';
import { rangeOfQuery } from '../../../electron/shared/query-range.ts';
import { formatNumber } from '../format.ts';
import { readAnswer } from './query-answer.ts';
import type { SparkValue } from './spark.ts';

const DAY = 86_400_000;
const NAMES = { metric: () => undefined, column: () => undefined, baseline: () => undefined };

/** The query for the traffic of a model by day, with a stable key, so that every view finds the stored answer. */
export function trafficQuery(model: { id: string; projectId: string }, range: TimeRange): ListQuery {
  const body = ruleBody(
    {
      ...{ id: 'traffic', projectId: model.projectId, modelId: model.id, metricId: 'traffic' },
      ...{ metricType: '', binSize: 'Day', baselineId: '', category: '', segmentId: '' },
    },
    [],
    { start: new Date(range.startMs).toISOString(), end: new Date(range.endMs).toISOString() },
  );
  return { operation: 'queries.run', path: {}, query: {}, ...(body === null ? {} : { body }) };
}

export interface Traffic {
  /** Whole days, oldest first. The day that had not ended when it was read is left out. */
  days: SparkValue[];
  /**
   * Mean of the whole days, beginning with the first day with events; a day without a value counts as 0. Null if no day
   * has a value.
   */
  perDay: number | null;
  /**
   * Number of whole days from the first day with events until the time of reading; all days if there were no events.
   */
  wholeDays: number;
  /** Number of these days with events. */
  busyDays: number;
  /** Start of the last day with events; null if there is none. */
  lastMs: number | null;
}

/** `readMs`: when the answer was read. */
export function readTraffic(record: Record<string, unknown>, query: ListQuery, readMs: number): Traffic {
  const [series] = readAnswer(record, query.body ?? {}, NAMES).series;
  const all = (series?.times ?? []).map((timeMs, at) => ({ timeMs, value: series?.values[at] ?? null }));
  const days = all.filter(({ timeMs }) => timeMs + DAY <= readMs);
  const known = days.flatMap(({ value }) => (value === null ? [] : [value]));
  const range = rangeOfQuery(query);
  const rangeDays = range === null ? 0 : Math.floor((Math.min(range.endMs, readMs) - range.startMs) / DAY);
  const idleDays = Math.max(
    0,
    days.findIndex(({ value }) => value !== null && value > 0),
  );
  // A new model has no events before its first day, so the days before are not counted.
  const wholeDays = Math.max(rangeDays, days.length) - idleDays;
  return {
    days,
    perDay: known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / wholeDays,
    wholeDays,
    busyDays: known.filter((value) => value > 0).length,
    lastMs: all.findLast(({ value }) => value !== null && value > 0)?.timeMs ?? null,
  };
}

/** `, on 1 of 29 whole days`; empty if there were events on every day. */
export function busyDaysText({ busyDays, wholeDays }: Traffic): string {
  if (busyDays >= wholeDays) return '';
  return `, on ${formatNumber(busyDays)} of ${formatNumber(wholeDays)} whole days`;
}
