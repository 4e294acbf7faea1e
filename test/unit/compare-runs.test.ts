/** Compares runs over one dataset with a baseline: pairs, changes, figures, order and filters. */
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { RunsMatch } from '../../electron/core/items/compare-runs.ts';
import {
  type ColumnResult,
  numbersIn,
  type RunColumns,
  RunColumnsBuilder,
} from '../../electron/core/items/run-columns.ts';
import { Figures } from '../../electron/core/items/score-figures.ts';
import { whole } from '../../electron/shared/pieces.ts';
import { evaluatorsText, NO_FILTER, type RunFilter } from '../../electron/shared/run-comparison.ts';
import { SCORE_CHANGES, type ScoreChange } from '../../electron/shared/score-comparison.ts';

type Given = Partial<ColumnResult> & { itemId: string };
const score = (name: string, value: number | null, label: string | null = null, evaluator = 'judge') => ({
  ...{ evaluator, name, value, label },
});

function columns(results: readonly Given[]): RunColumns {
  const builder = new RunColumnsBuilder();
  for (const [position, result] of results.entries())
    builder.add({ position, fate: 'good', durationMs: null, scores: [], ...result });
  return builder.finish();
}
const valued = (values: Readonly<Record<string, number | null>>) =>
  columns(
    Object.entries(values).map(([itemId, value]) => ({
      itemId,
      scores: value === null ? [] : [score('quality', value)],
    })),
  );
const match = (runs: readonly RunColumns[], baseline = 0) =>
  new RunsMatch(runs, { baseline, clusterOf: () => null });
const choose = (own: RunsMatch, filter: Partial<RunFilter> = {}, lowerIsBetter = false) => {
  const chosen = own.choose({
    ...{ score: own.keys[0] ?? null, lowerIsBetter, withWords: null },
    filter: { ...NO_FILTER, ...filter },
  });
  return { ...chosen, ids: [...chosen.rows].map((item) => own.itemIds[item]) };
};

describe('pairing of items', () => {
  test('matches items by id in any order, and counts those of one run apart', () => {
    const own = match([valued({ a: 1, b: 0, c: 1 }), valued({ c: 0, a: 1, d: 1 })]);
    expect(own.overlap(1)).toEqual({ shared: 2, onlyHere: 1, onlyBaseline: 1 });
    expect(choose(own).counts).toEqual({ worse: 1, better: 0, changed: 0, same: 1, missing: 2 });
    expect(choose(own).ids).toEqual(['c', 'a', 'b', 'd']);
  });

  test('takes the mean of several results of an item, and its most frequent label', () => {
    const repeated = columns([
      { itemId: 'a', durationMs: 100, scores: [score('quality', 1, 'yes')] },
      { itemId: 'b', durationMs: 100, scores: [score('quality', 0, 'no')] },
      { itemId: 'a', durationMs: 300, scores: [score('quality', 0, 'no')] },
      { itemId: 'a', durationMs: 200, scores: [score('quality', 0, 'no')] },
    ]);
    expect(repeated.results.good).toBe(4);
    expect(repeated.repeated.get(0)).toEqual([0, 2, 3]);
    expect([...repeated.durations.values]).toEqual([200, 100]);
    const own = match([repeated, valued({ a: 1, b: 0 })]);
    expect(own.scoreAt('quality', 0, 0)).toEqual({ value: 1 / 3, label: 'no' });
    const [quality] = whole(own.scores(false));
    expect(quality?.runs[1]?.figures?.after.items).toBe(2);
  });

  test('counts the results of an item that have a number, of which its mean is made', () => {
    const own = match([
      columns([
        { itemId: 'a', scores: [score('quality', 1)] },
        { itemId: 'a', fate: 'failed', scores: [score('quality', 0)] },
        { itemId: 'a', scores: [score('quality', 0.5)] },
        { itemId: 'b', scores: [score('quality', 1)] },
        { itemId: 'b', fate: 'skipped' },
        { itemId: 'c', fate: 'failed' },
      ]),
      valued({ a: 1 }),
    ]);
    const counts = (run: number) => [0, 1, 2].map((item) => own.numbersAt('quality', run, item));
    expect(counts(0)).toEqual([2, 1, 0]);
    expect(counts(1)).toEqual([1, 0, 0]);
    expect(own.scoreAt('quality', 0, 0).value).toBe(0.75);
  });

  test('never counts a failed or skipped result as a number, even if one was sent', () => {
    const own = match([
      valued({ a: 1, b: 1, c: 1 }),
      columns([
        { itemId: 'a', fate: 'failed', durationMs: 5, scores: [score('quality', 0)] },
        { itemId: 'b', fate: 'skipped', durationMs: 0, scores: [score('quality', 0)] },
        { itemId: 'c', scores: [score('quality', 1)] },
      ]),
    ]);
    const { counts, failed, skipped } = choose(own);
    expect(counts).toEqual({ worse: 0, better: 0, changed: 0, same: 1, missing: 2 });
    expect({ failed, skipped }).toEqual({ failed: 1, skipped: 1 });
    expect(whole(own.scores(false))[0]?.runs[1]?.figures?.after).toMatchObject({ value: 1, items: 1 });
    expect(choose(own, { fate: 'failed' }).ids).toEqual(['a']);
    expect(choose(own, { fate: 'skipped' }).ids).toEqual(['b']);
  });

  test('counts each score of a run made here, also of an item that failed for want of another one', () => {
    const builder = new RunColumnsBuilder({ takesEachScore: true });
    const result = { position: 0, durationMs: null };
    builder.add({
      ...result,
      itemId: 'a',
      fate: 'failed',
      scores: [score('quality', 0), score('tone', null)],
    });
    builder.add({ ...result, itemId: 'b', fate: 'failed', scores: [] });
    const own = match([valued({ a: 1, b: 1 }), builder.finish()]);
    expect(choose(own)).toMatchObject({ failed: 2, counts: { worse: 1, missing: 1 } });
    expect(whole(own.scores(false))[0]?.runs[1]?.figures?.after).toMatchObject({ value: 0, items: 1 });
  });

  test('counts items that no run scored as missing, so that the changes add up to all items', () => {
    const own = match([valued({ a: 1, b: null, c: null }), valued({ a: 1, b: null, d: 1 })]);
    const { counts, rows } = choose(own);
    expect(counts).toEqual({ worse: 0, better: 0, changed: 0, same: 1, missing: 3 });
    expect(rows).toHaveLength(4);
    expect(choose(own, { change: 'missing' }).ids).toEqual(['b', 'c', 'd']);
  });

  test('keeps two evaluators with one score name apart, and names them', () => {
    const run = (value: number) =>
      columns([{ itemId: 'a', scores: [score('passed', value, null, 'A'), score('passed', 1, null, 'B')] }]);
    const own = match([run(1), run(0)]);
    expect(own.keys).toEqual(['A: passed', 'B: passed']);
    expect(own.scoreAt('A: passed', 1, 0).value).toBe(0);
    expect(own.scoreAt('B: passed', 1, 0).value).toBe(1);
  });
});

describe('scores of an item', () => {
  test('of several results have the first of equally frequent labels', () => {
    const labels = ['no', 'yes', 'yes', 'no', 'maybe'];
    const run = columns(labels.map((label) => ({ itemId: 'a', scores: [score('verdict', null, label)] })));
    expect(match([run]).scoreAt('verdict', 0, 0)).toEqual({ value: null, label: 'no' });
  });

  test('without a number and a label are none', () => {
    const run = columns([{ itemId: 'a', scores: [score('quality', null), score('tone', 1)] }]);
    expect(match([run]).keys).toEqual(['tone']);
  });

  test('that a run lacks have no number and no label in it, and are missing in each of its items', () => {
    const own = match([
      columns([{ itemId: 'a', scores: [score('quality', 1, 'yes')] }]),
      columns([{ itemId: 'a', scores: [score('tone', 1)] }]),
    ]);
    expect(own.scoreAt('quality', 1, 0)).toEqual({ value: null, label: null });
    expect(own.changeAt('quality', false, 1, 0)).toBe('missing');
    expect(own.changeAt('tone', false, 1, 0)).toBe('missing');
    expect(own.labelsOf('quality')).toEqual(['yes']);
    expect(choose(own, { label: 'yes' }).ids).toEqual([]);
    expect(choose(own, { range: { from: 0, to: 1 } }).ids).toEqual([]);
  });

  test('that the baseline lacks have no difference of a least size', () => {
    const own = match([columns([{ itemId: 'a' }]), valued({ a: 1 })]);
    expect(choose(own, { atLeast: 0.1 }).ids).toEqual([]);
  });

  test('without numbers change with their label', () => {
    const side = (labels: Readonly<Record<string, string>>) =>
      columns(
        Object.entries(labels).map(([itemId, label]) => ({
          itemId,
          scores: [score('verdict', null, label)],
        })),
      );
    const own = match([side({ a: 'yes', b: 'yes' }), side({ a: 'yes', b: 'no' })]);
    expect(choose(own).counts).toEqual({ worse: 0, better: 0, changed: 1, same: 1, missing: 0 });
    expect(choose(own).ids).toEqual(['b', 'a']);
  });

  test('have a label only in the items that have one', () => {
    const run = columns([
      { itemId: 'a', scores: [score('quality', 1, 'yes')] },
      { itemId: 'b', scores: [score('quality', 0)] },
    ]);
    expect([0, 1].map((item) => match([run]).scoreAt('quality', 0, item).label)).toEqual(['yes', null]);
  });

  test('have each label of all runs once', () => {
    const run = (label: string) => columns([{ itemId: 'a', scores: [score('verdict', null, label)] }]);
    expect(match([run('yes'), run('no'), run('yes')]).labelsOf('verdict')).toEqual(['no', 'yes']);
  });
});

test('runs without scores show all items in their order, and none of them changed', () => {
  const own = match([
    columns([{ itemId: 'b' }, { itemId: 'a', fate: 'failed' }]),
    columns([{ itemId: 'a' }, { itemId: 'b' }]),
  ]);
  expect(choose(own)).toMatchObject({
    ids: ['b', 'a'],
    counts: { worse: 0, better: 0, changed: 0, same: 0, missing: 0 },
  });
  expect(choose(own, { fate: 'failed' }).ids).toEqual(['a']);
  expect(choose(own, { change: 'worse' }).ids).toEqual([]);
  expect(choose(own, { run: 0, change: 'worse' }).ids).toEqual([]);
});

test('an item without a score that only one of two runs has is not missing one if no item has a score', () => {
  const own = match([columns([]), columns([{ itemId: 'a0' }])]);
  expect(choose(own)).toMatchObject({
    ids: ['a0'],
    counts: { worse: 0, better: 0, changed: 0, same: 0, missing: 0 },
  });
});

test('thousands of items are compared, and the figures count each of them', () => {
  const ids = Array.from({ length: 5_001 }, (_, at) => `i${at}`);
  const run = (shift: number) => valued(Object.fromEntries(ids.map((id, at) => [id, (at + shift) % 2])));
  const [quality] = whole(match([run(0), run(1)]).scores(false));
  expect(quality?.runs[1]).toMatchObject({
    figures: { after: { items: 5_001 } },
    counts: { worse: 2_500, better: 2_501 },
  });
});

test('items that are known to be distinct make the same columns', () => {
  const results: ColumnResult[] = ['a', 'b', 'c'].map((itemId, position) => ({
    ...{ itemId, position, fate: 'good', durationMs: 5 },
    scores: [score('quality', position, 'yes')],
  }));
  const made = [true, false].map((isDistinct) => {
    const builder = new RunColumnsBuilder({ isDistinct });
    for (const result of results) builder.add(result);
    return builder.finish();
  });
  expect(made[0]).toEqual(made[1]);
});

describe('several runs', () => {
  const runs = [
    valued({ a: 0.5, b: 0.5, c: 0.5, d: 0.5 }),
    valued({ a: 0.4, b: 0.9, c: 0.5, d: 0.6 }),
    valued({ a: 0.7, b: 0.6, c: 0.5, d: 0.1 }),
  ];

  test('shows an item under its worst change, the largest first', () => {
    const own = match(runs);
    expect(choose(own).ids).toEqual(['d', 'a', 'b', 'c']);
    expect(choose(own).counts).toMatchObject({ worse: 2, better: 3, same: 1 });
    expect(choose(own, { run: 1 }).ids).toEqual(['a', 'b', 'd', 'c']);
    expect(choose(own, { run: 2, change: 'worse' }).ids).toEqual(['d']);
    expect(own.changeAt('quality', false, 2, 0)).toBe('better');
    expect(own.changeAt('quality', true, 2, 0)).toBe('worse');
    expect(own.changeAt('quality', false, 0, 0)).toBeNull();
  });

  test('finds an item by the change of any run, and by its size in that same run', () => {
    const own = match(runs);
    expect(choose(own, { change: 'better' }).ids).toEqual(['b', 'a', 'd']);
    expect(choose(own, { run: 0, change: 'worse' }).ids).toEqual(['d', 'a']);
    expect(choose(own, { change: 'worse', atLeast: 0.15 }).ids).toEqual(['d']);
    expect(choose(own, { change: 'better', atLeast: 0.15 }).ids).toEqual(['b', 'a']);
  });

  test('leave out of an overlap the items that only a third one has', () => {
    const own = match([valued({ a: 1 }), valued({ a: 1, b: 1 }), valued({ c: 1, d: 1 })]);
    expect(own.overlap(1)).toEqual({ shared: 1, onlyHere: 1, onlyBaseline: 0 });
    expect(own.overlap(2)).toEqual({ shared: 0, onlyHere: 2, onlyBaseline: 1 });
  });

  test('are sorted once for all pages of a filter on one run', () => {
    const own = match(runs);
    const sort = vi.spyOn(BigUint64Array.prototype, 'sort');
    for (let page = 0; page < 3; page += 1) {
      choose(own, { run: 1 });
      own.changeAt('quality', false, 1, 0);
    }
    expect(sort).toHaveBeenCalledTimes(1);
    sort.mockRestore();
  });

  test('a score of different evaluators is compared, and they are named', () => {
    const run = (evaluator: string) =>
      columns([{ itemId: 'a', scores: [score('passed', 1, null, evaluator)] }]);
    const names = [{ name: 'X' }, { name: 'Y' }];
    const textOf = (...evaluators: string[]) =>
      whole(match(evaluators.map(run)).scores(false)).map((series) => evaluatorsText(series, names));
    expect(textOf('A', 'B')).toEqual(['A in X, B in Y']);
    expect(textOf('A', 'A')).toEqual(['']);
  });

  test('a score that the baseline lacks has figures of its own, without a difference', () => {
    const own = match([valued({ a: 1 }), columns([{ itemId: 'a', scores: [score('tone', 0.5)] }])]);
    const tone = whole(own.scores(false)).find(({ key }) => key === 'tone');
    expect(tone?.runs[0]).toBeNull();
    expect(tone?.runs[1]).toMatchObject({
      figures: { after: { value: 0.5 }, difference: null },
      adjusted: null,
    });
  });

  test('compares with another run if the baseline moves', () => {
    const own = match(runs, 2);
    expect(choose(own, { run: 0 }).ids.slice(0, 2)).toEqual(['a', 'b']);
    expect(own.overlap(2)).toEqual({ shared: 0, onlyHere: 0, onlyBaseline: 0 });
  });

  test('adjusts the probabilities of all scores and runs together', () => {
    const ids = Array.from({ length: 60 }, (_, at) => `i${at}`);
    const many = (shift: number) =>
      columns(
        ids.map((itemId, at) => ({
          itemId,
          scores: [score('one', at + shift + (at % 3)), score('two', at % 5 === 0 ? shift : 0)],
        })),
      );
    const scores = whole(match([many(0), many(1), many(2)]).scores(false));
    const compared = scores.flatMap(({ runs: of }) => of.slice(1));
    expect(compared).toHaveLength(4);
    for (const one of compared)
      expect(one?.adjusted).toBeGreaterThanOrEqual(one?.figures?.difference?.probability ?? 2);
  });
});

describe('filters of compared items', () => {
  const own = match([
    columns([
      { itemId: 'a', scores: [score('quality', 0.2, 'low')] },
      { itemId: 'b', scores: [score('quality', 0.5, 'mid')] },
      { itemId: 'c', scores: [score('quality', 0.9, 'high')] },
    ]),
    columns([
      { itemId: 'a', scores: [score('quality', 0.9, 'high')] },
      { itemId: 'b', scores: [score('quality', 0.4, 'mid')] },
      { itemId: 'c', scores: [score('quality', 0.1, 'low')] },
    ]),
  ]);

  test.each([
    ['a change', { change: 'better' }, ['a']],
    ['a minimum difference', { atLeast: 0.5 }, ['c', 'a']],
    ['a change of a least size', { change: 'worse', atLeast: 0.2 }, ['c']],
    ['a range of the later score', { range: { from: 0.4, to: 0.9 } }, ['b', 'a']],
    ['a range of the change', { difference: { from: -0.1, to: 0.7 } }, ['b', 'a']],
    ['a range of the change without a lower end', { difference: { from: null, to: -0.1 } }, ['c', 'b']],
    [
      'a change in a range of at least a size',
      { difference: { from: null, to: 0.7 }, atLeast: 0.2 },
      ['c', 'a'],
    ],
    ['a range of the baseline', { run: 0, range: { from: null, to: 0.2 } }, ['a']],
    ['a label', { label: 'low' }, ['c']],
  ] as const)('%s', (_, filter, ids) => {
    expect(choose(own, filter).ids).toEqual(ids);
  });

  test('words select the items that contain them', () => {
    const chosen = own.choose({
      ...{ score: 'quality', lowerIsBetter: false, filter: NO_FILTER, withWords: new Set(['b']) },
    });
    expect([...chosen.rows].map((item) => own.itemIds[item])).toEqual(['b']);
  });
});

describe('rounded differences of scores', () => {
  test('treats items with the same decimal difference as equal, in their order and for a minimum difference', () => {
    const own = match([
      valued({ a: 0.6, b: 0.8, c: 0.3, d: 0.5 }),
      valued({ a: 0.4, b: 0.6, c: 0.1, d: 0.3 }),
    ]);
    expect(choose(own).ids).toEqual(['a', 'b', 'c', 'd']);
    expect(choose(own, { atLeast: 0.2 }).ids).toEqual(['a', 'b', 'c', 'd']);
    expect(choose(own, { atLeast: 0.2001 }).ids).toEqual([]);
  });

  test('sorts nearly equal differences', () => {
    const sizes = Array.from({ length: 100 }, (_, at) => 1 + ((at * 37) % 100) * 1e-9);
    const side = (of: (size: number) => number) =>
      valued(Object.fromEntries(sizes.map((size) => [`i${size}`, of(size)])));
    const own = match([side((size) => size), side(() => 0)]);
    expect(choose(own).ids).toEqual(sizes.toSorted((a, b) => b - a).map((size) => `i${size}`));
  });

  test('sorts differences near the largest number, equal ones in the order of their items', () => {
    const own = match([valued({ a: 0, b: 0, c: 0 }), valued({ a: -1e308, b: -1.7e308, c: -1e308 })]);
    expect(choose(own).ids).toEqual(['b', 'a', 'c']);
  });

  test('the mean of several results does not depend on their order', () => {
    const run = (values: readonly number[]) =>
      columns(values.map((value) => ({ itemId: 'a', scores: [score('quality', value)] })));
    const changeOf = (...sides: [readonly number[], readonly number[]]) =>
      match(sides.map(run)).changeAt('quality', false, 1, 0);
    expect(changeOf([0.1, 0.2, 0.3], [0.3, 0.2, 0.1])).toBe('same');
    expect(changeOf([0.1], [0.1, 0.1, 0.1])).toBe('same');
    expect(changeOf([0.1, 0.2], [0.1, 0.3])).toBe('better');
  });
});

test('compares durations, and the numbers that all outputs have', () => {
  const run = (ms: number, tokens: number, extra: readonly [string, number][] = []) =>
    columns(
      Array.from({ length: 40 }, (_, at) => ({
        itemId: `i${at}`,
        durationMs: ms + at,
        measures: [['usage.tokens', tokens + at] as const, ...extra],
      })),
    );
  const measures = whole(match([run(100, 10), run(150, 12, [['cost', 1]])]).measures());
  expect(measures.map(({ name }) => name)).toEqual(['duration_ms', 'usage.tokens']);
  expect(measures[0]?.runs[1]?.figures?.difference).toMatchObject({ value: 50, verdict: 'worse' });
});

test('numbers in outputs are named by their path; lists and very long names are left out', () => {
  const longName = 'n'.repeat(81);
  expect([...numbersIn({ a: 1, b: { c: 2, d: 'x', e: [3], [longName]: 4 }, [longName]: 5 })]).toEqual([
    ['a', 1],
    ['b.c', 2],
  ]);
});

test('runs without durations and numbers in outputs have no measures', () => {
  expect(whole(match([valued({ a: 1 }), valued({ a: 0 })]).measures())).toEqual([]);
});

/** A score with a number, a label or both, or null for no score. */
const anyScore = fc.option(
  fc
    .record({
      value: fc.option(fc.integer({ min: -3, max: 3 }), { nil: null }),
      label: fc.option(fc.constantFrom('yes', 'no'), { nil: null }),
    })
    .filter(({ value, label }) => value !== null || label !== null),
  { nil: null },
);
const scored = fc.dictionary(fc.stringMatching(/^[a-e][0-9]$/), anyScore);
const run = (side: Readonly<Record<string, { value: number | null; label: string | null } | null>>) =>
  columns(
    Object.entries(side).map(([itemId, own]) => ({
      itemId,
      scores: own === null ? [] : [score('quality', own.value, own.label)],
    })),
  );
type Side = { value: number | null; label: string | null } | null;
/** Determines the change of a pair from the definition of each kind of change. */
function changeOf(before: Side, after: Side, lowerIsBetter: boolean): ScoreChange {
  if (before === null || after === null) return 'missing';
  if (before.value !== null && after.value !== null) {
    if (before.value === after.value) return 'same';
    return after.value > before.value === lowerIsBetter ? 'worse' : 'better';
  }
  return before.value === null && after.value === null && before.label === after.label ? 'same' : 'changed';
}
test('two runs have the changes, figures and order of their pairs', () => {
  fc.assert(
    fc.property(scored, scored, fc.boolean(), (before, after, lowerIsBetter) => {
      // If no run has a score, no score can be missing, which the test above covers.
      fc.pre([before, after].some((side) => Object.values(side).some((own) => own !== null)));
      const own = match([run(before), run(after)]);
      const figures = new Figures({ lowerIsBetter, isSingle: false, clusterOf: null });
      const pairs = own.itemIds.flatMap((itemId) => {
        const [one, other] = [before[itemId] ?? null, after[itemId] ?? null];
        const [from, to] = [one?.value ?? null, other?.value ?? null];
        if (from !== null && to !== null)
          figures.add({
            ...{ itemId, before: from, after: to },
            ...{ labelBefore: one?.label ?? null, labelAfter: other?.label ?? null },
          });
        const size = from === null || to === null ? 0 : Math.abs(to - from);
        return [{ itemId, size, code: SCORE_CHANGES.indexOf(changeOf(one, other, lowerIsBetter)) }];
      });
      const chosen = choose(own, {}, lowerIsBetter);
      for (const [code, change] of SCORE_CHANGES.entries())
        expect(chosen.counts[change]).toBe(pairs.filter((pair) => pair.code === code).length);
      const sorted = pairs.toSorted((one, other) => one.code - other.code || other.size - one.size);
      expect(chosen.ids.slice(0, pairs.length)).toEqual(sorted.map(({ itemId }) => itemId));
      const quality = whole(own.scores(lowerIsBetter)).find(({ key }) => key === 'quality');
      if (quality?.runs[0] != null && quality.runs[1] != null)
        expect(quality.runs[1].figures).toEqual(whole(figures.finish()));
    }),
  );
});
