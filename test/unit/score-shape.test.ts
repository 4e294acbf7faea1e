/**
 * Statistics of the scores of one or two runs: changes, bars, labels, failure kinds, and the items behind each number.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RunsMatch } from '../../electron/core/items/compare-runs.ts';
import { RunColumnsBuilder } from '../../electron/core/items/run-columns.ts';
import { binText } from '../../electron/shared/figure-words.ts';
import { whole } from '../../electron/shared/pieces.ts';
import { NO_FILTER, type RunFilter } from '../../electron/shared/run-comparison.ts';

type Score = { value: number | null; label: string | null };
interface Pair {
  itemId: string;
  before?: Score | null;
  after: Score | null;
}
const number = (value: number, label: string | null = null): Score => ({ value, label });
const label = (text: string): Score => ({ value: null, label: text });

function columns(scores: readonly (readonly [itemId: string, score: Score | null])[]) {
  const builder = new RunColumnsBuilder();
  for (const [position, [itemId, score]] of scores.entries())
    builder.add({
      ...{ itemId, position, fate: score === null ? 'failed' : 'good', durationMs: null },
      scores: score === null ? [] : [{ evaluator: 'judge', name: 's', ...score }],
    });
  return builder.finish();
}

/** Without `before`, only the later run has scores. Items whose id starts with k have a failure kind. */
function compared(
  pairs: readonly Pair[],
  {
    lowerIsBetter = false,
    isOfSameTexts = false,
    clusterOf = () => null,
  }: {
    lowerIsBetter?: boolean;
    isOfSameTexts?: boolean;
    clusterOf?: (itemId: string) => string | null;
  } = {},
) {
  const isSingle = pairs.every(({ before }) => before === undefined);
  const after = columns(pairs.map((pair) => [pair.itemId, pair.after]));
  const runs = isSingle
    ? [after]
    : [columns(pairs.map(({ itemId, before = null }) => [itemId, before])), after];
  const match = new RunsMatch(runs, { baseline: 0, clusterOf });
  const kinds = new Map(
    pairs.flatMap(({ itemId }) => (itemId.startsWith('k') ? [[itemId, 'Wrong tone'] as const] : [])),
  );
  const choose = (filter: Partial<RunFilter> = {}) => {
    const { rows, ...counts } = match.choose({
      ...{ score: 's', lowerIsBetter, withWords: null, kinds, filter: { ...NO_FILTER, ...filter } },
    });
    return { ...counts, ids: [...rows].map((item) => match.itemIds[item]) };
  };
  const [series] = whole(match.scores(lowerIsBetter));
  return {
    choose,
    ids: choose().ids,
    counts: choose().counts,
    shape: match.shape('s', lowerIsBetter, null, { isOfSameTexts, kinds }),
    figures: series?.runs.at(-1)?.figures ?? null,
  };
}

describe('the change of an item', () => {
  test.each([
    ['a higher number', number(0.2), number(0.5), 'better', 'worse'],
    ['a lower number', number(0.5), number(0.2), 'worse', 'better'],
    ['the same number', number(0.5), number(0.5), 'same', 'same'],
    ['another label', label('yes'), label('no'), 'changed', 'changed'],
    ['the same label', label('yes'), label('yes'), 'same', 'same'],
    ['a number and a label', number(1), label('yes'), 'changed', 'changed'],
    ['no score after', number(1), null, 'missing', 'missing'],
    ['no score before', null, label('no'), 'missing', 'missing'],
  ])('%s', (_, before, after, change, whenLower) => {
    const of = (lowerIsBetter: boolean) =>
      Object.entries(compared([{ itemId: 'i', before, after }], { lowerIsBetter }).counts)
        .filter(([, count]) => count > 0)
        .map(([name]) => name);
    expect([of(false), of(true)]).toEqual([[change], [whenLower]]);
  });
});

describe('the items behind a number', () => {
  const { choose } = compared([
    { itemId: 'k1', before: number(0.9), after: number(0.1) },
    { itemId: 'i2', before: label('no'), after: label('yes') },
    { itemId: 'i3', before: null, after: label('yes') },
  ]);

  test('are those of two labels or of one, of a kind of failure, of a state, or named ones', () => {
    expect(choose({ label: 'yes', labelBefore: 'no' }).ids).toEqual(['i2']);
    expect(choose({ label: 'yes' }).ids).toEqual(['i2', 'i3']);
    expect(choose({ kind: 'Wrong tone', change: 'worse' }).ids).toEqual(['k1']);
    expect(choose({ kind: 'Wrong tone', change: 'better' }).ids).toEqual([]);
    expect(choose({ fate: 'good' }).ids).toHaveLength(3);
    expect(choose({ fate: 'failed' }).ids).toEqual(['i3']);
    expect(choose({ items: ['i3', 'k1', 'another'] }).ids).toEqual(['k1', 'i3']);
  });

  test('of one run are sorted by the worst number, which may be the highest; those without one are last', () => {
    const pairs = [
      { itemId: 'none', after: null },
      ...[0.2, -3, 0.8].map((value) => ({ itemId: `${value}`, after: number(value) })),
    ];
    expect(compared(pairs).ids).toEqual(['-3', '0.2', '0.8', 'none']);
    expect(compared(pairs, { lowerIsBetter: true }).ids).toEqual(['0.8', '0.2', '-3', 'none']);
    expect(compared(pairs).choose({ label: 'yes' }).ids).toEqual([]);
  });

  test('that are not scored yet are counted and found', () => {
    const builder = new RunColumnsBuilder();
    builder.add({ itemId: 'a', position: 0, fate: 'unscored', durationMs: null, scores: [] });
    const match = new RunsMatch([builder.finish()], { baseline: 0, clusterOf: null });
    const rules = { score: null, lowerIsBetter: false, withWords: null };
    expect(match.choose({ ...rules, filter: { ...NO_FILTER, fate: 'unscored' } })).toMatchObject({
      ...{ unscored: 1, rows: Int32Array.of(0) },
    });
  });
});

describe('the items of compared runs', () => {
  const pairs: Pair[] = [
    { itemId: 'i1', before: number(0.9), after: number(0.8) },
    { itemId: 'k2', before: number(0.9), after: number(0.1) },
    { itemId: 'i3', before: number(0.1), after: number(0.9) },
    { itemId: 'k4', before: number(0.5), after: number(0.5) },
    { itemId: 'i5', before: number(0.5), after: null },
    { itemId: 'i6', before: label('no'), after: label('yes') },
    { itemId: 'i7', before: label('no'), after: label('yes') },
    { itemId: 'i8', before: label('yes'), after: label('yes') },
  ];

  test('are listed with the largest loss first', () => {
    expect(compared(pairs).ids).toEqual(['k2', 'i1', 'i3', 'i6', 'i7', 'k4', 'i8', 'i5']);
  });

  test('are counted by change, label and failure kind', () => {
    const { counts, shape, figures } = compared(pairs);
    expect(counts).toEqual({ worse: 2, better: 1, changed: 2, same: 2, missing: 1 });
    expect(shape.labels).toEqual([
      { before: 'no', after: 'yes', items: 2 },
      { before: 'yes', after: 'yes', items: 1 },
    ]);
    expect(shape.failureKinds).toEqual([
      { name: 'Wrong tone', counts: { worse: 1, better: 0, changed: 0, same: 1, missing: 0 } },
    ]);
    expect([figures?.before?.value, figures?.after.value, figures?.after.items]).toEqual([
      ...[expect.closeTo(0.6), expect.closeTo(0.575), 4],
    ]);
  });

  test('of two runs are described beside the run of the filter', () => {
    const runs = [0, 1, 2].map((shift) => columns([0, 1].map((at) => [`i${at}`, number(at + shift)])));
    const match = new RunsMatch(runs, { baseline: 1, clusterOf: null });
    const rules = { isOfSameTexts: false, kinds: new Map<string, string>() };
    const endsOf = (run: number | null) => {
      const { bins } = match.shape('s', false, run, rules);
      return [bins[0]?.value, bins.at(-1)?.value];
    };
    expect([endsOf(null), endsOf(2), endsOf(1)]).toEqual([
      [0, 2],
      [1, 3],
      [1, 2],
    ]);
  });
});

test('a single run names the failure kinds of its items', () => {
  const { shape } = compared([
    { itemId: 'k1', after: number(1) },
    { itemId: 'i2', after: number(0) },
  ]);
  expect(shape.failureKinds.map(({ name }) => name)).toEqual(['Wrong tone']);
});

test('40 items of two traces are too few for a verdict', () => {
  const pairs = Array.from({ length: 40 }, (_, at) => ({
    ...{ itemId: `i${at}`, before: number(1), after: number(0) },
  }));
  const { figures } = compared(pairs, { clusterOf: (itemId) => String(Number(itemId.slice(1)) % 2) });
  expect(figures?.difference?.verdict).toBe('few');
  const each = compared(pairs, { clusterOf: (itemId) => itemId });
  expect(each.figures?.difference?.verdict).toBe('worse');
});

test('equal scores are one bar', () => {
  const { shape } = compared([{ itemId: 'i', before: number(0.5), after: number(0.5) }]);
  expect(shape.bins).toEqual([{ from: 0.5, to: 0.5, before: 1, after: 1 }]);
});

/** Random numbers, including equal ones, adjacent ones, and those at the limits of a double. */
const anyNumber = fc.oneof(
  fc.constantFrom(0, 0.3, 0.1 + 0.2, 1, 1e308, -1e308, Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, 1 / 0),
  fc.nat({ max: 100 }).map((cents) => cents / 100),
  fc.double({ noNaN: true }),
);
const maybeScore = fc.option(
  anyNumber.map((value) => number(value)),
  { nil: null },
);

test.each([false, true])(
  'the count of each bar is the length of its list (one run alone: %s)',
  (isSingle) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(maybeScore, maybeScore), { minLength: 1, maxLength: 60 }), (values) => {
        const pairs = values.map(([before, after], at) => ({
          ...{ itemId: `i${at}`, after, ...(isSingle ? {} : { before }) },
        }));
        const { choose, shape } = compared(pairs);
        const { bins } = shape;
        const lengths = bins.map(
          ({ from, to }, at) => choose({ bin: { from, to, isLast: at === bins.length - 1 } }).ids.length,
        );
        expect(lengths).toEqual(bins.map(({ after }) => after));
        const inBins = (side: 'before' | 'after') => bins.reduce((sum, bin) => sum + bin[side], 0);
        const isNumber = (score: Score | null) => Number.isFinite(score?.value ?? Number.NaN);
        const counted = values.filter(
          ([before, after]) => isNumber(after) && (isSingle || isNumber(before)),
        ).length;
        expect([inBins('before'), inBins('after')]).toEqual([isSingle ? 0 : counted, counted]);
        expect(new Set(bins.map(({ from }) => from)).size).toBe(bins.length);
        for (const { from, to } of bins) expect([from, to].every(Number.isFinite)).toBe(true);
      }),
      // Adjacent doubles: half of their distance is lost when it is added to one of them.
      {
        examples: [
          [[[number(0.3), number(0.1 + 0.2)]]],
          [[0.3, 0.1 + 0.2].map((value) => [null, number(value)])],
        ],
      },
    );
  },
);

test.each([
  [[-1e308, 1e308], 0],
  [[1e308, 1.5e308], 1.25e308],
])('the mean of %j is a number, and its interval one or none', (values, mean) => {
  const { figures, shape } = compared(
    values.map((value, at) => ({ itemId: `i${at}`, after: number(value) })),
  );
  expect((figures?.after.value ?? Number.NaN) / 1e308).toBeCloseTo(mean / 1e308);
  expect(figures?.after.interval?.every(Number.isFinite) ?? true).toBe(true);
  expect(shape.bins.length).toBeGreaterThan(1);
});

test.each<[string, number[], number[] | number]>([
  ['yes and no', [0, 1, 1], [0, 1]],
  ['halves', [0, 0.5, 1], [0, 0.5, 1]],
  ['grades without one of them', [1, 2, 5], [1, 2, 3, 4, 5]],
  [
    'thirds with rounding errors',
    [0, 1 / 3, 0.1 + 0.2 + 1 / 30, 2 / 3, 1],
    [0, 0.333333333333, 0.666666666667, 1],
  ],
  ['numbers at unequal distances', [0, 1e-6, 5], 20],
  ['many steps', [0, 0.01, 1], 20],
  ['one number', [0.5, 0.5], 1],
])('bars of %s', (_, values, expected) => {
  const pairs = values.map((value, at) => ({ itemId: `i${at}`, after: number(value) }));
  const { bins } = compared(pairs).shape;
  if (typeof expected === 'number') expect(bins).toHaveLength(expected);
  else expect(bins.map(({ value }) => value)).toEqual(expected);
  expect(bins.reduce((sum, { after }) => sum + after, 0)).toBe(values.length);
  const names = bins.map(binText);
  expect(new Set(names).size).toBe(names.length);
});

test('a share is named after a label only if every value of 1 has that label', () => {
  const labelOf = (...values: Score[]) =>
    compared(values.map((after, at) => ({ itemId: `i${at}`, after }))).figures?.label;
  expect(labelOf(number(1, 'yes'), number(1, 'yes'), number(0, 'no'))).toBe('yes');
  expect(labelOf(number(1, 'good'), number(1, 'excellent'), number(0, 'bad'))).toBeNull();
  expect(labelOf(number(1, 'yes'), number(1, null))).toBeNull();
  // An item with a score only in the later run is not counted.
  const pairs = [
    { itemId: 'a', before: number(0, 'no'), after: number(1, 'yes') },
    { itemId: 'b', before: null, after: number(1, 'other') },
  ];
  expect(compared(pairs).figures?.label).toBe('yes');
});

describe('figures of a score', () => {
  const pair = (at: number, before: number | null, after: number | null): Pair => {
    const score = (value: number | null) =>
      value === null ? null : number(value, value === 1 ? 'yes' : 'no');
    return { itemId: `i${at}`, before: score(before), after: score(after) };
  };
  const tables = (worse: number, better: number, same: number) =>
    Array.from({ length: worse + better + same }, (_, at) =>
      at < worse ? pair(at, 1, 0) : at < worse + better ? pair(at, 0, 1) : pair(at, at % 2, at % 2),
    );
  const figuresOf = (...given: Parameters<typeof compared>) => compared(...given).figures;

  test('judge a share only if its interval excludes 0, and never below 30 items', () => {
    expect(figuresOf(tables(29, 60, 500))).toMatchObject({
      ...{ kind: 'share', label: 'yes', difference: { verdict: 'better' } },
    });
    expect(figuresOf(tables(29, 60, 500), { lowerIsBetter: true })?.difference?.verdict).toBe('worse');
    expect(figuresOf(tables(28, 32, 500))?.difference).toMatchObject({
      ...{ verdict: 'unsure', more: expect.any(Number) },
    });
    expect(figuresOf(tables(0, 20, 9))?.difference).toMatchObject({ verdict: 'few', more: null });
  });

  test('are means for other numbers, over the items with a number in both runs', () => {
    const pairs = Array.from({ length: 40 }, (_, at) => pair(at, at / 100, at / 100 + 0.1 + (at % 3) / 100));
    const found = figuresOf([...pairs, pair(90, 5, null), pair(91, null, 7)]);
    expect(found).toMatchObject({
      ...{ kind: 'mean', label: null, after: { items: 40 }, difference: { verdict: 'better' } },
    });
    expect(found?.difference?.value).toBeCloseTo(0.11, 2);
    expect(figuresOf([pair(1, null, 1), pair(2, 1, null)])).toBeNull();
  });

  test('count the items of one trace together: the interval is wider, and more items are needed', () => {
    const pairs = tables(29, 60, 500);
    const alone = figuresOf(pairs);
    // Ten items that changed in the same way belong to one trace.
    const clusterOf = (itemId: string) => `trace ${Math.floor(Number(itemId.slice(1)) / 10)}`;
    const found = figuresOf(pairs, { clusterOf });
    expect(alone?.clusters).toBeNull();
    expect(found).toMatchObject({ kind: 'share', clusters: 59, difference: { verdict: 'unsure' } });
    expect(found?.difference?.more).toBeGreaterThan(100);
    expect(found?.difference?.probability).toBeGreaterThan(alone?.difference?.probability ?? 1);
    expect(found?.after.interval?.[0]).toBeLessThan(alone?.after.interval?.[0] ?? 0);
    // An item without a trace forms its own group.
    const one = figuresOf(pairs, { clusterOf: (id) => (id < 'i3' ? 'one' : null) });
    expect(one?.clusters).toBeGreaterThan(100);
    const later = pairs.map(({ itemId, after }) => ({ itemId, after }));
    const single = figuresOf(later, { clusterOf });
    expect(single?.after.interval?.every((end) => end >= 0 && end <= 1)).toBe(true);
    expect(figuresOf(pairs.slice(0, 5), { clusterOf })).toMatchObject({
      ...{ after: { interval: null }, difference: { verdict: 'few', interval: null, probability: 1 } },
    });
    const means = pairs.map((_, at) => pair(at, 0.5, at % 7));
    expect(figuresOf(means, { clusterOf })).toMatchObject({ kind: 'mean', clusters: 59 });
  });

  test('state agreement only if both runs judged the same texts', () => {
    const pairs = tables(10, 10, 40);
    expect(compared(pairs).shape.agreement).toBeNull();
    const agreed = compared(pairs, { isOfSameTexts: true }).shape.agreement;
    expect(agreed).toMatchObject({ items: 60, share: 40 / 60 });
    const later = pairs.map(({ itemId, after }) => ({ itemId, after }));
    expect(compared(later, { isOfSameTexts: true }).shape.agreement).toBeNull();
  });

  test('of a single run come with its own interval, bars and labels', () => {
    const { ids, shape, figures } = compared(
      [0.9, 0.1, null, 0.5].map((value, at) => {
        const { itemId, after } = pair(at, null, value);
        return { itemId, after };
      }),
    );
    expect(ids).toEqual(['i1', 'i3', 'i0', 'i2']);
    expect(figures).toMatchObject({ kind: 'mean', before: null, difference: null, after: { items: 3 } });
    expect(shape.bins.reduce((sum, { after }) => sum + after, 0)).toBe(3);
    expect(shape.labels).toEqual([{ before: null, after: 'no', items: 3 }]);
  });

  test('for several scores are corrected for multiple comparisons', () => {
    const score = (name: string, value: number | null) => ({
      ...{ evaluator: 'judge', name, value, label: null },
    });
    const runOf = (scoresOf: (at: number) => ReturnType<typeof score>[]) => {
      const builder = new RunColumnsBuilder();
      for (let at = 0; at < 60; at += 1)
        builder.add({
          ...{ itemId: `i${at}`, position: at, fate: 'good', durationMs: null, scores: scoresOf(at) },
        });
      return builder.finish();
    };
    const runs = [
      runOf((at) => [
        score('better', at % 3),
        score('noise', at % 5),
        score('far', at === 0 ? -1.7e308 : null),
      ]),
      runOf((at) => [
        ...[score('better', (at % 3) + (at % 2)), score('noise', (at + 1) % 5)],
        score('far', at === 0 ? 1.7e308 : null),
      ]),
    ];
    const found = whole(new RunsMatch(runs, { baseline: 0, clusterOf: () => null }).scores(false));
    const [better, noise, far] = ['better', 'noise', 'far'].map((name) =>
      found.find(({ key }) => key === name)?.runs.at(1),
    );
    expect(better?.figures?.difference?.verdict).toBe('better');
    expect(better?.adjusted).toBeCloseTo(2 * (better?.figures?.difference?.probability ?? 0), 9);
    expect(noise?.figures?.difference?.verdict).toBe('unsure');
    // The numbers are all equal.
    expect(far).toMatchObject({ adjusted: null, figures: { difference: null } });
  });
});
