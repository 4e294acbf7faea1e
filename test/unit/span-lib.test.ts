/** Queries and labels of the spans view: time ranges, queries, coverage, columns. */
import { describe, expect, test } from 'vitest';
import type { ColumnFilter } from '../../electron/shared/analysis-model.ts';
import { type Column, ownColumns } from '../../renderer/lib/grid/columns.ts';
import { passes } from '../../renderer/lib/row-profiles.ts';
import {
  describeEvaluators,
  spanColumns,
  spanLineColumns,
  statusTone,
} from '../../renderer/lib/span-columns.ts';
import { formatShare, readSpanFields, shortKey } from '../../renderer/lib/span-fields.ts';
import {
  fieldsQuery,
  filterOfParam,
  namesOfParam,
  ruleFilter,
  spansQuery,
} from '../../renderer/lib/span-query.ts';
import {
  describeDays,
  describeInterval,
  describeRange,
  formatLocal,
  isBehind,
  parseLocal,
  presetRange,
  rangeAround,
  rangeOfParams,
  rangeProblem,
  rangeToParams,
} from '../../renderer/lib/span-range.ts';
import { isRootFilter, withRoots } from '../../renderer/lib/span-roots.ts';
import { showTimesIn } from '../helpers/shown-zone.ts';

showTimesIn('UTC');

const NOW = Date.parse('2026-03-12T14:02:33.250Z');
const DAY = 86_400_000;

describe('time ranges of spans', () => {
  test('a preset ends with the current minute, so that its answer can be found again', () => {
    const range = presetRange('24h', NOW);
    expect(new Date(range.endMs).toISOString()).toBe('2026-03-12T14:03:00.000Z');
    expect(range.endMs - range.startMs).toBe(DAY);
    expect(presetRange('24h', NOW + 20_000)).toEqual(range);
  });

  test('today ends now and yesterday at midnight, in the display time zone', () => {
    const isoOf = (...of: Parameters<typeof presetRange>) => {
      const { startMs, endMs } = presetRange(...of);
      return [startMs, endMs].map((ms) => new Date(ms).toISOString());
    };
    expect(isoOf('today', NOW)).toEqual(['2026-03-12T00:00:00.000Z', '2026-03-12T14:03:00.000Z']);
    expect(isoOf('yesterday', Date.parse('2026-03-01T00:00:10Z'))).toEqual([
      '2026-02-28T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
    ]);
  });

  test('today and yesterday are moved by a refresh, also to the next day, and named by their times until then', () => {
    const [today, yesterday] = [presetRange('today', NOW), presetRange('yesterday', NOW)];
    expect([isBehind(today, NOW), isBehind(today, today.endMs)]).toEqual([false, true]);
    expect([isBehind(yesterday, NOW), isBehind(yesterday, NOW + DAY)]).toEqual([false, true]);
    expect([describeRange(today, NOW), describeRange(yesterday, NOW)]).toEqual(['Today', 'Yesterday']);
    expect(describeRange(today, NOW + DAY)).toBe(describeInterval(today, NOW + DAY));
    expect(describeRange(yesterday, NOW + DAY)).toBe(describeInterval(yesterday, NOW + DAY));
    expect(rangeOfParams(rangeToParams(today))).toEqual(today);
  });

  test('a range survives conversion to the parameters of its tab', () => {
    const range = presetRange('7d', NOW);
    expect(rangeOfParams(rangeToParams(range))).toEqual(range);
    expect(rangeOfParams({ range: '7d' })).toBeNull();
    expect(rangeOfParams({ range: 'custom', start: 'soon', end: 'later' })).toBeNull();
    const backwards = { id: 'custom' as const, startMs: NOW, endMs: NOW - 1 };
    expect(rangeOfParams(rangeToParams(backwards))).toBeNull();
  });

  test('a preset is outdated once its end has passed, a chosen interval never', () => {
    const range = presetRange('1h', NOW);
    expect(isBehind(range, NOW)).toBe(false);
    expect(isBehind(range, range.endMs)).toBe(true);
    expect(isBehind({ ...range, id: 'custom' }, range.endMs + DAY)).toBe(false);
  });

  test.each(['2026-03-12 14:02', '2026-03-12 14:02:33', '2026-03-12 00:00'])(
    '%s is read and written the same',
    (text) => {
      expect(formatLocal(parseLocal(text) ?? 0)).toBe(text);
    },
  );

  test.each(['', 'yesterday', '2026-02-31 10:00', '2026-03-12 24:00', '2026-03-12 10:61', '12.3.2026'])(
    '“%s” is not a time',
    (text) => {
      expect(parseLocal(text)).toBeNull();
      expect(rangeProblem(text, '2026-03-12 14:00')).toContain('Expected a date and time');
    },
  );

  test('an end before its start is reported', () => {
    expect(rangeProblem('2026-03-12 14:00', '2026-03-12 13:00')).toBe(
      'The end must be later than the start.',
    );
    expect(rangeProblem('2026-03-12', '2026-03-13')).toBeNull();
  });

  test('the range of a trace covers the shown range and a day around its span', () => {
    const range = presetRange('1h', NOW);
    const around = rangeAround(range, NOW);
    expect(around.id).toBe('custom');
    expect(around.startMs).toBe(NOW - DAY);
    expect(around.endMs).toBe(NOW + DAY);
  });

  test('times of another year keep their time of day', () => {
    const range = { id: 'custom' as const, startMs: parseLocal('2024-05-01 10:00') ?? 0, endMs: NOW };
    expect(describeRange(range, NOW)).toContain('1 May 2024 10:00 –');
  });

  test('an end today after a start on another day is labelled: a bare time would be read as the day of the start', () => {
    const startMs = parseLocal('2026-02-01 10:00') ?? 0;
    const endMs = parseLocal(formatLocal(NOW).slice(0, 11).concat('11:30')) ?? 0;
    expect(describeRange({ id: 'custom', startMs, endMs }, NOW)).toBe('1 Feb 10:00 – today 11:30');
    const sameDay = { id: 'custom' as const, startMs: endMs - 3_600_000, endMs };
    expect(describeRange(sameDay, NOW)).toBe('10:30 – 11:30');
  });

  test('a narrow place shows the days of a range, or its times within one day', () => {
    const days = (start: string, end: string) =>
      describeDays({ id: 'custom', startMs: parseLocal(start) ?? 0, endMs: parseLocal(end) ?? 0 }, NOW);
    expect(days('2026-03-08 09:20', '2026-03-10 10:40')).toBe('8 – 10 Mar');
    // The end is exclusive.
    expect(days('2026-03-08', '2026-03-10')).toBe('8 – 9 Mar');
    expect(days('2026-03-08 09:20', '2026-03-08 10:40')).toBe('8 Mar 09:20 – 10:40');
    expect(days('2026-03-12 09:20', '2026-03-12 10:40')).toBe('09:20 – 10:40');
    expect(days('2026-02-27', '2026-03-02')).toBe('27 Feb – 1 Mar');
    expect(days('2025-12-30', '2026-01-02')).toBe('30 Dec 2025 – 1 Jan 2026');
  });
});

describe('queries of spans', () => {
  const question = {
    applicationId: '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c11',
    range: presetRange('1h', NOW),
    filter: ruleFilter('Span::trace_id', 'abc'),
    ordering: '-start_time',
  };

  test('spans and their fields are queried for the same spans', () => {
    const { ordering, ...rest } = spansQuery(question).body ?? {};
    expect(ordering).toBe('-start_time');
    expect(fieldsQuery(question).body).toEqual(rest);
    expect(rest).toMatchObject({ start_time: '2026-03-12T13:03:00.000Z', filter: { condition: 'AND' } });
    expect(spansQuery({ ...question, filter: null }).body).not.toHaveProperty('filter');
  });

  test('a parameter without a filter is none', () => {
    expect(filterOfParam(JSON.stringify(question.filter))).toEqual(question.filter);
    for (const text of [undefined, '', '{', '[]', '{"condition":"AND","rules":[]}', 'null'])
      expect(filterOfParam(text)).toBeNull();
    expect(namesOfParam('["a",1,"b"]')).toEqual(['a', 'b']);
    expect(namesOfParam('{')).toEqual([]);
  });
});

describe('coverage of attributes', () => {
  test('shares are of the scanned spans, most frequent key first', () => {
    const facts = readSpanFields({
      total_spans: 200,
      sampled: false,
      span_attributes: [{ key: 'user.cost', count: 50 }, { key: 'system.model', count: 200 }, { count: 3 }],
      evaluator_outputs: [{ rule_name: 'Relevance', output_name: 'is_relevant', count: 20 }],
    });
    expect(facts?.attributes.map(({ name, share }) => [name, share])).toEqual([
      ['system.model', 1],
      ['user.cost', 0.25],
    ]);
    expect(facts?.evaluators[0]?.name).toBe('Relevance · is_relevant');
  });

  test('of a sample, shares are of its 10,000 spans', () => {
    const facts = readSpanFields({
      total_spans: 40_000,
      sampled: true,
      span_attributes: [{ key: 'a', count: 5_000 }],
    });
    expect(facts).toMatchObject({ isSampled: true, lookedAt: 10_000 });
    expect(facts?.attributes[0]?.share).toBe(0.5);
  });

  test('absent and rare are distinguished', () => {
    expect([0, 0.001, 0.37, 0.999, 1].map(formatShare)).toEqual(['0 %', '<1 %', '37 %', '>99 %', '100 %']);
  });

  test('a record without fields is not a failure', () => {
    expect(readSpanFields(null)).toBeNull();
    expect(readSpanFields({})).toMatchObject({ totalSpans: 0, attributes: [], evaluators: [] });
  });
});

describe('columns of spans', () => {
  const rows = [
    {
      span_id: 's',
      status_code: 'ERROR',
      span_attributes: { 'user.cost': 0.2, 'system.model': 'm' },
      evaluators: [{ evaluator_rule_name: 'R', output_name: 'is_relevant', value: 1, label: null }],
      extra_field: 'kept',
    },
  ];

  test('attributes are at their chosen positions; unnamed fields are shown too', () => {
    const columns = spanColumns(rows, ['user.cost', 'not.there']);
    const cost = columns.find(({ id }) => id === 'span_attributes.user.cost');
    expect(cost).toMatchObject({ title: 'cost', kind: 'number', group: 'Attributes' });
    expect(cost?.get(rows[0] ?? {})).toBe(0.2);
    expect(columns.find(({ id }) => id === 'span_attributes.not.there')?.get(rows[0] ?? {})).toBeUndefined();
    expect(columns.map(({ id }) => id)).toContain('extra_field');
    expect(columns.map(({ id }) => id)).not.toContain('span_attributes');
  });

  test('words for evaluators, status and keys', () => {
    expect(describeEvaluators(rows[0]?.evaluators)).toBe('is_relevant 1');
    expect(describeEvaluators(undefined)).toBe('');
    expect(['OK', 'error', 'UNSET'].map(statusTone)).toEqual(['ok', 'bad', 'plain']);
    expect(shortKey('system.gen_ai.request.model')).toBe('gen_ai.request.model');
  });
});

test('rows of two lines show input and output, name, attributes, duration and time; the rest starts hidden', () => {
  const rows = [
    { span_id: 's', input: 'a\nb', output: { x: 1 }, span_attributes: { 'user.cost': 1 }, extra: 1 },
  ];
  const none = { type: undefined, exchange: undefined, name: undefined, duration: undefined };
  const columns = spanLineColumns(rows, ['user.cost'], () => 1, none, false);
  const slim = spanLineColumns(rows, [], () => 1, none, true);
  expect(slim.flatMap(({ id, startsHidden }) => (startsHidden === true ? [] : [id]))).toEqual([
    'span_type',
    'exchange',
    'duration',
  ]);
  const ids = (hidden: boolean) =>
    columns.filter(({ startsHidden }) => (startsHidden ?? false) === hidden).map(({ id }) => id);
  expect(ids(false)).toEqual([
    'span_type',
    'exchange',
    'name',
    'span_attributes.user.cost',
    'duration',
    'start_time',
  ]);
  // Every column of the table can be shown.
  expect([...ids(true), ...ids(false)]).toEqual(
    expect.arrayContaining(spanColumns(rows, ['user.cost']).map(({ id }) => id)),
  );
  const exchange = columns.find(({ id }) => id === 'exchange');
  expect(exchange?.get(rows[0] ?? {})).toMatch(/^a.b → \{"x":1\}$/s);
  expect(exchange?.get({ input: 'x'.repeat(1_000_000) })).toHaveLength(300);
  // Copies and exports contain both texts completely.
  const [input] = ownColumns([{ column: exchange as Column, width: 0, left: 0, isPinned: false }]);
  expect(input?.get({ input: 'x'.repeat(1_000) })).toHaveLength(1_000);
});

describe('the filter of roots', () => {
  const other = { kind: 'contains', field: 'name', text: 'x', excludes: false } as const;
  const values = ['p'];
  const typed: ColumnFilter = { kind: 'values', field: 'parent_span_id', values, excludes: false };

  test('accepts every spelling of no parent, beside other filters', () => {
    const filters = withRoots([other], true);
    const rows = [{}, { parent_span_id: null }, { parent_span_id: '' }, { parent_span_id: 'p' }];
    const [root] = filters.filter(isRootFilter);
    expect(root && rows.map(passes(root))).toEqual([true, true, true, false]);
    expect(withRoots(filters, false)).toEqual([other]);
    expect(withRoots([other, typed], true)).toEqual(filters);
  });

  test('leaves a filter that was typed for the parent, and changes nothing twice', () => {
    const nulls = { kind: 'emptiness', field: 'parent_span_id', is: 'null' } as const;
    for (const filters of [[], [other], [other, typed], [nulls]])
      expect(withRoots(filters, false)).toBe(filters);
    const roots = withRoots([other], true);
    expect(withRoots(roots, true)).toBe(roots);
  });
});
