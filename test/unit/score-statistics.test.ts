/** Intervals of scores, alone and in pairs. Expected values are of published tables and of R. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ComparedNames, Comparison, type ScorePair } from '../../electron/core/items/compare-scores.ts';
import { studentQuantile } from '../../electron/core/statistics/distributions.ts';
import { Moments } from '../../electron/core/statistics/means.ts';
import { moreForMeans, moreForShares } from '../../electron/core/statistics/power.ts';
import { pairedShares } from '../../electron/core/statistics/shares.ts';
import { whole } from '../../electron/shared/pieces.ts';
import type { ScoreFigures } from '../../electron/shared/score-comparison.ts';
import { wilson } from '../../electron/shared/wilson.ts';

const rounded = (interval: readonly number[] | null, digits: number) =>
  interval?.map((each) => Number(each.toFixed(digits)));

test.each([
  [434, 641, [0.6399, 0.7121]],
  [0, 10, [0, 0.2775]],
  [10, 10, [0.7225, 1]],
])('the interval of %i of %i items', (count, items, expected) => {
  expect(rounded(wilson(count, items), 4)).toEqual(expected);
});

test('no items have no interval', () => {
  expect(wilson(0, 0)).toBeNull();
  expect(pairedShares({ both: 0, onlyAfter: 0, onlyBefore: 0, neither: 0 })).toBeNull();
});

describe('paired shares', () => {
  test.each([
    [{ both: 405, onlyAfter: 49, onlyBefore: 29, neither: 158 }, [0.004, 0.058]],
    // Newcombe 1998, table II, example with 36, 12, 2 and 0 of 50 items.
    [{ both: 36, onlyAfter: 12, onlyBefore: 2, neither: 0 }, [0.0569, 0.3404]],
  ])('have the published interval: %o', (pairs, expected) => {
    expect(rounded(pairedShares(pairs), expected[0] === 0.004 ? 3 : 4)).toEqual(expected);
  });

  test('contain the difference, within -1 and 1, and swap with the runs', () => {
    const count = fc.nat({ max: 2_000 });
    fc.assert(
      fc.property(count, count, count, count, (both, onlyAfter, onlyBefore, neither) => {
        const pairs = { both, onlyAfter, onlyBefore, neither };
        const items = both + onlyAfter + onlyBefore + neither;
        const interval = pairedShares(pairs);
        if (items === 0) {
          expect(interval).toBeNull();
          return;
        }
        const [low = Number.NaN, high = Number.NaN] = interval ?? [];
        const difference = (onlyAfter - onlyBefore) / items;
        expect(low).toBeGreaterThanOrEqual(-1 - 1e-9);
        expect(low).toBeLessThanOrEqual(difference + 1e-9);
        expect(high).toBeGreaterThanOrEqual(difference - 1e-9);
        expect(high).toBeLessThanOrEqual(1 + 1e-9);
        const [swapped = Number.NaN] =
          pairedShares({ both, onlyAfter: onlyBefore, onlyBefore: onlyAfter, neither }) ?? [];
        expect(swapped).toBeCloseTo(-high, 9);
      }),
    );
  });

  test('state how many more items would tell, and nothing without a difference', () => {
    expect(moreForShares({ both: 400, onlyAfter: 28, onlyBefore: 17, neither: 196 })).toBe(1_300);
    expect(moreForShares({ both: 400, onlyAfter: 20, onlyBefore: 20, neither: 0 })).toBeNull();
  });
});

describe('means', () => {
  test.each([
    [1, 12.7062],
    [3, 3.1824],
    [9, 2.2622],
    [29, 2.0452],
    [1_000, 1.9623],
  ])('use the quantile of %i degrees of freedom', (degrees, expected) => {
    expect(studentQuantile(0.975, degrees)).toBeCloseTo(expected, 4);
  });

  test('have the interval of R, also for large numbers close to each other', () => {
    const moments = new Moments();
    for (const value of [5.1, 4.9, 4.7, 4.6, 5.0, 5.4, 4.6, 5.0, 4.4, 4.9]) moments.add(1e9 + value);
    expect(moments.estimate.interval?.map((each) => each - 1e9)).toEqual([
      expect.closeTo(4.6516, 3),
      expect.closeTo(5.0684, 3),
    ]);
    expect(moreForMeans(new Moments())).toBeNull();
  });
});

describe('the figures of a comparison', () => {
  const pair = (at: number, before: number | null, after: number | null): ScorePair => {
    const score = (value: number | null) =>
      value === null ? null : { name: 's', value, label: value === 1 ? 'yes' : 'no', reasoning: null };
    return { itemId: `i${at}`, before: score(before), after: score(after) };
  };
  const of = (
    pairs: readonly ScorePair[],
    rules: Partial<ConstructorParameters<typeof Comparison>[0]> = {},
  ) => {
    const comparison = new Comparison({ lowerIsBetter: false, kindOf: () => null, ...rules });
    for (const each of pairs) comparison.add(each);
    return whole(comparison.finish());
  };
  const figuresOf = (...given: Parameters<typeof of>): ScoreFigures | null => of(...given).summary.figures;
  const tables = (worse: number, better: number, same: number) =>
    Array.from({ length: worse + better + same }, (_, at) =>
      at < worse ? pair(at, 1, 0) : at < worse + better ? pair(at, 0, 1) : pair(at, at % 2, at % 2),
    );

  test('judge a share only if its interval excludes 0, and never below 30 items', () => {
    expect(figuresOf(tables(29, 60, 500))).toMatchObject({
      kind: 'share',
      label: 'yes',
      difference: { verdict: 'better' },
    });
    expect(figuresOf(tables(29, 60, 500), { lowerIsBetter: true })?.difference?.verdict).toBe('worse');
    expect(figuresOf(tables(28, 32, 500))?.difference).toMatchObject({
      verdict: 'unsure',
      more: expect.any(Number),
    });
    expect(figuresOf(tables(0, 20, 9))?.difference).toMatchObject({ verdict: 'few', more: null });
  });

  test('are means for other numbers, over the items with a number in both runs', () => {
    const pairs = Array.from({ length: 40 }, (_, at) => pair(at, at / 100, at / 100 + 0.1 + (at % 3) / 100));
    const found = figuresOf([...pairs, pair(90, 5, null), pair(91, null, 7)]);
    expect(found).toMatchObject({
      kind: 'mean',
      label: null,
      after: { items: 40 },
      difference: { verdict: 'better' },
    });
    expect(found?.difference?.value).toBeCloseTo(0.11, 2);
    expect(figuresOf([pair(1, null, 1)])).toBeNull();
  });

  test('count the items of one trace together: the interval is wider, and more items are needed', () => {
    const pairs = tables(29, 60, 500);
    const alone = figuresOf(pairs);
    // Ten items that changed alike are in one trace.
    const clusterOf = (itemId: string) => `trace ${Math.floor(Number(itemId.slice(1)) / 10)}`;
    const found = figuresOf(pairs, { clusterOf });
    expect(alone?.clusters).toBeNull();
    expect(found).toMatchObject({ kind: 'share', clusters: 59, difference: { verdict: 'unsure' } });
    expect(found?.difference?.more).toBeGreaterThan(100);
    expect(found?.difference?.probability).toBeGreaterThan(alone?.difference?.probability ?? 1);
    expect(found?.after.interval?.[0]).toBeLessThan(alone?.after.interval?.[0] ?? 0);
    // An item without a trace stands alone.
    expect(figuresOf(pairs, { clusterOf: (id) => (id < 'i3' ? 'one' : null) })?.clusters).toBeGreaterThan(
      100,
    );
    const single = figuresOf(pairs, { clusterOf, isSingle: true });
    expect(single?.after.interval?.every((end) => end >= 0 && end <= 1)).toBe(true);
    expect(figuresOf(pairs.slice(0, 5), { clusterOf })).toMatchObject({
      after: { interval: null },
      difference: { verdict: 'few', interval: null, probability: 1 },
    });
    const means = pairs.map(({ itemId }, at) => pair(Number(itemId.slice(1)), 0.5, at % 7));
    expect(figuresOf(means, { clusterOf })).toMatchObject({ kind: 'mean', clusters: 59 });
  });

  test('state agreement only if both runs judged the same texts', () => {
    const pairs = tables(10, 10, 40);
    expect(of(pairs).summary.agreement).toBeNull();
    expect(of(pairs, { isOfSameTexts: true }).summary.agreement).toMatchObject({ items: 60, share: 40 / 60 });
    const later = pairs.map((each) => ({ ...each, before: null }));
    expect(of(later, { isSingle: true, isOfSameTexts: true }).summary.agreement).toBeNull();
  });

  test('of several scores are corrected for their number', () => {
    const score = (name: string, value: number | null) => ({ name, value, label: null, reasoning: null });
    const names = new ComparedNames(['better', 'noise', 'labels'], {
      ...{ lowerIsBetter: false, isSingle: false, clusterOf: () => null },
    });
    for (let at = 0; at < 60; at += 1) {
      const before = [score('better', at % 3), score('noise', at % 5), score('labels', null)];
      const after = [score('better', (at % 3) + (at % 2)), score('noise', (at + 1) % 5)];
      names.add(`i${at}`, before, after);
    }
    const [better, noise, ...more] = whole(names.finish());
    expect(more).toEqual([]);
    expect(better).toMatchObject({ name: 'better', figures: { difference: { verdict: 'better' } } });
    expect(better?.adjusted).toBeCloseTo(2 * (better?.figures.difference?.probability ?? 0), 9);
    expect(noise?.figures.difference?.verdict).toBe('unsure');
    const far = new ComparedNames(['far', 'near'], {
      ...{ lowerIsBetter: false, isSingle: false, clusterOf: () => null },
    });
    far.add('i', [score('far', -1.7e308)], [score('far', 1.7e308)]);
    expect(whole(far.finish())).toMatchObject([{ name: 'far', adjusted: null }]);
  });

  test('of a single run list its lowest number first, with its own interval, bins and labels', () => {
    const { rows, summary } = of(
      [0.9, 0.1, null, 0.5].map((value, at) => pair(at, null, value)),
      { isSingle: true },
    );
    expect(rows.map(({ itemId }) => itemId)).toEqual(['i1', 'i3', 'i0', 'i2']);
    expect(summary).toMatchObject({
      means: null,
      figures: { kind: 'mean', before: null, difference: null, after: { items: 3 } },
    });
    expect(summary.bins.reduce((sum, { after }) => sum + after, 0)).toBe(3);
    expect(summary.labels).toEqual([{ before: null, after: 'no', items: 3 }]);
  });
});
