/** Figures and charts of reports whose rows lack values, numbers, labels or times. */
import { describe, expect, test } from 'vitest';
import { MASKED } from '../../electron/core/masking/redact.ts';
import { choose } from '../../electron/core/report/choose.ts';
import { deriveReport } from '../../electron/core/report/derive.ts';
import { RawNumber } from '../../electron/shared/exact-json.ts';
import type { Report, ReportChart } from '../../electron/shared/report-model.ts';
import { comparisonSource, reportOf, sourceOf } from '../helpers/sample-report.ts';

const told = ({ figures }: Report): string[] => figures.map(({ label, value }) => `${label}: ${value}`);
const titles = ({ charts }: Report): string[] => charts.map(({ title }) => title);
const barsOf = ({ charts }: Report, title: string) =>
  charts
    .filter((chart): chart is ReportChart & { form: 'bars' } => chart.form === 'bars')
    .find((chart) => chart.title === title)?.bars;

interface Pair {
  before?: unknown;
  after?: unknown;
  labels?: readonly [string | null, string | null];
  trace?: number;
}
const scoresOf = (pairs: readonly Pair[]) =>
  sourceOf(
    'scores',
    'items',
    {
      '#position': pairs.map((_, at) => at + 1),
      '#before': pairs.map(({ before = null }) => before),
      '#after': pairs.map(({ after = null }) => after),
      label_before: pairs.map(({ labels }) => labels?.[0] ?? null),
      label_after: pairs.map(({ labels }) => labels?.[1] ?? null),
      '#trace': pairs.map(({ trace = null }) => trace),
    },
    { isOfSameTexts: false },
  );

describe('a report of scores', () => {
  test('without numbers counts the labels alone', () => {
    const report = reportOf(scoresOf([{ labels: ['no', 'yes'] }, { labels: ['yes', 'yes'] }]));
    expect(told(report)).toEqual(['Items: changed: 1 item', 'Items: same: 1 item']);
    expect(titles(report)).toEqual(['Items by label']);
    expect(barsOf(report, 'Items by label')?.map(({ label }) => label)).toEqual(['no to yes', 'yes']);
  });

  test('without labels has the figures of the numbers, and no traces if none is known', () => {
    const report = reportOf(
      scoresOf([
        { before: 0.25, after: 0.5 },
        { before: 0.75, after: 0.5 },
      ]),
    );
    expect(titles(report)).toEqual(['Items by score']);
    expect(report.figures.map(({ label }) => label)).toEqual([
      ...['Result', 'Before', 'After', 'p-value', 'Items: worse', 'Items: better'],
    ]);
  });

  test('of one item has no interval', () => {
    const { figures } = reportOf(scoresOf([{ before: 0.25, after: 0.5 }]));
    expect(figures.find(({ label }) => label === 'After')).toMatchObject({ value: '0.5', detail: '1 item' });
  });

  test('whose numbers are too far apart for a difference has no result', () => {
    const pair = { before: -1.7e308, after: 1.7e308 };
    expect(reportOf(scoresOf([pair, pair])).figures.map(({ label }) => label)).toEqual([
      ...['Before', 'After', 'Items: better'],
    ]);
  });

  test('counts an item without a score in one run as missing', () => {
    const report = reportOf(scoresOf([{ before: 1, after: 0 }, { before: 1 }]));
    expect(told(report)).toContain('Items: missing: 1 item');
    const change = report.tables[0]?.columns.find(({ name }) => name === 'change');
    expect(change?.values).toEqual(['worse', 'missing']);
  });

  test('has no figures if a number has more digits than a browser keeps', () => {
    const large = new RawNumber('12345678901234567890');
    expect(reportOf(scoresOf([{ before: large, after: 1 }])).figures).toEqual([]);
  });

  test('leaves other tables as they are', () => {
    const { tables, ...source } = comparisonSource(10);
    const [other] = sourceOf('scores', 'notes', { note: ['a'] }).tables;
    const report = reportOf({ ...source, tables: other === undefined ? tables : [...tables, other] });
    expect(
      report.tables.map(({ name, columns }) => [name, columns.some(({ isDerived }) => isDerived)]),
    ).toEqual([
      ['items', true],
      ['notes', false],
    ]);
  });

  test('of thousands of items pauses between pieces, and masks each of them', () => {
    const items = 2_000;
    const choosing = choose(comparisonSource(items), { fields: null, masked: ['failure_kind'] }, []);
    let pauses = 0;
    let step = choosing.next();
    for (; step.done !== true; step = choosing.next()) pauses += 1;
    expect(pauses).toBeGreaterThan(0);
    const kinds = step.value.tables[0]?.columns.find(({ name }) => name === 'failure_kind');
    expect(kinds?.values.filter((cell) => cell !== null)).toEqual(
      Array.from({ length: Math.ceil(items / 7) }, () => MASKED),
    );
    const deriving = deriveReport(step.value);
    let derived = deriving.next();
    for (; derived.done !== true; derived = deriving.next()) pauses += 1;
    expect(derived.value.tables[0]?.columns.find(({ name }) => name === 'change')?.values).toHaveLength(
      items,
    );
  });
});

describe('a report of coverage', () => {
  test('counts a value without a number as none, and a dimension without items as not covered', () => {
    const report = reportOf(
      sourceOf('coverage', 'values', {
        dimension: ['model', 'model', 'type'],
        value: ['small', 'large', 'llm'],
        '#production': [50, 50, 10],
        '#items': [4, null, 0],
      }),
    );
    expect(told(report)).toEqual(['Mean coverage: 25 %', 'model: 50 %', 'type: 0 %']);
  });

  test('without dimensions has no chart', () => {
    const none = { dimension: [], value: [], '#production': [], '#items': [] };
    const report = reportOf(sourceOf('coverage', 'values', none));
    expect(report.charts).toEqual([]);
    expect(report.figures[0]?.detail).toBe('Over 0 dimensions.');
  });
});

test('the length and the tokens of a trace leave out what a span does not have', () => {
  const report = reportOf(
    sourceOf('trace', 'spans', {
      span_id: ['a', 'b'],
      parent_span_id: [null, 'a'],
      span_type: ['chain', 'llm'],
      '@start_time': ['2026-05-01T00:00:00Z', '2026-05-01T00:00:01Z'],
      '@end_time': ['2026-05-01T00:00:03Z', null],
      '#gen_ai.usage.input_tokens': [null, 20],
    }),
  );
  expect(told(report)).toEqual([
    ...['Spans: 2 spans', 'Length: at least 3 s', 'Depth: 2 levels', 'Tokens: 20 tokens'],
  ]);
  expect(report.figures[1]?.detail).toBe('1 span without an end.');
});

describe('the length of a trace', () => {
  const lengthOf = (columns: Record<string, unknown[]>, masked: string[] = []) =>
    reportOf(sourceOf('trace', 'spans', { span_id: ['a', 'b'], ...columns }), { masked }).figures.find(
      ({ label }) => label === 'Length',
    )?.value;
  const starts = { '@start_time': ['2026-05-01T00:00:00Z', '2026-05-01T00:00:01Z'] };
  const parents = { parent_span_id: [null, 'a'] };

  test('ends with the last span, by its duration in the unit of the trace', () => {
    expect(lengthOf({ ...starts, '#duration': [1_500, 900] })).toBe('1.9 s');
    // If the numbers were microseconds, the child would start after the end of its parent.
    expect(lengthOf({ ...starts, ...parents, '#duration': [1_500_000, 900_000] })).toBe('1.9 s');
  });

  test('is none without ends and durations, and none if a time is masked', () => {
    expect(lengthOf(starts)).toBeUndefined();
    expect(lengthOf({ ...starts, '#duration': [1_500, 900] }, ['duration'])).toBeUndefined();
    expect(lengthOf({ '#duration': [1_500, 900] })).toBeUndefined();
  });
});
