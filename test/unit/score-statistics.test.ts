/** Intervals of scores, alone and in pairs. The expected values come from published tables and from R. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { studentQuantile } from '../../electron/core/statistics/distributions.ts';
import { Moments } from '../../electron/core/statistics/means.ts';
import { moreForMeans, moreForShares } from '../../electron/core/statistics/power.ts';
import { pairedShares } from '../../electron/core/statistics/shares.ts';
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
    // The example of Newcombe 1998, table II, with 36, 12, 2 and 0 of 50 items.
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

describe('means of scores', () => {
  test.each([
    [1, 12.7062],
    [3, 3.1824],
    [9, 2.2622],
    [29, 2.0452],
    [1_000, 1.9623],
  ])('use the quantile of %i degrees of freedom', (degrees, expected) => {
    expect(studentQuantile(0.975, degrees)).toBeCloseTo(expected, 4);
  });

  test('have the same interval as in R, also for large numbers close to each other', () => {
    const moments = new Moments();
    for (const value of [5.1, 4.9, 4.7, 4.6, 5.0, 5.4, 4.6, 5.0, 4.4, 4.9]) moments.add(1e9 + value);
    expect(moments.estimate.interval?.map((each) => each - 1e9)).toEqual([
      expect.closeTo(4.6516, 3),
      expect.closeTo(5.0684, 3),
    ]);
    expect(moreForMeans(new Moments())).toBeNull();
  });
});
