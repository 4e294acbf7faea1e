/**
 * Tries a new rule on past values of its metric: when and how often it would have fired. Uses the rules of
 * the service (SERVICE.md F6.1): beyond the threshold, critical before warning, each column and bin
 * separately. Pure.
 */

import { AUTOMATIC, type RuleParts } from '../../../electron/shared/alert-rule.ts';
import type { MetricChoice } from '../../../electron/shared/metrics.ts';
import { civilAt, momentOf, UTC } from '../../../electron/shared/zone-time.ts';
import { levelStep, toStep } from '../chart/level-step.ts';
import { momentText } from '../chart/time-ticks.ts';
import type { ChartMarker, ChartSeries, ChartThreshold } from '../chart/types.ts';
import { type FormValues, textOf } from '../form/fields.ts';
import { formatCount, formatNumber } from '../format.ts';
import { deltaName } from './alert-form.ts';

/** Maximum number of drawn lines; more would be unreadable. */
const MAX_LINES = 6;

const numberIn = (values: FormValues, name: string): number | null => {
  const text = textOf(values, name).trim();
  const value = Number(text);
  return text === '' || !Number.isFinite(value) ? null : value;
};

/** The rule that the form describes at present. */
export function trialRule(
  values: FormValues,
  { projectId, metric }: { projectId: string; metric: MetricChoice | undefined },
): RuleParts {
  const features = values['feature_names'];
  const binSize = textOf(values, 'bin_size') || 'Day';
  const isChange = textOf(values, 'compare_to') === 'time_period';
  return {
    id: 'trial',
    ...{ baselineName: '', segmentName: '' },
    name: textOf(values, 'name'),
    priority: textOf(values, 'priority'),
    projectId,
    modelId: textOf(values, 'model_id'),
    modelName: '',
    applicationId: '',
    applicationName: '',
    metricId: textOf(values, 'metric_id'),
    metricName: metric?.name ?? textOf(values, 'metric_id'),
    metricType: metric?.type ?? '',
    features: typeof features === 'object' ? [...features] : [],
    binSize,
    isAbove: textOf(values, 'condition') !== 'lesser',
    isChange,
    delta: isChange ? numberIn(values, deltaName(binSize)) : null,
    isAutomatic: textOf(values, 'threshold_type') === AUTOMATIC,
    multipliers: {
      warning: numberIn(values, 'warning_multiplier'),
      critical: numberIn(values, 'critical_multiplier'),
    },
    warning: numberIn(values, 'warning_threshold'),
    critical: numberIn(values, 'critical_threshold'),
    baselineId: textOf(values, 'baseline_id'),
    segmentId: textOf(values, 'segment_id'),
    category: textOf(values, 'category'),
    notifies: null,
  };
}

/** Names the input that is missing before anything can be drawn; null if none is. */
export function trialLacks(rule: RuleParts, metric: MetricChoice | undefined): string | null {
  if (rule.modelId === '') return 'a model and a metric';
  if (rule.metricId === '') return 'a metric';
  if ((metric?.columns.length ?? 0) > 0 && rule.features.length === 0) return 'a column';
  if (metric?.requiresBaseline === true && rule.baselineId === '') return 'a baseline';
  if (metric?.requiresCategories === true && rule.category === '') return 'a category';
  return null;
}

const LENGTHS: Readonly<Record<string, number>> = { Hour: 3_600_000, Day: 86_400_000, Week: 604_800_000 };

/** Maximum number of values, as they are evaluated at each key press. */
const MAX_VALUES = 20_000;

/** Maximum number of columns whose history is requested: the more bins each has, the fewer columns. */
export function mostColumns(binSize: string, lengthMs: number): number {
  const bins = lengthMs / (LENGTHS[binSize] ?? 28 * 86_400_000);
  return Math.max(1, Math.floor(MAX_VALUES / Math.max(1, bins)));
}

/** Start of the bin `count` bins earlier, in UTC like all bins. */
export function binStartBefore(ms: number, binSize: string, count: number): number {
  const length = LENGTHS[binSize];
  if (length !== undefined) return ms - count * length;
  const { year, month, day } = civilAt(ms, UTC);
  return momentOf({ year, month: month - count, day }, UTC);
}

/** The relative change of each value from the bin `delta` earlier; null if either is missing. */
function changes(series: ChartSeries, binSize: string, delta: number): ChartSeries {
  const byTime = new Map(series.times.map((ms, index) => [ms, series.values[index] ?? null]));
  const values = series.times.map((ms) => {
    const [now, before] = [byTime.get(ms) ?? null, byTime.get(binStartBefore(ms, binSize, delta)) ?? null];
    return now === null || before === null || before === 0 ? null : (now - before) / Math.abs(before);
  });
  return { ...series, values };
}

/**
 * Limits a series to the finished bins of the range: the value of an unfinished bin is partial and is not evaluated
 * yet.
 */
function within(series: ChartSeries, binSize: string, { startMs, endMs, nowMs }: TrialRange): ChartSeries {
  const isJudged = (ms: number) => ms >= startMs && ms < endMs && binStartBefore(ms, binSize, -1) <= nowMs;
  const kept = series.times.flatMap((ms, index) => (isJudged(ms) ? [index] : []));
  return {
    ...series,
    axis: 'left',
    times: kept.map((index) => series.times[index] ?? 0),
    values: kept.map((index) => series.values[index] ?? null),
  };
}

interface TrialRange {
  startMs: number;
  endMs: number;
  nowMs: number;
}

interface Facts {
  count: number;
  low: number;
  high: number;
  mean: number;
  deviation: number;
}

function factsOf(series: readonly ChartSeries[]): Facts | null {
  const values = series.flatMap((each) => each.values.filter((value) => value !== null));
  if (values.length === 0) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    count: values.length,
    low: values.reduce((low, value) => Math.min(low, value)),
    high: values.reduce((high, value) => Math.max(high, value)),
    mean,
    deviation: Math.sqrt(squares / Math.max(1, values.length - 1)),
  };
}

/**
 * Manual levels as typed. Automatic levels are estimated from all visible values, approximately as the service sets
 * them.
 */
function levelsOf(rule: RuleParts, facts: Facts | null): { warning: number | null; critical: number | null } {
  if (!rule.isAutomatic) return { warning: rule.warning, critical: rule.critical };
  const level = (by: number | null) =>
    by === null || facts === null ? null : facts.mean + (rule.isAbove ? 1 : -1) * by * facts.deviation;
  return { warning: level(rule.multipliers.warning), critical: level(rule.multipliers.critical) };
}

interface Firing {
  ms: number;
  value: number;
  severity: 'warning' | 'critical';
  /** Name of the series, if there are several. */
  about: string;
}

interface Trial {
  /** The series with the most firings, which are drawn. */
  series: ChartSeries[];
  /** Number of all series, drawn or not. */
  whole: number;
  thresholds: ChartThreshold[];
  markers: ChartMarker[];
  /** Newest first. */
  firings: Firing[];
  facts: Facts | null;
}

/**
 * Finds the times at which the rule would have fired. `series`: values of the metric; for a rule about changes they
 * start early enough for the first comparison.
 */
export function tryRule(rule: RuleParts, series: readonly ChartSeries[], range: TrialRange): Trial {
  const watched = series.map((each) =>
    within(rule.isChange ? changes(each, rule.binSize, rule.delta ?? 1) : each, rule.binSize, range),
  );
  const facts = factsOf(watched);
  const levels = levelsOf(rule, facts);
  const crosses = (value: number, level: number | null) =>
    level !== null && (rule.isAbove ? value > level : value < level);
  const found = watched.map((each) => ({
    each,
    firings: each.times.flatMap((ms, index): Firing[] => {
      const value = each.values[index] ?? null;
      if (value === null) return [];
      const about = watched.length > 1 ? each.name : '';
      if (crosses(value, levels.critical)) return [{ ms, value, severity: 'critical', about }];
      return crosses(value, levels.warning) ? [{ ms, value, severity: 'warning', about }] : [];
    }),
  }));
  const drawn =
    found.length > MAX_LINES
      ? found.toSorted((a, b) => b.firings.length - a.firings.length).slice(0, MAX_LINES)
      : found;
  return {
    series: drawn.map(({ each }) => each),
    whole: watched.length,
    thresholds: (['warning', 'critical'] as const).flatMap((severity) => {
      const level = levels[severity];
      const side = rule.isAbove ? ('above' as const) : ('below' as const);
      return level === null ? [] : [{ id: severity, severity, axis: 'left' as const, side, level }];
    }),
    markers: drawn.flatMap(({ each, firings }) =>
      firings.map(({ ms, value, severity }) => ({
        id: `${each.id} ${ms}`,
        timeMs: ms,
        value,
        axis: 'left' as const,
        severity,
        text: `${watched.length > 1 ? `${each.name}: ` : ''}${formatNumber(value)}`,
      })),
    ),
    firings: found.flatMap(({ firings }) => firings).toSorted((a, b) => b.ms - a.ms),
    facts,
  };
}

/** Share of the values that stay within a suggested threshold, so that alerts are rare. */
const QUIET_SHARES = { warning: 0.95, critical: 0.99 } as const;

/**
 * Suggested thresholds, in round numbers: few values are beyond the warning, fewer beyond the critical one. Null if
 * there are no values.
 */
export function suggestedLevels(
  { isAbove }: Pick<RuleParts, 'isAbove'>,
  series: readonly ChartSeries[],
): { warning: number; critical: number } | null {
  const sign = isAbove ? 1 : -1;
  const values = series
    .flatMap((each) => each.values.flatMap((value) => (value === null ? [] : [value * sign])))
    .sort((a, b) => a - b);
  const [least, most] = [values[0], values.at(-1)];
  if (least === undefined || most === undefined) return null;
  const step = levelStep(most > least ? { min: least, max: most } : { min: 0, max: Math.abs(most) * 5 || 1 });
  const quietest = (share: number) => values[Math.ceil(share * values.length) - 1] ?? most;
  const warning = toStep(quietest(QUIET_SHARES.warning), step, Math.ceil);
  const critical = Math.max(
    toStep(quietest(QUIET_SHARES.critical), step, Math.ceil),
    toStep(warning + step, step),
  );
  return { warning: warning * sign, critical: critical * sign };
}

/** `Would have fired 7 times`, or that it would not have fired. */
export function trialSentence({ firings, thresholds }: Trial): string {
  if (thresholds.length === 0) return 'No threshold yet';
  return firings.length === 0
    ? 'Would not have fired'
    : `Would have fired ${formatCount(firings.length, 'time')}`;
}

/** Start of a firing's bin, formatted for its size. */
export function firingTime(ms: number, binSize: string, zone: string): string {
  return momentText(ms, zone, binSize !== 'Hour');
}
