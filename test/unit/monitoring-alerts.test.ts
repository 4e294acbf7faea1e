/** Alert rules: time ranges, texts about a rule, and records as a timeline. */

import { describe, expect, test } from 'vitest';
import { recordTime } from '../../electron/shared/alert-record.ts';
import { chartedColumns, readRule, ruleBody } from '../../electron/shared/alert-rule.ts';
import {
  alertMarkers,
  alertThresholds,
  binTimeText,
  readBinThresholds,
  readHistory,
} from '../../renderer/lib/monitoring/alert-history.ts';
import {
  grainOf,
  isBehind,
  presetRange,
  rangeOfParams,
  rangeToParams,
  usualPreset,
} from '../../renderer/lib/monitoring/alert-range.ts';
import { ruleLine, ruleSentence } from '../../renderer/lib/monitoring/alert-rule.ts';
import { timelineSeries, timelineTitles } from '../../renderer/lib/monitoring/alert-timeline.ts';
import { ALERT_ID as ID, METRICS, MODEL, RECORD } from '../helpers/alert-rule.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-03-12T14:20:00Z');

describe('ranges of alerts', () => {
  test('end at the next full hour or day, so that two reads are one query', () => {
    const day = presetRange('7d', NOW);
    expect(new Date(day.endMs).toISOString()).toBe('2026-03-13T00:00:00.000Z');
    expect(day.endMs - day.startMs).toBe(7 * DAY);
    expect(presetRange('7d', NOW + 5 * HOUR)).toEqual(day);
    expect(new Date(presetRange('24h', NOW, grainOf('Hour')).endMs).toISOString()).toBe(
      '2026-03-12T15:00:00.000Z',
    );
    expect(isBehind(day, NOW)).toBe(false);
    expect(isBehind(day, NOW + DAY)).toBe(true);
    expect(isBehind({ ...day, id: 'custom' }, NOW + DAY)).toBe(false);
  });

  test('are stored in parameters; invalid parameters are not a range', () => {
    const range = presetRange('30d', NOW);
    expect(rangeOfParams(rangeToParams(range))).toEqual(range);
    expect(rangeOfParams({ range: '30d' })).toBeNull();
    expect(rangeOfParams({ start: '2026-03-02', end: '2026-03-01' })).toBeNull();
    expect(rangeOfParams({ range: 'always', start: '2026-03-01', end: '2026-03-02' })?.id).toBe('custom');
  });

  test('fit the bins of a rule', () => {
    expect(['Hour', 'Day', 'Week', 'Month', ''].map(usualPreset)).toEqual(['7d', '30d', '6m', '12m', '30d']);
  });
});

describe('a rule in words', () => {
  test('describes the watched metric and when it fires', () => {
    expect(ruleSentence(readRule(RECORD))).toBe(
      'Warn if Jensen-Shannon distance of fraud_score in Card fraud is above 0.2, critical above 0.25, daily, against the baseline default_static_baseline.',
    );
    const change = {
      ...RECORD,
      compare_to: 'time_period',
      compare_bin_delta: 7,
      condition: 'lesser',
      critical_threshold: null,
    };
    expect(ruleSentence(readRule(change))).toBe(
      'Warn if the change of Jensen-Shannon distance of fraud_score in Card fraud against 7 bins before is below 0.2, daily, against the baseline default_static_baseline.',
    );
    const automatic = {
      ...RECORD,
      threshold_type: 'standard_deviation_auto_threshold',
      auto_threshold_params: { critical_multiplier: 3 },
      feature_names: ['__ANY__'],
    };
    expect(ruleSentence(readRule(automatic))).toBe(
      'Alert as critical if Jensen-Shannon distance of any column of Card fraud is more than 3 standard deviations above its mean, daily, against the baseline default_static_baseline.',
    );
    const traffic = {
      ...{
        bin_size: 'Hour',
        metric: { id: 'traffic', name: 'Traffic' },
        condition: 'lesser',
        category: 'CH',
      },
      ...{
        model: { name: 'Card fraud' },
        segment: { id: 's', name: 'Large amounts' },
        warning_threshold: 80,
      },
    };
    expect(ruleSentence(readRule(traffic))).toBe(
      'Warn if Traffic for CH of Card fraud in the segment Large amounts is below 80, hourly.',
    );
    expect(ruleSentence(readRule({ threshold_type: 'standard_deviation_auto_threshold' }))).toBe(
      'Alert if a metric is beyond the thresholds that the service sets.',
    );
    expect(ruleSentence(readRule({}))).toBe('Alert if a metric is beyond a threshold that is not set.');
  });

  const limits = { warning_threshold: 80, critical_threshold: 60 };
  const multipliers = { warning_multiplier: 2, critical_multiplier: 3 };
  const automatic = { threshold_type: 'standard_deviation_auto_threshold' };
  const one = { warning_multiplier: 1 };
  const change = { compare_to: 'time_period', compare_bin_delta: 1 };
  const [above, below] = [{ condition: 'greater' }, { condition: 'lesser' }];
  const ofChange = 'the change of Traffic of Card fraud against the bin before';
  for (const [fields, words] of [
    [{ ...above, ...limits }, 'Warn if Traffic of Card fraud is above 80, critical above 60, daily.'],
    [{ ...below, ...limits }, 'Warn if Traffic of Card fraud is below 80, critical below 60, daily.'],
    [{ ...above, warning_threshold: 80 }, 'Warn if Traffic of Card fraud is above 80, daily.'],
    [{ ...below, warning_threshold: 80 }, 'Warn if Traffic of Card fraud is below 80, daily.'],
    [{ ...above, critical_threshold: 60 }, 'Alert as critical if Traffic of Card fraud is above 60, daily.'],
    [{ ...below, critical_threshold: 60 }, 'Alert as critical if Traffic of Card fraud is below 60, daily.'],
    [{ ...change, ...above, ...limits }, `Warn if ${ofChange} is above 80, critical above 60, daily.`],
    [{ ...change, ...below, ...limits }, `Warn if ${ofChange} is below 80, critical below 60, daily.`],
    [{ ...change, ...below, critical_threshold: 60 }, `Alert as critical if ${ofChange} is below 60, daily.`],
    [
      { ...automatic, ...above, auto_threshold_params: multipliers },
      'Warn if Traffic of Card fraud is more than 2 standard deviations above its mean, critical at 3, daily.',
    ],
    [
      { ...automatic, ...below, auto_threshold_params: multipliers },
      'Warn if Traffic of Card fraud is more than 2 standard deviations below its mean, critical at 3, daily.',
    ],
    [
      { ...automatic, ...below, auto_threshold_params: one },
      'Warn if Traffic of Card fraud is more than 1 standard deviation below its mean, daily.',
    ],
    [
      { ...automatic, ...below, auto_threshold_params: { critical_multiplier: 3 } },
      'Alert as critical if Traffic of Card fraud is more than 3 standard deviations below its mean, daily.',
    ],
    [
      { ...automatic, ...change, ...above, auto_threshold_params: multipliers },
      `Warn if ${ofChange} is more than 2 standard deviations above its mean, critical at 3, daily.`,
    ],
    [
      { ...automatic, ...below },
      'Alert if Traffic of Card fraud is beyond the thresholds that the service sets, daily.',
    ],
    [
      { feature_names: ['a', 'b', 'c', 'd', 'e'], warning_threshold: 80 },
      'Warn if Traffic of any of a, b, c and 2 more in Card fraud is above 80, daily.',
    ],
    [
      { segment_id: 's', baseline: { id: 'b' }, warning_threshold: 80 },
      'Warn if Traffic of Card fraud in a segment is above 80, daily, against a baseline.',
    ],
  ] as const) {
    test(`says: ${words}`, () => {
      const shared = { bin_size: 'Day', metric: { id: 'traffic', name: 'Traffic' } };
      expect(ruleSentence(readRule({ ...shared, model: { name: 'Card fraud' }, ...fields }))).toBe(words);
    });
  }

  test('a line that may be cut begins with the limits', () => {
    const shared = { bin_size: 'Day', metric: 'Traffic', model: { name: 'Card fraud' } };
    const lineOf = (fields: Record<string, unknown>) => ruleLine(readRule({ ...shared, ...fields }));
    const about = 'Traffic of Card fraud, daily';
    expect([
      lineOf({ ...below, ...limits }),
      lineOf({ ...above, critical_threshold: 60 }),
      lineOf({ ...automatic, ...below, auto_threshold_params: multipliers }),
      lineOf(automatic),
      lineOf({}),
    ]).toEqual([
      `${about}: warn below 80, critical below 60`,
      `${about}: critical above 60`,
      `${about}: warn 2 SD below mean, critical at 3`,
      `${about}: thresholds of the service`,
      `${about}: no threshold`,
    ]);
  });

  test('a metric can be an id alone', () => {
    expect(readRule({ metric: 'auc' })).toMatchObject({ metricId: 'auc', metricName: 'auc' });
  });

  test('its own values are a metric query; an incomplete rule has none', () => {
    const rule = readRule(RECORD);
    const body = ruleBody(rule, chartedColumns(rule, METRICS[0], ''), { start: 'a', end: 'b' });
    expect(body).toMatchObject({
      project_id: 'p1',
      filters: { bin_size: 'Day', time_range: { start_time: 'a', end_time: 'b' } },
      queries: [
        { query_key: ID, model_id: MODEL, baseline_id: 'b1', metric: 'jsd', columns: ['fraud_score'] },
      ],
    });
    expect(ruleBody(readRule({}), [], { start: 'a', end: 'b' })).toBeNull();
    const any = readRule({ ...RECORD, feature_names: ['__ANY__'] });
    expect(chartedColumns(any, METRICS[0], '')).toEqual(['fraud_score', 'amount']);
    expect(chartedColumns(any, METRICS[0], 'amount')).toEqual(['amount']);
  });
});

describe('records as a timeline', () => {
  const bin = (day: number, severity: string, value: number | null, more: Record<string, unknown> = {}) => ({
    time_bucket: NOW - day * DAY,
    alert_count: 1,
    latest_record: {
      severity,
      alert_value: value,
      warning_threshold: 0.2,
      critical_threshold: 0.25,
      ...more,
    },
  });

  test('detects the form of times: seconds, milliseconds, ISO text, a number as text', () => {
    const ms = Date.parse('2026-03-10T00:00Z');
    for (const value of [ms, ms / 1_000, '2026-03-10T00:00:00Z', String(ms), String(ms / 1_000)]) {
      expect(recordTime(value)).toBe(ms);
    }
    expect(recordTime('soon')).toBeNull();
  });

  test('bins are in order, each once; records without a time are counted', () => {
    const { bins, lost } = readHistory({
      items: [
        bin(1, 'WARNING', 0.22),
        bin(3, 'DEFAULT', 0.1),
        bin(1, 'CRITICAL', 0.3),
        { latest_record: {} },
        'x',
      ],
    });
    expect(bins.map(({ severity, value }) => [severity, value])).toEqual([
      ['DEFAULT', 0.1],
      ['CRITICAL', 0.3],
    ]);
    expect(lost).toBe(2);
    expect(bins[1]?.rawTime).toBe(String(NOW - DAY));
  });

  test('quiet bins have no mark; unknown severities do', () => {
    const { bins } = readHistory({
      items: [
        bin(1, 'WARNING', 0.22, { feature_name: 'amount' }),
        bin(2, 'DEFAULT', 0.1),
        bin(3, 'FATAL', null, { message: 'No data.' }),
        bin(4, '', 0.22),
      ],
    });
    expect(alertMarkers(bins, { isAbove: true }).map(({ severity, text }) => [severity, text])).toEqual([
      ['other', 'No data.'],
      ['warning', 'amount: 0.22 above 0.2'],
    ]);
  });

  test('thresholds are one level if all bins have the same, and otherwise one level per bin', () => {
    const rule = { isAbove: true, warning: 9, critical: 9.5 };
    const same = readHistory({ items: [bin(1, 'DEFAULT', 0.1), bin(2, 'DEFAULT', 0.1)] }).bins;
    expect(alertThresholds(same, rule).map(({ level }) => level)).toEqual([0.2, 0.25]);
    const other = readHistory({
      items: [bin(1, 'DEFAULT', 0.1, { warning_threshold: 0.3 }), bin(2, 'DEFAULT', 0.1)],
    }).bins;
    expect(alertThresholds(other, rule)[0]?.level).toEqual({
      times: [NOW - 2 * DAY, NOW - DAY],
      values: [0.2, 0.3],
    });
    expect(alertThresholds([], rule).map(({ level }) => level)).toEqual([9, 9.5]);
    expect(alertThresholds([], { ...rule, warning: null, critical: null })).toEqual([]);
  });

  test('thresholds of a bin are found under unpublished names', () => {
    expect(readBinThresholds({ warning_threshold: 1, critical_threshold: 2 })).toEqual({
      warning: 1,
      critical: 2,
    });
    expect(readBinThresholds({ thresholds: { critical: { value: 2 } } })).toEqual({
      warning: null,
      critical: 2,
    });
    expect(readBinThresholds({ lower: 1 })).toEqual({ warning: null, critical: null });
    expect(readBinThresholds(null)).toEqual({ warning: null, critical: null });
  });

  test('bins of days are shown in UTC, in every zone', () => {
    expect(binTimeText(Date.parse('2026-03-10T00:00Z'), 'Day')).toBe('Tue 10 Mar 2026 UTC');
  });

  const answer = {
    record: {
      results: {
        [ID]: {
          metric: 'jsd',
          col_names: ['timestamp', 'jsd'],
          data: [
            [new Date(NOW - DAY).toISOString(), 0.2],
            [new Date(NOW + DAY).toISOString(), 0.3],
          ],
        },
      },
    },
    query: { body: ruleBody(readRule(RECORD), ['fraud_score'], { start: 'a', end: 'b' }) ?? {} },
  };
  const bins = readHistory({ items: [bin(1, 'DEFAULT', 0.2)] }).bins;

  test('draws the metric’s own values up to now, or the records’ values if there are none', () => {
    const rule = readRule(RECORD);
    const own = timelineSeries(rule, bins, answer, METRICS[0], NOW).series;
    expect(own.map(({ name, times }) => [name, times.length])).toEqual([
      ['Jensen-Shannon distance · fraud_score', 1],
    ]);
    const recorded = timelineSeries(rule, bins, null, METRICS[0], NOW).series;
    expect(recorded.map(({ name, values }) => [name, values])).toEqual([
      ['Jensen-Shannon distance in the records', [0.2]],
    ]);
  });

  test('a day that was not over when it was read stays so after midnight', () => {
    const rule = readRule(RECORD);
    const opens = (nowMs: number, readMs: number | null) =>
      timelineSeries(rule, bins, answer, METRICS[0], nowMs, readMs).series.map(
        ({ openFromMs }) => openFromMs,
      );
    const read = NOW - DAY + 1;
    expect(opens(read, null)).toEqual([NOW - DAY]);
    expect(opens(NOW + DAY / 2, read)).toEqual(opens(read, read));
  });

  test('if the rule watches a change, it is drawn on the left and the values on the right', () => {
    const rule = readRule({ ...RECORD, compare_to: 'time_period', compare_bin_delta: 7 });
    const { series } = timelineSeries(rule, bins, answer, METRICS[0], NOW);
    expect(series.map(({ name, axis, look }) => [name, axis, look])).toEqual([
      ['Change against 7 bins before', 'left', 0],
      ['Jensen-Shannon distance · fraud_score', 'right', 1],
    ]);
    expect(timelineTitles(rule, METRICS[0]).right).toBe('Jensen-Shannon distance');
  });
});
