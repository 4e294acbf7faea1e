/** Series in the timeline of a rule: the values of the metric, and their change if the rule watches it. Pure. */

import type { RuleParts } from '../../../electron/shared/alert-rule.ts';
import type { JsonObject } from '../../../electron/shared/json-fields.ts';
import { type MetricChoice, metricTitle } from '../../../electron/shared/metrics.ts';
import type { ChartSeries } from '../chart/types.ts';
import { type AlertBin, watchedSeries } from './alert-history.ts';
import { withOpenEnd } from './open-end.ts';
import { readAnswer } from './query-answer.ts';

interface Shown {
  record: Record<string, unknown>;
  query: { body?: JsonObject | undefined };
}

interface Timeline {
  series: ChartSeries[];
  /** All values of the metric that the service returned, including future bins. */
  answered: ChartSeries[];
  /** Problems in the response about the metric. */
  problems: string[];
}

const changeName = (rule: RuleParts): string =>
  `Change against ${rule.delta === null || rule.delta === 1 ? 'the bin' : `${rule.delta} bins`} before`;

/** Removes future bins, as their values mean nothing. */
function until(series: ChartSeries, nowMs: number): ChartSeries {
  const count = series.times.filter((ms) => ms <= nowMs).length;
  if (count === series.times.length) return series;
  return { ...series, times: series.times.slice(0, count), values: series.values.slice(0, count) };
}

/**
 * Series of the timeline, in the order of their styles. `readMs`: when the values were read, if that is in the past.
 */
export function timelineSeries(
  rule: RuleParts,
  bins: readonly AlertBin[],
  shown: Shown | null,
  metric: MetricChoice | undefined,
  nowMs: number,
  readMs: number | null = null,
): Timeline {
  const names = {
    metric: () => metric?.name ?? (rule.metricName === '' ? undefined : rule.metricName),
    column: (_: unknown, column: string) => metric?.columns.find(({ id }) => id === column)?.title,
    baseline: () => undefined,
  };
  const right = rule.isChange ? [rule.id] : [];
  const answer = shown === null ? null : readAnswer(shown.record, shown.query.body ?? {}, names, right);
  const begun = (answer?.series ?? []).map((series) => until(series, nowMs));
  const own = answer === null ? begun : withOpenEnd(begun, answer, Math.min(readMs ?? nowMs, nowMs));
  const hasOwn = own.some(({ values }) => values.some((value) => value !== null));
  const needsRecords = rule.isChange || !hasOwn;
  const recorded =
    needsRecords && bins.length > 0 ? [watchedSeries(bins, recordedName(rule), rule.binSize)] : [];
  return {
    series: [...recorded, ...own.map((series, index) => ({ ...series, look: index + recorded.length }))],
    answered: answer?.series ?? [],
    problems: (answer?.problems ?? []).map(({ name, text }) => `${name}: ${text}`),
  };
}

function recordedName(rule: RuleParts): string {
  return rule.isChange ? changeName(rule) : `${rule.metricName || 'Value'} in the records`;
}

/** Titles of the axes. */
export function timelineTitles(
  rule: RuleParts,
  metric: MetricChoice | undefined,
): { left: string; right: string } {
  const own = metricTitle(metric ?? { id: rule.metricId, name: rule.metricName, type: rule.metricType });
  return rule.isChange ? { left: `${changeName(rule)}, share`, right: own } : { left: own, right: '' };
}
