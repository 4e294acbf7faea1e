/** Tokens, cost and critical path of the traces behind runs: sums, medians, and how much of a run they cover. */
import { expect, test } from 'vitest';
import { RunColumnsBuilder } from '../../electron/core/items/run-columns.ts';
import { medianOf } from '../../electron/core/statistics/median.ts';
import type { RunSource } from '../../electron/datasets/run-source.ts';
import { StoredComparisons } from '../../electron/datasets/stored-comparison.ts';
import type { RunReads } from '../../electron/db/run-reads.ts';
import type { SpanList } from '../../electron/db/span-list-reads.ts';
import { readResult } from '../../electron/shared/experiment-result.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { runsQuery } from '../../electron/shared/run-comparison.ts';
import type { RunsUsage } from '../../electron/shared/run-usage.ts';
import { usageCoverage, usageSentence } from '../../electron/shared/usage-words.ts';

const DAY = Date.parse('2025-06-01T00:00:00Z');
type Span = Record<string, unknown>;
interface Result {
  itemId: string;
  traceId: string | null;
  fate?: 'good' | 'failed';
}
interface StoredList {
  spans: readonly Span[];
  body?: Record<string, unknown>;
  isComplete?: boolean;
  hasHoles?: boolean;
}

const at = (ms: number) => new Date(DAY + ms).toISOString();
/** A row whose JSON is truncated. */
const DAMAGED: Span = {};
const textOf = (span: Span) => (span === DAMAGED ? '{"trace_id":"t0","span_' : JSON.stringify(span));

/** A trace with an agent of 1 s and two calls below it of 300 ms and 400 ms. The framework also reports each call. */
function trace(traceId: string, tokens: number): Span[] {
  const span = (id: string, parent: string | null, type: string, fromMs: number, ms: number, used = 0) => ({
    ...{ trace_id: traceId, span_id: `${traceId} ${id}`, parent_span_id: parent && `${traceId} ${parent}` },
    ...{ span_type: type, start_time: at(fromMs), duration: ms },
    span_attributes:
      used === 0
        ? {}
        : {
            'gen_ai.usage.input_tokens': used - 10,
            'gen_ai.usage.output_tokens': 10,
            cost_usd: used / 1_000,
          },
  });
  return [
    span('agent', null, 'agent', 0, 1_000),
    span('framework', 'agent', 'chain', 100, 300, tokens),
    span('client', 'framework', 'llm', 100, 300, tokens),
    span('second', 'agent', 'llm', 500, 400, 50),
  ];
}

interface Stored {
  stored: StoredComparisons;
  /** Sources of the runs with these numbers, by default of all runs. */
  sourcesOf: (at?: readonly number[]) => RunSource[];
  /** Returns how often stored spans were read. */
  reads: () => number;
}

function storedRuns(
  runs: readonly (readonly Result[])[],
  lists: readonly StoredList[],
  total?: number | null,
): Stored {
  let readings = 0;
  const columnsOf = (results: readonly Result[]) => {
    const columns = new RunColumnsBuilder();
    for (const [position, { itemId, traceId, fate = 'good' }] of results.entries())
      columns.add({ itemId, traceId, position, fate, durationMs: null, scores: [] });
    return columns.finish();
  };
  const body = { application_id: 'a', start_time: '2025-05-31T00:00:00Z', end_time: '2025-06-02T00:00:00Z' };
  const reads = {
    experiment: (at: number) => columnsOf(runs[at] ?? []),
    tracesOf: () => new Map(),
    tracesVersion: () => '',
    results: () => [],
    spanLists: () =>
      lists.map((list, generationId): SpanList => {
        const query: ListQuery = {
          operation: 'spans.query',
          path: {},
          query: {},
          body: { ...body, ...list.body },
        };
        const { isComplete = true, hasHoles = false, spans } = list;
        return { generationId, query, endPosition: spans.length, isComplete, hasHoles, oldestMs: null };
      }),
    spanListsVersion: () => '1',
    spanRows: (generationId: number, from: number, limit: number) => {
      readings += 1;
      return (lists[generationId]?.spans ?? [])
        .map((span, position) => ({ position, json: textOf(span) }))
        .slice(from, from + limit);
    },
    close: () => undefined,
  };
  const stored = new StoredComparisons(() => reads as unknown as RunReads);
  const sourcesOf = (places: readonly number[] = runs.map((_, place) => place)) =>
    places.map((place) => ({
      ...{ ref: { kind: 'experiment' as const, id: `${place}` }, version: '1', isComplete: true },
      ...{ generationId: place, evaluator: '', inputs: [], ...(total === undefined ? {} : { total }) },
    }));
  return { stored, sourcesOf, reads: () => readings };
}

function readUsage(stored: StoredComparisons, sources: RunSource[], baseline = 0): RunsUsage {
  for (let steps = 0; steps < 10_000; steps += 1) {
    const answer = stored.answer({ sources, datasetId: null, ask: { form: 'usage', baseline } });
    if (answer.form === 'usage' && answer.usage !== null) return answer.usage;
  }
  throw new Error('The traces were not read to the end.');
}

function usageOf(
  runs: readonly (readonly Result[])[],
  lists: readonly StoredList[],
  total?: number | null,
): RunsUsage {
  const { stored, sourcesOf } = storedRuns(runs, lists, total);
  return readUsage(stored, sourcesOf());
}

const items = (count: number, traceOf: (at: number) => string | null): Result[] =>
  Array.from({ length: count }, (_, at) => ({ itemId: `item-${at}`, traceId: traceOf(at) }));
const figure = ({ runs }: RunsUsage, name: string, run = 0) =>
  runs[run]?.sums.find((sum) => sum.figure === name) ?? null;

test('sums each trace once, counts a call once if a framework reports it too, and names the results it covers', () => {
  const results = [
    ...items(3, (at) => `t${at}`),
    { itemId: 'item-3', traceId: null },
    { itemId: 'item-4', traceId: 'elsewhere' },
  ];
  const usage = usageOf(
    [results],
    [{ spans: [trace('t0', 100), trace('t1', 200), trace('t2', 300)].flat() }],
  );
  expect(usage.runs[0]).toMatchObject({ results: 5, named: 4, whole: 3, missing: 1, partial: 0, traces: 3 });
  expect(figure(usage, 'tokens')).toMatchObject({ sum: 750, traces: 3, median: { value: 250, items: 3 } });
  expect(figure(usage, 'costUsd')?.sum).toBeCloseTo(0.75, 10);
  expect(figure(usage, 'pathMs')).toMatchObject({ sum: 3_000, median: { value: 1_000 } });
  expect(usage.runs[0]?.pathByType).toEqual([
    { type: 'llm', ms: 2_100 },
    { type: 'agent', ms: 900 },
  ]);
  const [run] = usage.runs;
  expect(run && usageCoverage(run)).toBe(
    'over 3 of 5 results; the traces of 1 are not stored here; 1 names no trace.',
  );
});

test.each([
  [1_300, 'over 2 of 1,300 results; 1,298 are not stored here.', 1_298],
  [3, 'over 2 of 3 results; 1 is not stored here.', 1],
  [null, 'over 2 of the 2 stored results; not all results are stored here.', null],
  [2, 'over all 2 results.', 0],
])('sums over a part of %o results are never called sums over all', (total, words, unstored) => {
  const spans = [trace('t0', 100), trace('t1', 200)].flat();
  const [run] = usageOf([items(2, (at) => `t${at}`)], [{ spans }], total).runs;
  expect(run).toMatchObject({ results: 2, unstored, whole: 2 });
  expect(run && usageCoverage(run)).toBe(words);
});

test.each([
  [{ partial: 2, whole: 6 }, 'over 6 of 8 results; the traces of 2 are stored only in part.'],
  [
    { missing: 1, partial: 2, unread: 3, whole: 1, named: 7, traces: 1 },
    'over 1 of 8 results; the traces of 1 are not stored here; those of 2 are stored only in part; those of 3 are too many to read; 1 names no trace.',
  ],
])('each part of the results has a verb', (counts, words) => {
  const none = {
    ...{ results: 8, unstored: 0, named: 8, whole: 0, partial: 0, missing: 0, unread: 0 },
    traces: 6,
  };
  expect(usageCoverage({ ...none, ...counts })).toBe(words);
});

test('a span in two lists counts once, also if a list was read again', () => {
  const spans = trace('t0', 100);
  const usage = usageOf([items(1, () => 't0')], [{ spans }, { spans: spans.slice(1) }]);
  expect(figure(usage, 'tokens')).toMatchObject({ sum: 150, traces: 1 });
});

test('a trace that several items name counts once, and for none of these items', () => {
  const usage = usageOf(
    [items(4, (at) => (at < 3 ? 'batch' : 'own'))],
    [{ spans: [...trace('batch', 1_000), ...trace('own', 100)] }],
  );
  expect(usage.runs[0]).toMatchObject({ whole: 4, traces: 2 });
  expect(figure(usage, 'tokens')).toMatchObject({ sum: 1_200, median: { value: 150, items: 1 } });
});

/** A trace with one more span that starts late. */
const LONG: readonly Span[] = [
  ...trace('t0', 100),
  {
    ...{ trace_id: 't0', span_id: 't0 last', parent_span_id: 't0 agent', span_type: 'tool' },
    ...{ start_time: at(950), duration: 50 },
  },
];

/** Returns a list of the spans that start in this range, in milliseconds of the day. */
function between(spans: readonly Span[], fromMs: number, toMs: number): StoredList {
  const [start, end] = [at(fromMs), at(toMs)];
  const within = spans.filter(({ start_time: own }) => String(own) >= start && String(own) < end);
  return { spans: within, body: { start_time: start, end_time: end } };
}

test.each<[string, StoredList[], number]>([
  ['two ranges that touch', [between(LONG, -10, 500), between(LONG, 500, 2_000)], 1],
  ['two ranges with a hole', [between(LONG, -10, 450), between(LONG, 600, 2_000)], 0],
  [
    'two ranges, and one between them without a span of it',
    [between(LONG, -10, 501), between(trace('t1', 100), 501, 900), between(LONG, 900, 2_000)],
    1,
  ],
  [
    'two ranges, and one between them of another application',
    [
      between(LONG, -10, 450),
      { spans: [], body: { ...between([], 450, 600).body, application_id: 'b' } },
      between(LONG, 600, 2_000),
    ],
    0,
  ],
])('a trace of %s is whole only without a hole', (_, lists, whole) => {
  const usage = usageOf([items(1, () => 't0')], lists);
  expect(usage.runs[0]).toMatchObject({ named: 1, whole, partial: 1 - whole });
});

const latestFirst = (spans: readonly Span[]) =>
  spans.toSorted((one, other) => String(other['start_time']).localeCompare(String(one['start_time'])));

test('a trace is whole in a list that is read from its latest span on, if a row before the trace was read', () => {
  const spans = latestFirst([...trace('t0', 100), { trace_id: 't1', span_id: 'x', start_time: at(-5) }]);
  const [read, unread] = [
    { spans, isComplete: false },
    { spans: spans.slice(0, -1), isComplete: false },
  ];
  expect(usageOf([items(1, () => 't0')], [read]).runs[0]).toMatchObject({ whole: 1 });
  expect(usageOf([items(1, () => 't0')], [unread]).runs[0]).toMatchObject({ whole: 0, partial: 1 });
});

test('the unread part of a list is missing even if an earlier list has it', () => {
  const spans = trace('t0', 100);
  const late = { ...between(latestFirst(spans).slice(0, 1), -10, 2_000), isComplete: false };
  expect(usageOf([items(1, () => 't0')], [late, between(spans, -10, 300)]).runs[0]).toMatchObject({
    whole: 0,
  });
});

test('a list that was read to its end without all of its rows has no whole trace, unless another list has it', () => {
  const spans = trace('t0', 100);
  const holed = { spans: spans.slice(0, -1), isComplete: false, hasHoles: true };
  expect(usageOf([items(1, () => 't0')], [holed]).runs[0]).toMatchObject({ partial: 1, sums: [] });
  const usage = usageOf([items(1, () => 't0')], [holed, { spans }]);
  expect(usage.runs[0]).toMatchObject({ whole: 1 });
  expect(figure(usage, 'tokens')).toMatchObject({ sum: 150 });
});

test('a damaged row of a trace makes it incomplete', () => {
  const spans = [...trace('t0', 100), DAMAGED];
  expect(usageOf([items(1, () => 't0')], [{ spans }]).runs[0]).toMatchObject({ whole: 0, partial: 1 });
});

test('spans without an id count once in two lists, and each in one', () => {
  const spans = trace('t0', 100).map((span, place) => (place === 3 ? { ...span, span_id: null } : span));
  const twice = [...spans, ...spans.slice(3)];
  const usage = usageOf([items(1, () => 't0')], [{ spans }, { spans: twice }]);
  expect(figure(usage, 'tokens')).toMatchObject({ sum: 200, traces: 1 });
});

test.each<[string, StoredList]>([
  ['a parent is missing', { spans: trace('t0', 100).slice(1) }],
  [
    'the trace goes on after the range',
    { spans: trace('t0', 100), body: { end_time: '2025-06-01T00:00:00.500Z' } },
  ],
])('a trace is left out as incomplete if %s', (_, list) => {
  const usage = usageOf([items(1, () => 't0')], [list]);
  expect(usage.runs[0]).toMatchObject({ named: 1, whole: 0, partial: 1, sums: [] });
});

test.each<[string, StoredList]>([
  ['by a field of the future', { spans: trace('t0', 100).slice(0, 2), body: { sample_rate: 0.5 } }],
  [
    'by status',
    {
      spans: trace('t0', 100).slice(0, 2),
      body: {
        filter: { condition: 'AND', rules: [{ field: 'Span::status_code', operator: 'eq', value: 'ERROR' }] },
      },
    },
  ],
  [
    'in another order, not to its end',
    { spans: trace('t0', 100), body: { ordering: 'duration' }, isComplete: false },
  ],
])('spans of a list that was filtered %s say nothing about a trace', (_, list) => {
  expect(usageOf([items(1, () => 't0')], [list]).runs[0]).toMatchObject({ whole: 0, missing: 1, sums: [] });
});

test('the figures of items stay while those of other runs are read', () => {
  const spans = [trace('t0', 100), trace('t1', 200)].flat();
  const { stored, sourcesOf } = storedRuns([items(1, () => 't0'), items(1, () => 't1')], [{ spans }]);
  const tokensOf = (places: readonly number[]) => {
    const query = runsQuery.omit({ runs: true }).parse({ score: null, filter: {}, offset: 0, limit: 10 });
    const ask = { form: 'compare', query } as const;
    const answer = stored.answer({ sources: sourcesOf(places), datasetId: null, ask });
    return answer.form === 'compare' ? answer.answer.rows[0]?.sides[0]?.usage?.tokens : undefined;
  };
  readUsage(stored, sourcesOf([0]));
  expect(tokensOf([0])).toBe(150);
  expect(readUsage(stored, sourcesOf([1])).runs[0]).toMatchObject({ whole: 1 });
  expect([tokensOf([0]), tokensOf([1])]).toEqual([150, 250]);
});

test('another baseline, and the same runs in another order, read no span again', () => {
  const spans = [trace('t0', 100), trace('t1', 200)].flat();
  const { stored, sourcesOf, reads } = storedRuns([items(1, () => 't0'), items(1, () => 't1')], [{ spans }]);
  const first = readUsage(stored, sourcesOf());
  const before = reads();
  const second = readUsage(stored, sourcesOf(), 1);
  expect(figure(second, 'tokens', 0)?.difference?.value).toBe(-100);
  expect(figure(first, 'tokens', 1)?.difference?.value).toBe(100);
  readUsage(stored, sourcesOf([1, 0]));
  expect(reads()).toBe(before);
});

test('the list of one trace is complete, however it is filtered', () => {
  const filter = { condition: 'AND', rules: [{ field: 'Span::trace_id', operator: 'eq', value: 't0' }] };
  const usage = usageOf([items(1, () => 't0')], [{ spans: trace('t0', 100), body: { filter } }]);
  expect(usage.runs[0]).toMatchObject({ whole: 1 });
});

test('compares the items that both runs have, and leaves failed ones out of the medians only', () => {
  const count = 40;
  const before = items(count, (at) => `a${at}`);
  const after = items(count, (at) => `b${at}`).map((result, at) =>
    at === 0 ? { ...result, fate: 'failed' as const } : result,
  );
  const spans = Array.from({ length: count }, (_, at) => [
    ...trace(`a${at}`, 100 + at),
    // The traces of the last ten items are not stored.
    ...(at < 30 ? trace(`b${at}`, 130 + at) : []),
  ]).flat();
  const usage = usageOf([before, after], [{ spans }]);
  expect(usage.runs[1]).toMatchObject({ results: 40, whole: 30, missing: 10 });
  const tokens = figure(usage, 'tokens', 1);
  expect(tokens).toMatchObject({ traces: 30, median: { items: 29 } });
  expect(tokens?.difference).toEqual({ value: 30, items: 29, interval: [30, 30] });
  expect(figure(usage, 'tokens', 0)?.difference).toBeNull();
  expect(tokens && usageSentence(tokens)).toContain('Median difference from the baseline 30 in 29 items');
});

test('several results of an item are one mean, if the traces of all are stored', () => {
  const results = [...items(2, (at) => `t${at}`), ...items(2, (at) => (at === 0 ? 'u0' : 'gone'))];
  const usage = usageOf(
    [results],
    [{ spans: [...trace('t0', 100), ...trace('u0', 300), ...trace('t1', 999)] }],
  );
  expect(figure(usage, 'tokens')).toMatchObject({ sum: 1_549, traces: 3, median: { value: 250, items: 1 } });
});

test('a run without traces reads no span', () => {
  const usage = usageOf([items(3, () => null)], [{ spans: trace('t0', 100) }]);
  expect(usage.runs[0]).toMatchObject({ results: 3, named: 0, sums: [], pathByType: [] });
});

test('a result names its trace beside its outputs, or in them', () => {
  const outputs = { answer: 'Yes', trace_id: 'in-outputs' };
  expect(readResult({ experiment_item: { outputs } }).traceId).toBe('in-outputs');
  expect(readResult({ experiment_item: { outputs, trace_id: 'beside' } }).traceId).toBe('beside');
});

/** Exact ranks from sums of binomial coefficients: of 10 tosses, up to 1 head has 1.1 %, and up to 2 have 5.5 %. */
test.each([
  [5, 3, null],
  [6, 3.5, [1, 6]],
  [10, 5.5, [2, 9]],
  [25, 13, [8, 18]],
  [100, 50.5, [40, 61]],
])('the median of 1 to %i has the interval between its ranks', (count, value, interval) => {
  const values = Array.from({ length: count }, (_, at) => count - at);
  expect(medianOf(values)).toEqual({ value, items: count, interval });
});
