/** Applies an unsaved rule to the history of its metric to show how often it would have fired. */
import { describe, expect, test } from 'vitest';
import type { MetricChoice } from '../../electron/shared/metrics.ts';
import type { ChartSeries } from '../../renderer/lib/chart/types.ts';
import type { FormValues } from '../../renderer/lib/form/fields.ts';
import {
  binStartBefore,
  mostColumns,
  trialLacks,
  trialRule,
  trialSentence,
  tryRule,
} from '../../renderer/lib/monitoring/rule-trial.ts';

const DAY = 86_400_000;
const FIRST = Date.UTC(2026, 10, 1);
const days = (id: string, values: (number | null)[]): ChartSeries => ({
  id,
  name: id,
  kind: 'line',
  axis: 'left',
  times: values.map((_, index) => FIRST + index * DAY),
  values,
  look: 0,
});
const VALUES: FormValues = {
  model_id: 'm',
  metric_id: 'traffic',
  bin_size: 'Day',
  condition: 'lesser',
  compare_to: 'raw_value',
  threshold_type: 'manual',
  warning_threshold: '70',
  critical_threshold: '60',
};
const rule = (changed: FormValues = {}) =>
  trialRule({ ...VALUES, ...changed }, { projectId: 'p', metric: undefined });
const range = (length: number, nowMs = FIRST + 100 * DAY) => ({
  startMs: FIRST,
  endMs: FIRST + length * DAY,
  nowMs,
});
const told = (trial: ReturnType<typeof tryRule>) =>
  trial.firings.map(({ ms, severity }) => [(ms - FIRST) / DAY, severity]);

describe('a rule applied to the history of its metric', () => {
  const series = [days('traffic', [80, 69, null, 59, 70, 60])];

  test('a value beyond a threshold fires, one equal to it does not; critical overrides warning; a gap is not a value', () => {
    const trial = tryRule(rule(), series, range(6));
    expect(told(trial)).toEqual([
      [5, 'warning'],
      [3, 'critical'],
      [1, 'warning'],
    ]);
    expect(trialSentence(trial)).toBe('Would have fired 3 times');
    expect(trial.markers.map(({ severity, value }) => [severity, value])).toEqual([
      ['warning', 69],
      ['critical', 59],
      ['warning', 60],
    ]);
    expect(trial.facts).toMatchObject({ count: 5, low: 59, high: 80, mean: 67.6 });
    const above = tryRule(
      rule({ condition: 'greater', critical_threshold: '79', warning_threshold: '' }),
      series,
      range(6),
    );
    expect(told(above)).toEqual([[0, 'critical']]);
  });

  test('nothing is counted without a threshold; a threshold that is never crossed is reported', () => {
    const none = tryRule(rule({ warning_threshold: '', critical_threshold: '' }), series, range(6));
    expect([none.firings, trialSentence(none)]).toEqual([[], 'No threshold yet']);
    const never = tryRule(rule({ warning_threshold: '5', critical_threshold: '1' }), series, range(6));
    expect(trialSentence(never)).toBe('Would not have fired');
  });

  test('an unfinished bin is not judged, nor one outside the range', () => {
    expect(told(tryRule(rule(), series, range(6, FIRST + 5.5 * DAY)))).toEqual([
      [3, 'critical'],
      [1, 'warning'],
    ]);
    expect(told(tryRule(rule(), series, range(3)))).toEqual([[1, 'warning']]);
  });

  test('a change is measured against the bin the given distance earlier, also before the range', () => {
    const watched = rule({
      compare_to: 'time_period',
      'compare_bin_delta.Day': '1',
      warning_threshold: '-0.1',
      critical_threshold: '-0.5',
    });
    expect(watched.delta).toBe(1);
    const trial = tryRule(watched, [days('traffic', [100, 80, 30, null, 20])], {
      ...range(5),
      startMs: FIRST + DAY,
    });
    expect(told(trial)).toEqual([
      [2, 'critical'],
      [1, 'warning'],
    ]);
    expect(binStartBefore(Date.UTC(2026, 2, 1), 'Month', 1)).toBe(Date.UTC(2026, 1, 1));
  });

  test('automatic thresholds are the given number of deviations from the mean', () => {
    const automatic = rule({
      threshold_type: 'standard_deviation_auto_threshold',
      warning_multiplier: '1',
      critical_multiplier: '',
    });
    const { thresholds } = tryRule(automatic, [days('traffic', [1, 3])], range(6));
    expect(thresholds).toMatchObject([{ severity: 'warning', side: 'below', level: 2 - Math.SQRT2 }]);
  });

  test('of many columns all are counted, and those that fired most are drawn', () => {
    const many = Array.from({ length: 20 }, (_, index) => days(`c${index}`, [index === 19 ? 1 : 99, 65]));
    const trial = tryRule(rule(), many, range(6));
    expect(trial.firings).toHaveLength(21);
    expect([trial.whole, trial.series.length, trial.series[0]?.id]).toEqual([20, 6, 'c19']);
  });

  test('fewer columns are requested if each has many bins: every key judges all values', () => {
    expect([
      mostColumns('Hour', 365 * DAY),
      mostColumns('Hour', 7 * DAY),
      mostColumns('Day', 30 * DAY),
    ]).toEqual([2, 119, 666]);
    expect(mostColumns('Hour', 10_000 * DAY)).toBe(1);
  });

  test('names missing values before anything can be drawn', () => {
    const metric = { columns: [{ id: 'age' }], requiresBaseline: true } as unknown as MetricChoice;
    expect(trialLacks(rule({ model_id: '' }), undefined)).toBe('a model and a metric');
    expect(trialLacks(rule({ metric_id: '' }), undefined)).toBe('a metric');
    expect(trialLacks(rule(), metric)).toBe('a column');
    expect(trialLacks(rule({ feature_names: ['age'] }), metric)).toBe('a baseline');
    expect(trialLacks(rule(), undefined)).toBeNull();
  });
});
