/** Simulated comparisons with fixed seeds: false alarms, coverage of intervals, and predicted numbers of items. */
import { describe, expect, test } from 'vitest';
import { seededNumbers } from '../../electron/core/seeded.ts';
import { fleissKappa } from '../../electron/core/statistics/agreement.ts';
import { clusteredMean } from '../../electron/core/statistics/clusters.ts';
import { correctedShare } from '../../electron/core/statistics/judge.ts';
import { bootstrapMean, signFlipTest } from '../../electron/core/statistics/means.ts';
import { itemsForMeans, itemsForShares } from '../../electron/core/statistics/power.ts';
import { independentShares, mcnemar, pairedShares } from '../../electron/core/statistics/shares.ts';
import { whole } from '../../electron/shared/pieces.ts';
import { type Interval, wilson } from '../../electron/shared/wilson.ts';

const RUNS = 10_000;
type Next = () => number;

/** A normally distributed number, by the method of Box and Muller. */
const normal = (next: Next): number => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());

/** Percentage of simulated intervals that do not contain the true value. */
function missed(
  seed: number,
  truth: number,
  simulated: (next: Next) => Interval | null,
  runs = RUNS,
): number {
  const next = seededNumbers(seed);
  let misses = 0;
  for (let run = 0; run < runs; run += 1) {
    const [low, high] = simulated(next) ?? [Number.NaN, Number.NaN];
    if (!(low <= truth && truth <= high)) misses += 1;
  }
  return (100 * misses) / runs;
}

/**
 * Pairs of outcomes of items, of which the share `changing` changes: half of them in each direction, plus the
 * difference.
 */
function drawPairs(next: Next, items: number, changing: number, difference = 0) {
  const pairs = { both: 0, onlyAfter: 0, onlyBefore: 0, neither: 0 };
  for (let item = 0; item < items; item += 1) {
    const drawn = next();
    if (drawn < (changing + difference) / 2) pairs.onlyAfter += 1;
    else if (drawn < changing) pairs.onlyBefore += 1;
    else if (drawn < changing + (1 - changing) * 0.7) pairs.both += 1;
    else pairs.neither += 1;
  }
  return pairs;
}

describe('10,000 comparisons without a difference: 5.0 ± 0.5 % false alarms', () => {
  const expectFive = (share: number) => {
    expect(share).toBeGreaterThanOrEqual(4.5);
    expect(share).toBeLessThanOrEqual(5.5);
  };

  test('of shares of the same items', () => {
    expectFive(missed(1, 0, (next) => pairedShares(drawPairs(next, 600, 0.25))));
  });

  test('of shares of the same items, by the mid-p test', () => {
    const next = seededNumbers(2);
    let alarms = 0;
    for (let run = 0; run < RUNS; run += 1) if (mcnemar(drawPairs(next, 600, 0.25)).mid <= 0.05) alarms += 1;
    expectFive((100 * alarms) / RUNS);
  });

  test('of means of the same items, few and many', () => {
    const few = (next: Next) => Array.from({ length: 20 }, () => normal(next));
    expectFive(missed(3, 0, (next) => whole(bootstrapMean(few(next), next))));
    const many = (next: Next) => Array.from({ length: 1_200 }, () => normal(next) + normal(next) * next());
    expectFive(missed(4, 0, (next) => whole(bootstrapMean(many(next), next))));
  });

  test('of means of items in traces', () => {
    expectFive(missed(5, 0, (next) => drawClusters(next, 60).interval));
  });

  test('by the permutation test', () => {
    const next = seededNumbers(6);
    let alarms = 0;
    for (let run = 0; run < RUNS; run += 1) {
      const values = Array.from({ length: 1_100 }, () => normal(next));
      if (whole(signFlipTest(values, next)) <= 0.05) alarms += 1;
    }
    expectFive((100 * alarms) / RUNS);
  });
});

/** Items of the same trace share half of their variance, and a trace has one to nine items. */
function drawClusters(next: Next, traces: number) {
  const [values, clusters]: [number[], number[]] = [[], []];
  for (let trace = 0; trace < traces; trace += 1) {
    const [shared, items] = [normal(next), 1 + Math.floor(next() * 9)];
    for (let item = 0; item < items; item += 1) {
      values.push(shared + normal(next));
      clusters.push(trace);
    }
  }
  return { ...clusteredMean(values, clusters), interval: clusteredMean(values, clusters)?.interval ?? null };
}

describe('10,000 intervals contain the true value in 95 ± 0.7 %', () => {
  const expectNinetyFive = (misses: number) => {
    expect(100 - misses).toBeGreaterThanOrEqual(94.3);
    expect(100 - misses).toBeLessThanOrEqual(95.7);
  };
  const heads = (next: Next, share: number, items: number) => {
    let count = 0;
    for (let item = 0; item < items; item += 1) if (next() < share) count += 1;
    return count;
  };

  test('of a share', () => {
    expectNinetyFive(missed(11, 0.3, (next) => wilson(heads(next, 0.3, 400), 400)));
  });

  test('of a difference of shares, of the same items and of different ones', () => {
    expectNinetyFive(missed(12, 0.08, (next) => pairedShares(drawPairs(next, 500, 0.3, 0.08))));
    const drawn = (next: Next, share: number) => ({ count: heads(next, share, 300), items: 300 });
    expectNinetyFive(missed(13, 0.1, (next) => independentShares(drawn(next, 0.4), drawn(next, 0.5))));
  });

  test('of a mean difference of skewed numbers', () => {
    // Exponential, like differences of latencies.
    const skewed = (next: Next) => Array.from({ length: 1_100 }, () => -Math.log(next()));
    expectNinetyFive(missed(14, 1, (next) => whole(bootstrapMean(skewed(next), next))));
  });

  test('of a mean of items in traces', () => {
    expectNinetyFive(missed(15, 0, (next) => drawClusters(next, 120).interval));
  });

  test('without the traces, the same items would be too sure', () => {
    const alone = (next: Next) => {
      const values: number[] = [];
      for (let trace = 0; trace < 250; trace += 1) {
        const shared = normal(next);
        for (let item = 0; item < 5; item += 1) values.push(shared + normal(next));
      }
      return whole(bootstrapMean(values, next));
    };
    expect(missed(16, 0, alone, 1_000)).toBeGreaterThan(20);
  });

  test('of a share corrected for the errors of its judge', () => {
    const corrected = (next: Next) => {
      const [bothYes, falseYes] = [heads(next, 0.85, 200), heads(next, 0.1, 300)];
      const pairs = { bothYes, onlyPerson: 200 - bothYes, onlyJudge: falseYes, bothNo: 300 - falseYes };
      const yes = heads(next, 0.3 * 0.85 + 0.7 * 0.1, 1_000);
      return correctedShare(pairs, { yes, items: 1_000 })?.share?.interval ?? null;
    };
    expectNinetyFive(missed(17, 0.3, corrected));
  });
});

describe('the predicted number of items finds the difference in 80 %, within 10 % of the number', () => {
  const found = (seed: number, items: number, simulated: (next: Next, items: number) => Interval | null) =>
    missed(seed, 0, (next) => simulated(next, Math.round(items)), 4_000);

  test('of shares', () => {
    const simulated = (next: Next, items: number) => pairedShares(drawPairs(next, items, 0.2, 0.06));
    const items = itemsForShares(0.06, 0.2);
    expect(found(21, items * 0.9, simulated)).toBeLessThan(80);
    expect(found(22, items * 1.1, simulated)).toBeGreaterThan(80);
  });

  test('of means', () => {
    const simulated = (next: Next, items: number) =>
      whole(
        bootstrapMean(
          Array.from({ length: items }, () => 0.08 + normal(next)),
          next,
        ),
      );
    const items = itemsForMeans(0.08, 1);
    expect(items).toBeGreaterThan(1_200);
    expect(found(23, items * 0.9, simulated)).toBeLessThan(80);
    expect(found(24, items * 1.1, simulated)).toBeGreaterThan(80);
  });
});

describe("Fleiss' kappa of simulated judges: the interval covers 95 ± 2.5 %, and stays between -1 and 1", () => {
  test.each([
    ['of three that are often right', { judges: 3, items: 20, accuracy: 0.9, good: 0.5 }],
    ['of three that are nearly always right', { judges: 3, items: 40, accuracy: 0.97, good: 0.5 }],
    ['of three if nearly all items are good', { judges: 3, items: 60, accuracy: 0.95, good: 0.9 }],
    ['of five', { judges: 5, items: 30, accuracy: 0.8, good: 0.5 }],
    ['of three that guess', { judges: 3, items: 30, accuracy: 0.5, good: 0.5 }],
  ])('%s', (_, { judges, items, accuracy, good }) => {
    const rate = good * accuracy + (1 - good) * (1 - accuracy);
    const chance = rate ** 2 + (1 - rate) ** 2;
    const truth = (accuracy ** 2 + (1 - accuracy) ** 2 - chance) / (1 - chance);
    const next = seededNumbers(11);
    let [intervals, covered] = [0, 0];
    for (let run = 0; run < 5_000; run += 1) {
      const counts = Array.from({ length: items }, () => {
        const isGood = next() < good;
        let votes = 0;
        for (let judge = 0; judge < judges; judge += 1) votes += next() < accuracy === isGood ? 1 : 0;
        return [votes, judges - votes];
      });
      const interval = fleissKappa(counts)?.interval ?? null;
      if (interval === null) continue;
      const [low, high] = interval;
      expect(low >= -1 && high <= 1).toBe(true);
      intervals += 1;
      if (low <= truth && truth <= high) covered += 1;
    }
    expect(intervals).toBeGreaterThan(4_800);
    expect((100 * covered) / intervals).toBeGreaterThanOrEqual(92.5);
    expect((100 * covered) / intervals).toBeLessThanOrEqual(97.5);
  });
});
