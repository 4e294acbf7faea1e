/** Answers and records of any form are read without an error, and always give data that can be drawn. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readRule } from '../../electron/shared/alert-rule.ts';
import { readBody } from '../../electron/shared/chart-query.ts';
import type { JsonObject } from '../../electron/shared/json-fields.ts';
import { readMetrics } from '../../electron/shared/metrics.ts';
import { describeChart, spanOf, toCsv } from '../../renderer/components/chart/summary.ts';
import { tickTexts, timeTicks } from '../../renderer/lib/chart/time-ticks.ts';
import {
  alertMarkers,
  alertThresholds,
  readBinThresholds,
  readHistory,
  readTestResults,
} from '../../renderer/lib/monitoring/alert-history.ts';
import { ruleSentence } from '../../renderer/lib/monitoring/alert-rule.ts';
import { bodyProblems } from '../../renderer/lib/monitoring/chart-body.ts';
import { parseBody } from '../../renderer/lib/monitoring/chart-text.ts';
import { readAnswer } from '../../renderer/lib/monitoring/query-answer.ts';
import { runs } from '../helpers/runs.ts';

const NAMES = { metric: () => undefined, column: () => undefined, baseline: () => undefined };
const WORDS = [
  'results',
  'data',
  'col_names',
  'items',
  'queries',
  'filters',
  'metrics',
  'latest_record',
  'time_bucket',
  'metric',
];

/** JSON in which the relevant names are frequent. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      null,
      true,
      0,
      -1,
      1e300,
      1_773_100_800,
      '',
      'NaN',
      '2026-03-10T00:00:00Z',
      'timestamp',
      'CRITICAL',
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...WORDS, 'a', 'severity', 'alert_value', 'columns'), tie('value'), {
      maxKeys: 6,
    }),
  ),
})).value;
const object = json.map(
  (value) =>
    (typeof value === 'object' && value !== null && !Array.isArray(value)
      ? value
      : { a: value }) as JsonObject,
);

const cell = fc.oneof(fc.double(), fc.constant(null), fc.string(), fc.constant('7.5'));
const time = fc.oneof(
  fc
    .integer({ min: 1_600_000_000, max: 1_900_000_000 })
    .map((seconds) => new Date(seconds * 1_000).toISOString()),
  fc.integer({ min: 1_600_000_000_000, max: 1_900_000_000_000 }),
  fc.double(),
  fc.string(),
);
const table = fc.array(fc.tuple(time, cell, cell), { maxLength: 60 });

describe('answers of metric queries', () => {
  test('of any shape are read without a fault', () => {
    fc.assert(
      fc.property(json, object, (record, body) => {
        for (const { times, values } of readAnswer(record, body, NAMES).series)
          expect(times).toHaveLength(values.length);
        readMetrics(record);
        readBody(body);
        bodyProblems(body, () => undefined);
        parseBody(JSON.stringify(record) ?? '');
      }),
      { numRuns: runs(500) },
    );
  });

  test('return series that can be drawn: ascending times, each once, a number or a gap at each', () => {
    const body: JsonObject = {
      project_id: 'p',
      filters: { bin_size: 'Hour' },
      queries: [{ query_key: 'k', metric: 'm', model_id: 'x' }],
    };
    fc.assert(
      fc.property(table, (data) => {
        const { series } = readAnswer(
          { results: { k: { col_names: ['timestamp', 'm', 'm,b'], data } } },
          body,
          NAMES,
        );
        expect(new Set(series.map(({ id }) => id)).size).toBe(series.length);
        expect(new Set(series.map(({ name }) => name)).size).toBe(series.length);
        for (const { times, values } of series) {
          expect(values).toHaveLength(times.length);
          for (const [index, ms] of times.entries())
            if (index > 0) expect(ms).toBeGreaterThan(times[index - 1] ?? ms);
          for (const value of values) if (value !== null) expect(Number.isFinite(value)).toBe(true);
        }
        const span = spanOf(series, []);
        if (span === null) return;
        const zone = 'Europe/Berlin';
        expect(describeChart({ series, thresholds: [], markers: [], span, zone })).toContain('value');
        expect(toCsv(series, [], span, zone).split('\r\n').length).toBeGreaterThan(1);
        tickTexts(timeTicks(span.startMs, span.endMs, zone, 8), zone);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('records of alerts', () => {
  test('of any shape are read without a fault', () => {
    fc.assert(
      fc.property(object, (record) => {
        const rule = readRule(record);
        expect(ruleSentence(rule)).toMatch(/\.$/);
        const { bins } = readHistory(record);
        for (const [index, bin] of bins.entries())
          expect(bin.timeMs).toBeGreaterThan(bins[index - 1]?.timeMs ?? Number.NEGATIVE_INFINITY);
        alertMarkers(bins, rule);
        alertThresholds(bins, rule);
        readBinThresholds(record);
        readTestResults(record);
      }),
      { numRuns: runs(500) },
    );
  });
});
