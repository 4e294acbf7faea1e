/** Answers to metric queries: series, gaps, names, times, and faults. */
import { describe, expect, test } from 'vitest';
import { answerTime } from '../../electron/shared/answer-table.ts';
import { aligned as alignedBins, earlierBody } from '../../electron/shared/chart-comparison.ts';
import { readBody } from '../../electron/shared/chart-query.ts';
import type { AnswerNames } from '../../electron/shared/chart-values.ts';
import type { JsonObject } from '../../electron/shared/json-fields.ts';
import { readMetrics } from '../../electron/shared/metrics.ts';
import { momentOf } from '../../electron/shared/zone-time.ts';
import { lookOf } from '../../renderer/lib/chart/look.ts';
import { axisTitles } from '../../renderer/lib/monitoring/axis-titles.ts';
import { readAnswer } from '../../renderer/lib/monitoring/query-answer.ts';

const PROJECT = 'dc23eb0d-4ac0-4ce8-bc1d-f3662da07570';
const MODEL = '431b97c7-1800-4448-b777-b3c7ba56c4a9';
const NAMES: AnswerNames = { metric: () => undefined, column: () => undefined, baseline: () => undefined };

describe('an answer of a metric query', () => {
  const body: JsonObject = {
    project_id: PROJECT,
    filters: { time_zone: 'UTC', bin_size: 'Day' },
    queries: [
      { query_key: 'a', model_id: MODEL, metric: 'jsd', columns: ['age', 'c7'] },
      { query_key: 'b', model_id: MODEL, metric: 'traffic', columns: [], viz_type: 'bar' },
    ],
  };
  const answer = (results: unknown) => readAnswer({ results }, body, NAMES, ['b']);

  test('columns become series, nulls become gaps, names show metric and column', () => {
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

  test('a query without an answer and one with an error do not hide the others', () => {
    const { series, problems } = answer({
      b: { col_names: ['timestamp', 'traffic'], data: [['2026-03-10T00:00:00Z', 7]] },
    });
    expect(series).toHaveLength(1);
    expect(problems).toEqual([
      { key: 'a', name: 'jsd', text: 'The answer has nothing for this metric.', isEmpty: true },
    ]);
    const failed = answer({ a: { error: { message: 'No baseline.' } }, b: { data: [] } });
    expect(failed.problems.map(({ text }) => text)).toEqual([
      'No baseline.',
      'The answer has no values for this metric.',
    ]);
  });

  test('unrequested results, extra columns and columns of text', () => {
    const { series } = answer({
      b: { col_names: ['timestamp', 'traffic', 'note'], data: [['2026-03-10T00:00:00Z', 7, 'ok', 9]] },
      c: { metric: 'auc', col_names: ['timestamp', 'auc'], data: [['2026-03-10T00:00:00Z', 0.9]] },
    });
    expect(series.map(({ name }) => name)).toEqual(['traffic', 'traffic · column 4', 'auc']);
  });

  test('rows without a time and repeated times are reported; the last value of a time counts', () => {
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
      '2 rows without a time are not shown.',
      '1 time came more than once. The chart shows the last value.',
    ]);
  });

  test('two queries of the same name are distinguished', () => {
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

  test('times: with an offset, as a number, as a day, and without an offset in the requested zone', () => {
    expect(answerTime('2026-03-10T01:00:00+01:00', 'UTC')).toBe(Date.parse('2026-03-10T00:00Z'));
    expect(answerTime(1_773_100_800, 'UTC')).toBe(Date.parse('2026-03-10T00:00Z'));
    expect(answerTime('2026-03-10', 'UTC')).toBe(Date.parse('2026-03-10T00:00Z'));
    expect(answerTime('2026-03-10 00:00:00', 'America/New_York')).toBe(Date.parse('2026-03-10T04:00Z'));
    expect(answerTime('soon', 'UTC')).toBeNull();
    expect(answerTime({}, 'UTC')).toBeNull();
  });

  test('axes are titled by their series', () => {
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

describe('a comparison with an earlier period', () => {
  const aligned = (
    earlier: readonly number[],
    current: readonly number[],
    comparison: string,
    zone = 'UTC',
    isApart = false,
    binSize = 'Day',
  ) => alignedBins(earlier, current, { comparison, zone, isApart, binSize });

  const day = (date: string) => `${date}T00:00:00+00:00`;
  const body: JsonObject = {
    project_id: PROJECT,
    time_comparison: 'Previous Week',
    filters: { time_zone: 'UTC', bin_size: 'Day' },
    queries: [{ query_key: 'a', model_id: MODEL, metric: 'traffic', columns: [], viz_type: 'bar' }],
  };
  const current = {
    metric: 'traffic',
    col_names: ['timestamp', 'traffic'],
    data: [
      [day('2026-03-10'), 7],
      [day('2026-03-11'), 8],
    ],
  };
  const rows = [
    [day('2026-03-03'), 5],
    [day('2026-03-04'), 6],
  ];
  const before = { col_names: ['timestamp', 'traffic'], data: rows };
  const forms: [string, JsonObject][] = [
    ['inside the result', { results: { a: { ...current, comparison: before } } }],
    ['inside the result, rows alone', { results: { a: { ...current, previous_period: rows } } }],
    ['beside all results, by key', { results: { a: current }, comparison_results: { a: before } }],
    [
      'beside all results, as results of its own',
      { results: { a: current }, previous: { results: { a: before } } },
    ],
    [
      'beside all results, as a list',
      { results: { a: current }, comparisons: [{ query_key: 'a', ...before }] },
    ],
    ['as a result of its own', { results: { a: current, 'a (Previous Week)': before } }],
    [
      'as a further column',
      {
        results: {
          a: {
            ...current,
            col_names: ['timestamp', 'traffic', 'traffic (Previous Week)'],
            data: [
              [day('2026-03-10'), 7, 5],
              [day('2026-03-11'), 8, 6],
            ],
          },
        },
      },
    ],
  ];

  test.each(forms)('%s: a second series, dashed, on the times of the first', (_form, record) => {
    const { series, comparison, problems } = readAnswer(record, body, NAMES);
    expect(problems).toEqual([]);
    expect(comparison).toEqual({ asked: 'Previous Week', words: 'previous week', isThere: true });
    expect(series.map(({ name, kind, values }) => [name, kind, [...values]])).toEqual([
      ['traffic', 'bar', [7, 8]],
      ['traffic · previous week', 'line', [5, 6]],
    ]);
    expect(series[1]?.times).toEqual(series[0]?.times);
    const [own, earlier] = series.map(({ look }) => lookOf(look));
    expect([own?.colour, earlier?.colour]).toEqual(['chart-1', 'text-3']);
    expect(own?.dash).toEqual([]);
    expect(earlier?.dash).not.toEqual([]);
  });

  test('reports a missing comparison, and uses a second answer about the earlier period instead', () => {
    const record = { time_comparison: 'Previous Week', results: { a: current } };
    const alone = readAnswer(record, body, NAMES);
    expect(alone.series).toHaveLength(1);
    expect(alone.comparison).toMatchObject({ isThere: false });
    const asked = earlierBody(
      body,
      'Previous Week',
      [{ times: [Date.parse(day('2026-03-10')), Date.parse(day('2026-03-11'))] }],
      'UTC',
    );
    expect(asked).not.toHaveProperty('time_comparison');
    expect(asked?.['filters']).toEqual({
      time_zone: 'UTC',
      bin_size: 'Day',
      time_label: null,
      time_range: { start_time: '2026-03-03T00:00:00.000Z', end_time: '2026-03-04T00:00:01.000Z' },
    });
    const both = readAnswer(record, body, NAMES, [], { results: { a: before } });
    expect(both.series[1]).toMatchObject({ name: 'traffic · previous week', values: [5, 6] });
  });

  test('compares nothing without a request; a column with such a name is a column', () => {
    const columns = { metric: 'average', columns: ['age', 'prior_income'] };
    const data = [[day('2026-03-10'), 1, 2]];
    const col_names = ['timestamp', 'average,age', 'average,prior_income'];
    const asked = { ...body, queries: [{ query_key: 'a', model_id: MODEL, ...columns }] };
    const { series, comparison } = readAnswer(
      { results: { a: { ...columns, col_names, data } } },
      asked,
      NAMES,
    );
    expect(series.map(({ name }) => name)).toEqual(['average · age', 'average · prior_income']);
    expect(comparison).toMatchObject({ isThere: false });
    const { time_comparison: _, ...unasked } = body;
    expect(readAnswer({ results: { a: current } }, unasked, NAMES).comparison).toBeNull();
  });

  describe('times of the earlier period', () => {
    const DAY_MS = 86_400_000;
    const HOUR_MS = 3_600_000;
    const days = (from: number, to: number, zone = 'UTC') =>
      Array.from({ length: to - from + 1 }, (_, at) =>
        momentOf({ year: 2026, month: 2, day: from + at }, zone),
      );

    test.each([
      ['Previous Week', days(1, 14), days(8, 21)],
      ['Previous Day', days(1, 20), days(2, 21)],
    ])('%s: are moved even if all of them lie in the current period', (comparison, earlier, expected) => {
      const current = days(1, 21);
      expect(aligned(earlier, current, comparison, 'UTC', true)).toEqual(expected);
      // The last time is not later than the earlier period, also if both came in one answer.
      expect(aligned(earlier, current, comparison, 'UTC')).toEqual(expected);
    });

    test('are kept in an answer that gives the earlier values at current times', () => {
      const current = days(1, 21);
      expect(aligned(current, current, 'Previous Week', 'UTC')).toEqual(current);
      expect(aligned(current.slice(5), current, 'Previous Week', 'UTC')).toEqual(current.slice(5));
    });

    test('belong to the same weekday if both periods lack different days', () => {
      const current = [9, 10, 12, 13].map((day) => days(day, day)[0] ?? 0);
      const earlier = [2, 4, 5, 6].map((day) => days(day, day)[0] ?? 0);
      const expected = [9, 11, 12, 13].map((day) => days(day, day)[0] ?? 0);
      expect(aligned(earlier, current, 'Previous Week', 'UTC', true)).toEqual(expected);
      expect(aligned(earlier, current, 'Previous Week', 'UTC')).toEqual(expected);
    });

    test('follow the clocks of the zone, which are changed on 29 March', () => {
      const zone = 'Europe/Berlin';
      expect(aligned(days(24, 29, zone), days(31, 36, zone), 'Previous Week', zone, true)).toEqual(
        days(31, 36, zone),
      );
      // Days of UTC stay days of UTC.
      expect(aligned(days(20, 27), days(27, 34), 'Previous Week', zone, true)).toEqual(days(27, 34));
      expect(aligned(days(20, 27), days(27, 34).toSpliced(4, 1), 'Previous Week', zone, true)[5]).toBe(
        days(32, 32)[0],
      );
    });

    test('are left out for an hour that the clocks skip, and for the second of two equal hours', () => {
      const zone = 'Europe/Berlin';
      const hours = (month: number, day: number) => {
        const from = momentOf({ year: 2026, month, day }, zone);
        const to = momentOf({ year: 2026, month, day: day + 1 }, zone);
        return Array.from({ length: (to - from) / HOUR_MS }, (_, at) => from + at * HOUR_MS);
      };
      const withNull = (times: number[], at: number) => [...times.slice(0, at), null, ...times.slice(at)];
      const spring = hours(2, 29);
      expect(spring).toHaveLength(23);
      expect(aligned(hours(2, 28), spring, 'Previous Day', zone, true, 'Hour')).toEqual(withNull(spring, 2));
      const after = hours(9, 26);
      expect(aligned(hours(9, 25), after, 'Previous Day', zone, true, 'Hour')).toEqual(withNull(after, 3));
    });

    test('correspond by position if weeks do not fit the months and none is missing', () => {
      const mondays = (from: number, count: number) =>
        Array.from({ length: count }, (_, at) => from + at * 7 * DAY_MS);
      const current = mondays(Date.UTC(2026, 4, 4), 4);
      const earlier = mondays(Date.UTC(2026, 3, 6), 4);
      expect(aligned(earlier, current, 'Previous Month', 'UTC', true, 'Week')).toEqual(current);
      expect(
        aligned(
          [Date.UTC(2026, 2, 30)],
          mondays(Date.UTC(2026, 4, 4), 1),
          'Previous Month',
          'UTC',
          true,
          'Week',
        ),
      ).toEqual([Date.UTC(2026, 4, 4)]);
      const gap = [0, 1, 3, 4].map((at) => mondays(Date.UTC(2026, 4, 4), 5)[at] ?? 0);
      expect(aligned(earlier, gap, 'Previous Month', 'UTC', true, 'Week')).not.toEqual(gap);
    });

    test('have no counterpart if the current period has values only in another week', () => {
      expect(aligned(days(1, 1), days(23, 23), 'Previous Week', 'UTC', true)).toEqual([null]);
      expect(aligned(days(1, 5), days(9, 13), 'Previous Week', 'UTC', true)).toEqual([null, ...days(9, 12)]);
    });

    test('are those of the earlier period, also if it overlaps the current one', () => {
      const data = (from: number, to: number) =>
        days(from, to).map((ms, at) => [new Date(ms).toISOString(), from + at]);
      const answer = (from: number, to: number) => ({
        results: { a: { metric: 'traffic', col_names: ['timestamp', 'traffic'], data: data(from, to) } },
      });
      const [, earlier] = readAnswer(answer(1, 21), body, NAMES, [], answer(1, 14)).series;
      expect(earlier?.times).toEqual(days(8, 21));
      expect(earlier?.values).toEqual(Array.from({ length: 14 }, (_, at) => at + 1));
    });
  });

  test('months of unequal length: a day without its counterpart is left out', () => {
    const march = Array.from({ length: 31 }, (_, index) => Date.UTC(2026, 2, index + 1));
    const february = Array.from({ length: 28 }, (_, index) => Date.UTC(2026, 1, index + 1));
    expect(aligned(february, march, 'Previous Month', 'UTC')).toEqual(march.slice(0, 28));
    const long = Array.from({ length: 31 }, (_, index) => Date.UTC(2026, 0, index + 1));
    const short = february.map((ms) => ms);
    expect(aligned(long, short, 'Previous Month', 'UTC')).toEqual([...february, null, null, null]);
  });
});
