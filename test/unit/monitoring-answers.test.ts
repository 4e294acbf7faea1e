/** Answers to metric queries: series, gaps, names, times, and what is wrong with them. */
import { describe, expect, test } from 'vitest';
import { axisTitles } from '../../renderer/lib/monitoring/axis-titles.ts';
import { readBody } from '../../renderer/lib/monitoring/chart-body.ts';
import type { JsonObject } from '../../renderer/lib/monitoring/json.ts';
import { readMetrics } from '../../renderer/lib/monitoring/metrics.ts';
import { type AnswerNames, answerTime, readAnswer } from '../../renderer/lib/monitoring/query-answer.ts';

const PROJECT = 'dc23eb0d-4ac0-4ce8-bc1d-f3662da07570';
const MODEL = '431b97c7-1800-4448-b777-b3c7ba56c4a9';
const NAMES: AnswerNames = { metric: () => undefined, column: () => undefined, baseline: () => undefined };

describe('an answer', () => {
  const body: JsonObject = {
    project_id: PROJECT,
    filters: { time_zone: 'UTC', bin_size: 'Day' },
    queries: [
      { query_key: 'a', model_id: MODEL, metric: 'jsd', columns: ['age', 'c7'] },
      { query_key: 'b', model_id: MODEL, metric: 'traffic', columns: [], viz_type: 'bar' },
    ],
  };
  const answer = (results: unknown) => readAnswer({ results }, body, NAMES, ['b']);

  test('columns become series, nulls gaps, names say metric and column', () => {
    const { series, problems } = answer({
      a: {
        metric: 'jsd',
        col_names: ['timestamp', 'jsd,age', 'jsd,c7'],
        data: [
          ['2026-03-11T00:00:00+00:00', 0.2, null],
          ['2026-03-10T00:00:00+00:00', 0.1, 0.3],
        ],
      },
      b: {
        metric: 'traffic',
        viz_type: 'bar',
        col_names: ['timestamp', 'traffic'],
        data: [['2026-03-10T00:00:00+00:00', 7]],
      },
    });
    expect(problems).toEqual([]);
    expect(series.map(({ name, values, axis, kind }) => [name, [...values], axis, kind])).toEqual([
      ['jsd · age', [0.1, 0.2], 'left', 'line'],
      ['jsd · c7', [0.3, null], 'left', 'line'],
      ['traffic', [7], 'right', 'bar'],
    ]);
    expect(series[0]?.times).toEqual([Date.parse('2026-03-10T00:00Z'), Date.parse('2026-03-11T00:00Z')]);
  });

  test('a query without an answer and one with an error leave the others drawn', () => {
    const { series, problems } = answer({
      b: { col_names: ['timestamp', 'traffic'], data: [['2026-03-10T00:00:00Z', 7]] },
    });
    expect(series).toHaveLength(1);
    expect(problems).toEqual([{ key: 'a', name: 'jsd', text: 'The answer has nothing for this query.' }]);
    const failed = answer({ a: { error: { message: 'No baseline.' } }, b: { data: [] } });
    expect(failed.problems.map(({ text }) => text)).toEqual([
      'No baseline.',
      'The answer has no values for this query.',
    ]);
  });

  test('results nobody asked for, extra columns and columns of text', () => {
    const { series } = answer({
      b: { col_names: ['timestamp', 'traffic', 'note'], data: [['2026-03-10T00:00:00Z', 7, 'ok', 9]] },
      c: { metric: 'auc', col_names: ['timestamp', 'auc'], data: [['2026-03-10T00:00:00Z', 0.9]] },
    });
    expect(series.map(({ name }) => name)).toEqual(['traffic', 'traffic · column 4', 'auc']);
  });

  test('rows without a time and repeated times are told; the last of a time counts', () => {
    const { series, problems } = answer({
      a: { data: [] },
      b: {
        data: [
          ['2026-03-10T00:00:00Z', 1],
          'x',
          [null, 2],
          ['2026-03-10T00:00:00Z', 3],
          ['2026-03-11T00:00:00Z', 'NaN'],
        ],
      },
    });
    expect(series.at(-1)?.values).toEqual([3, null]);
    expect(problems.filter(({ key }) => key === 'b').map(({ text }) => text)).toEqual([
      '2 rows of the answer without a time left out.',
      '1 time came more than once; the last value is shown.',
    ]);
  });

  test('two queries of the same name are told apart', () => {
    const twice: JsonObject = {
      ...body,
      queries: [
        { query_key: 'a', model_id: MODEL, metric: 'psi', baseline_id: 'one', columns: ['age'] },
        { query_key: 'b', model_id: MODEL, metric: 'psi', baseline_id: 'two', columns: ['age'] },
        { query_key: 'c', model_id: MODEL, metric: 'psi', baseline_id: 'two', columns: ['age'] },
      ],
    };
    const data = [['2026-03-10T00:00:00Z', 1]];
    const result = { metric: 'psi', col_names: ['timestamp', 'psi'], data };
    const { series } = readAnswer({ results: { a: result, b: result, c: result } }, twice, NAMES);
    expect(series.map(({ name }) => name)).toEqual([
      'psi · age · against one',
      'psi · age · against two',
      'psi · age · against two (2)',
    ]);
  });

  test('times: with an offset, as a number, as a day, and without an offset in the zone that was asked for', () => {
    expect(answerTime('2026-03-10T01:00:00+01:00', 'UTC')).toBe(Date.parse('2026-03-10T00:00Z'));
    expect(answerTime(1_773_100_800, 'UTC')).toBe(Date.parse('2026-03-10T00:00Z'));
    expect(answerTime('2026-03-10', 'UTC')).toBe(Date.parse('2026-03-10T00:00Z'));
    expect(answerTime('2026-03-10 00:00:00', 'America/New_York')).toBe(Date.parse('2026-03-10T04:00Z'));
    expect(answerTime('soon', 'UTC')).toBeNull();
    expect(answerTime({}, 'UTC')).toBeNull();
  });

  test('axes are titled by what they carry', () => {
    const { queries } = readBody(body);
    const metrics = readMetrics({
      metrics: [
        { id: 'traffic', name: 'Traffic', type: 'service_metrics' },
        { id: 'jsd', name: 'Jensen-Shannon Distance', type: 'drift' },
      ],
    });
    const metricOf = (query: { metric: string }) => metrics.find(({ id }) => id === query.metric);
    expect(axisTitles(queries, ['b'], metricOf)).toEqual({
      left: 'Jensen-Shannon Distance',
      right: 'Traffic, events',
    });
    expect(axisTitles(queries, [], () => undefined)).toEqual({ left: 'jsd · traffic', right: '' });
  });
});
