/** The parameters and the texts of a comparison of runs in the window. */
import { expect, test } from 'vitest';
import {
  isOneOfMany,
  MAX_NAMED_ITEMS,
  NO_FILTER,
  type RunRef,
  runFilter,
} from '../../electron/shared/run-comparison.ts';
import {
  filterOfParam,
  filterParam,
  queryOfParams,
  runsOfParam,
  runsParam,
} from '../../renderer/lib/comparison-params.ts';
import {
  changeText,
  compareProblem,
  deltaText,
  filterSums,
  filterText,
  inOrder,
  measureText,
  measureTitle,
  runFacts,
  sideNote,
  sideText,
  typedNumber,
} from '../../renderer/lib/comparison-words.ts';

import { RunComparisonState } from '../../renderer/state/run-comparison.svelte.ts';

const RUNS: RunRef[] = [
  { kind: 'experiment', id: 'a-1' },
  { kind: 'scores', id: 'b:2' },
];

test('runs, baseline and filter survive the parameters of a tab', () => {
  expect(runsOfParam(runsParam(RUNS))).toEqual(RUNS);
  const filter = { ...NO_FILTER, change: 'worse', atLeast: 0.25, words: 'refund' } as const;
  expect(filterOfParam(filterParam(filter))).toEqual(filter);
  expect(NO_FILTER).toEqual(runFilter.parse({}));
  expect(filterParam(NO_FILTER)).toBe('');
  expect(queryOfParams({ runs: runsParam(RUNS), baseline: '1', score: 's', better: 'lower' })).toEqual({
    ...{ runs: RUNS, baseline: 1, score: 's', lowerIsBetter: true, filter: NO_FILTER },
  });
});

test('unreadable parameters show all items of the readable runs', () => {
  expect(runsOfParam('experiment:a model:b experiment:')).toEqual([{ kind: 'experiment', id: 'a' }]);
  expect(filterOfParam('{"change":"better","new":1}')).toEqual(NO_FILTER);
  expect(filterOfParam('{')).toEqual(NO_FILTER);
  expect(queryOfParams({ runs: 'experiment:a', baseline: '3' }).baseline).toBe(0);
  const query = queryOfParams({ runs: runsParam(RUNS), filter: '{"run":3,"change":"worse"}' });
  expect(query.filter).toMatchObject({ run: null, change: 'worse' });
});

test('the earlier experiment comes first, whatever the zone and form of its time', () => {
  const early = { id: 'early', created_at: '2026-03-12T10:00:00+05:00' };
  const late = { id: 'late', created_at: '2026-03-12T06:30:00Z' };
  expect(inOrder(late, early)).toEqual([early, late]);
  expect(inOrder(early, late)).toEqual([early, late]);
});

test.each([
  ['0,25', 0.25],
  ['−0.5', -0.5],
  ['1,000', 1_000],
  ['-12,345.5', -12_345.5],
  ['1e3', 1_000],
  ['  ', null],
  ["'", undefined],
  ['1,00', 1],
  ['1,2,3', undefined],
])('a typed %j is read as %j', (typed, number) => expect(typedNumber(typed)).toBe(number));

test('says why experiments cannot be compared', () => {
  const row = (id: string, dataset: string) => ({ id, dataset: { id: dataset, name: `Set ${dataset}` } });
  expect(compareProblem([row('1', 'a'), row('2', 'a')])).toBeNull();
  expect(compareProblem([row('1', 'a')])).toBe('2 to 4 experiments are compared at once. Selected: 1.');
  expect(compareProblem([row('1', 'a'), row('2', 'b')])).toBe(
    'Only experiments over the same dataset are compared. These are over Set a and Set b.',
  );
});

test('a single test is not called one of many', () => {
  const difference = { value: 0.1, interval: [0.01, 0.2], probability: 0.06, verdict: 'better' };
  const run = { figures: { difference }, adjusted: 0.06 } as unknown as Parameters<typeof isOneOfMany>[0];
  expect(isOneOfMany(run, 1)).toBe(false);
  expect(isOneOfMany(run, 2)).toBe(true);
});

const SIDE = {
  ...({ fate: 'good', output: '', value: null, label: null, change: null, difference: null } as const),
  ...{ durationMs: null, results: 1, problem: null, reasoning: null },
};
test('a side without a score says why', () => {
  expect(sideText(null)).toBe('not in this run');
  expect(sideText({ ...SIDE, fate: 'failed' })).toBe('failed');
  expect(sideText(SIDE)).toBe('no score');
  expect(sideText({ ...SIDE, label: 'polite' })).toBe('polite');
  expect(sideText({ ...SIDE, label: 'high', value: 1 })).toBe('high 1');
  const mean = { ...SIDE, value: 0.75, results: 4, leftOut: 1, deviation: 0.25 };
  expect([sideText(mean), sideNote(mean), sideNote(SIDE), sideNote(null)]).toEqual([
    ...['0.75 ± 0.25', '1 of 4 results left out', '', ''],
  ]);
  expect([deltaText(0.5), deltaText(-0.25), deltaText(0), deltaText(null)]).toEqual([
    '+0.5',
    '−0.25',
    '',
    '',
  ]);
  expect(measureText('duration_ms', -180)).toBe('−180 ms');
});

test('a change that is too small for its digits is written without a sign', () => {
  expect(changeText('duration_ms', 180.2)).toBe('+180 ms');
  expect(changeText('duration_ms', -0.3)).toBe('±0 ms');
  expect(changeText('usage.input_tokens', 0)).toBe('±0');
  expect(changeText('usage.input_tokens', -0.4)).toBe('−0.4');
});

test('shows the count of each choice of items, and missing results among the facts of a run', () => {
  const counts = { worse: 2, better: 0, changed: 0, same: 3, missing: 1 };
  const run = {
    ...{
      ref: { kind: 'experiment', id: 'a' } as const,
      name: 'A',
      application: null,
      isComplete: true,
      asOfMs: null,
    },
    results: { good: 8, failed: 1, skipped: 0, other: 0, unscored: 0 },
    ...{ items: 5, repetitions: 2, shared: 4, onlyHere: 1, onlyBaseline: 2 },
  };
  const sums = { counts, failed: 1, skipped: 0, unscored: 2, items: 6 };
  const titlesOf = (of: Parameters<typeof filterSums>[0]) =>
    filterSums(of, { change: null, fate: null }).map(({ title }) => title);
  expect(titlesOf({ ...sums, runs: [run, run] })).toEqual([
    ...['All 6', 'Worse 2', 'Same 3', 'Not in both 1', 'Failed 1', 'Open 2'],
  ]);
  const none = { worse: 0, better: 0, changed: 0, same: 0, missing: 0 };
  expect(titlesOf({ ...sums, counts: none, runs: [run] })).toEqual([
    'All 6',
    'Scored 8',
    'Failed 1',
    'Open 2',
  ]);
  expect(runFacts(run, false)).toEqual([
    ...['5 items', 'up to 2 results per item, averaged', '1 failed', '1 only here', '2 missing'],
  ]);
});

test('the choice behind a number of a distribution has words', () => {
  expect(filterText({ ...NO_FILTER, label: 'yes', labelBefore: 'no' })).toBe('no → yes');
  expect(filterText({ ...NO_FILTER, kind: 'Tone', change: 'worse' })).toBe('Tone: worse');
  expect(filterText({ ...NO_FILTER, bin: { from: 0.2, to: 0.25, isLast: false } })).toBe('0.2 to 0.25');
  expect(filterText({ ...NO_FILTER, change: 'worse' })).toBe('');
});

test('a run that is still scoring is compared again after more items, and at its end', () => {
  const counts = { items: 500, unscored: 0, waiting: 0, failed: 0, skipped: 0, unknown: 0, scored: 0 };
  const versionOf = (state: string, scored: number) =>
    RunComparisonState.versionOf([], [{ state, counts: { ...counts, scored } }] as never);
  expect(versionOf('running', 99)).toBe(versionOf('running', 0));
  expect(versionOf('running', 100)).not.toBe(versionOf('running', 99));
  expect(versionOf('done', 120)).not.toBe(versionOf('running', 120));
});

test('ticked items replace the filtered ones, stay ticked under another filter, and are cleared for other runs', () => {
  const state = new RunComparisonState('c', () => {
    throw new Error('not read');
  });
  const query = (runs: RunRef[], filter = NO_FILTER) => ({
    ...{ runs, baseline: 0, score: 's', lowerIsBetter: false, filter },
  });
  const worse = { ...NO_FILTER, change: 'worse' } as const;
  state.show(query(RUNS, worse));
  expect(state.chosen?.filter).toEqual(worse);
  for (const id of ['a', 'b', 'c', 'b']) state.tick(id);
  expect(state.chosen?.filter).toEqual({ ...NO_FILTER, items: ['a', 'c'] });
  state.show(query(RUNS));
  expect(state.ticked).toEqual(['a', 'c']);
  state.show(query(RUNS.slice(0, 1)));
  expect(state.ticked).toEqual([]);
  for (let at = 0; at < MAX_NAMED_ITEMS; at += 1) state.tick(`i${at}`);
  expect(() => state.tick('one more')).toThrow('Expected at most 2000 ticked items.');
});

test('usage of a result has titles in words, and numbers that an application names keep their names', () => {
  expect(measureTitle('usage.input_tokens')).toBe('Input tokens');
  expect(measureTitle('duration_ms')).toBe('Latency');
  expect(measureTitle('my.input_tokens')).toBe('my.input_tokens');
});
