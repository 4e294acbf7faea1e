/**
 * Statistics compared with R 4.2.2, within 1e-9. Each expected value is the printed result of the R expression beside
 * it. If base R has no function for it, the expression is the published formula written in R.
 */
import { describe, expect, test } from 'vitest';
import { seededNumbers, seededWords } from '../../electron/core/seeded.ts';
import { agreementOf, fleissKappa } from '../../electron/core/statistics/agreement.ts';
import { clusteredMean } from '../../electron/core/statistics/clusters.ts';
import {
  headsCdf,
  headsProbability,
  normalCdf,
  normalQuantile,
  studentCdf,
  studentQuantile,
} from '../../electron/core/statistics/distributions.ts';
import { adjusted } from '../../electron/core/statistics/false-discovery.ts';
import { correctedShare } from '../../electron/core/statistics/judge.ts';
import { bootstrapMean, Moments, signFlipTest } from '../../electron/core/statistics/means.ts';
import {
  itemsForMeans,
  itemsForShares,
  moreForMeans,
  moreForShares,
  smallestMean,
  smallestShare,
} from '../../electron/core/statistics/power.ts';
import { repetitionsOf } from '../../electron/core/statistics/repetitions.ts';
import {
  fewerProbability,
  independentShares,
  mcnemar,
  pairedShares,
} from '../../electron/core/statistics/shares.ts';
import { whole } from '../../electron/shared/pieces.ts';
import { wilson } from '../../electron/shared/wilson.ts';

/** Expects each value to be within 1e-9 of the expected one, relative to it. */
function expectNear(found: readonly number[] | null | undefined, expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length);
  for (const [at, value] of (found ?? []).entries()) {
    const wanted = expected[at] ?? Number.NaN;
    expect(Math.abs(value - wanted)).toBeLessThanOrEqual(1e-9 * Math.max(Math.abs(wanted), 1e-12));
  }
}

describe('probability distributions', () => {
  test('the normal distribution', () => {
    // pnorm(c(-8.5, -3.2, -2.9, -0.4, 0, 1.3, 2.5, 4.1))
    expectNear([-8.5, -3.2, -2.9, -0.4, 0, 1.3, 2.5, 4.1].map(normalCdf), [
      ...[9.479534822203319e-18, 0.0006871379379158481, 0.001865813300384038, 0.3445782583896758, 0.5],
      ...[0.9031995154143897, 0.9937903346742238, 0.9999793424930875],
    ]);
    // qnorm(c(1e-12, 0.001, 0.025, 0.3, 0.8, 0.975, 0.9999))
    expectNear([1e-12, 0.001, 0.025, 0.3, 0.8, 0.975, 0.9999].map(normalQuantile), [
      ...[-7.034483825301132, -3.090232306167813, -1.959963984540054, -0.5244005127080407],
      ...[0.8416212335729144, 1.959963984540054, 3.719016485455708],
    ]);
    expect([0, 1].map(normalQuantile)).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
    expect([-40, 40].map(normalCdf)).toEqual([0, 1]);
  });

  test('Student’s distribution', () => {
    const cases = {
      1: [0.1024163823495667, 0.6475836176504333],
      2: [0.04773298313335456, 0.6666666666666666],
    };
    // pt(c(-3, 0.5), degrees)
    for (const [degrees, expected] of Object.entries(cases))
      expectNear(
        [-3, 0.5].map((x) => studentCdf(x, Number(degrees))),
        expected,
      );
    expectNear(
      [-3, 0.5, 2.5].map((x) => studentCdf(x, 9)),
      [...[0.007478181955207101, 0.6854643500869868, 0.9830690861585072]],
    );
    expectNear(
      [-3, 0.5, 2.5].map((x) => studentCdf(x, 30)),
      [...[0.002694982032825971, 0.6896384975574363, 0.9909421754659666]],
    );
    expectNear(
      [-3, 0.5, 2.5].map((x) => studentCdf(x, 399)),
      [...[0.001434569589452302, 0.6913246446404724, 0.9935900629343601]],
    );
    // qt(0.975, c(…))
    const degrees = [1, 2, 3, 7, 29, 64, 100, 399, 400, 1_000, 99_999];
    expectNear(
      degrees.map((each) => studentQuantile(0.975, each)),
      [
        ...[12.70620473617469, 4.302652729749462, 3.182446305283708, 2.364624251592784, 2.045229642132703],
        ...[1.997729654317693, 1.983971518523552, 1.965927295920881, 1.965912343229463, 1.962339080826408],
        1.959987707771844,
      ],
    );
    expectNear([studentQuantile(0.1, 5), studentQuantile(0.5, 5)], [-1.47588404882448, 0]);
    expect(studentQuantile(1, 5)).toBe(Number.POSITIVE_INFINITY);
  });

  test('the binomial distribution', () => {
    // pbinom(c(3, 0, 25, 49700, 12), c(50, 10, 50, 100000, 40), 0.5)
    expectNear(
      [headsCdf(3, 50), headsCdf(0, 10), headsCdf(25, 50), headsCdf(49_700, 100_000), headsCdf(12, 40)],
      [
        ...[1.854161268965975e-11, 0.0009765625, 0.5561375863296066, 0.02909867655509688],
        0.008294501687487367,
      ],
    );
    // dbinom(c(3, 50000), c(50, 100000), 0.5)
    expectNear(
      [headsProbability(3, 50), headsProbability(50_000, 100_000)],
      [1.740829702612255e-11, 0.002523126214196739],
    );
  });
});

describe('shares of items', () => {
  test('have the interval of prop.test(count, items, correct = FALSE)', () => {
    expectNear(wilson(434, 641), [0.6399062843931228, 0.7121182278259652]);
    expectNear(wilson(1, 12), [0.01486509440491712, 0.3538799111411169]);
    expectNear(wilson(50, 50), [0.9286524008666414, 1]);
    expectNear(wilson(3, 100_000), [1.020275854451734e-5, 8.82080492517673e-5]);
    expect(wilson(0, 20)?.[0]).toBe(0);
  });

  test('of different items have the interval of Newcombe 1998', () => {
    // His example (a), 56/70 − 48/80: 0.0524 to 0.3339.
    expectNear(independentShares({ count: 48, items: 80 }, { count: 56, items: 70 }), [
      ...[0.05243147240236493, 0.3338726540369059],
    ]);
    expect(independentShares({ count: 0, items: 0 }, { count: 1, items: 2 })).toBeNull();
    expect(independentShares({ count: 1, items: 2 }, { count: 0, items: 0 })).toBeNull();
  });

  test('of different items that fell are tested by Fisher', () => {
    // fisher.test(matrix(c(8, 32, 95, 5), 2), alternative = "less"), c(3, 7, 6, 6), c(20, 0, 17, 3)
    expectNear(
      [
        fewerProbability({ count: 95, items: 100 }, { count: 8, items: 40 }),
        fewerProbability({ count: 6, items: 12 }, { count: 3, items: 10 }),
        fewerProbability({ count: 17, items: 20 }, { count: 20, items: 20 }),
      ],
      [5.936910465063879e-19, 0.3049535603715171, 1],
    );
    expect(fewerProbability({ count: 0, items: 0 }, { count: 1, items: 2 })).toBe(1);
  });

  test('of the same items have the interval of Newcombe 1998', () => {
    expectNear(pairedShares({ both: 405, onlyAfter: 49, onlyBefore: 29, neither: 158 }), [
      ...[0.004117339994861986, 0.0582899178963472],
    ]);
    expectNear(pairedShares({ both: 36, onlyAfter: 12, onlyBefore: 2, neither: 0 }), [
      ...[0.05692958400323875, 0.3404276029749406],
    ]);
  });

  test('that change are tested by McNemar, exactly and with half of the seen probability', () => {
    // binom.test(29, 89)$p.value, 2 * pbinom(29, 89, 0.5) - dbinom(29, 89, 0.5)
    const of = (onlyBefore: number, onlyAfter: number) => {
      const { exact, mid } = mcnemar({ onlyBefore, onlyAfter });
      return [exact, mid];
    };
    expectNear(of(29, 60), [0.001335262365621933, 0.000972760707951364]);
    expectNear(of(16, 5), [0.02660369873046876, 0.01690053939819337]);
    expectNear(of(1, 0), [1, 0.5]);
    expectNear(of(7, 7), [1, 1]);
    expectNear(of(0, 0), [1, 1]);
  });
});

/** Differences of 20 items. Nine of them are 0. */
const SKEWED = [
  ...[0.1, 0, 0, 0.3, -0.2, 0, 0.5, 0, 0.1, 0],
  ...[0, 0.9, -0.1, 0.2, 0, 0, 0.4, 0, -0.3, 0.1],
];

describe('means of numbers', () => {
  test("have Student's interval: t.test(x)$conf.int", () => {
    const moments = new Moments();
    for (const value of [5.1, 4.9, 4.7, 4.6, 5.0, 5.4, 4.6, 5.0, 4.4, 4.9]) moments.add(value);
    expectNear(moments.estimate.interval, [4.651575773366269, 5.068424226633732]);
    expect(new Moments().estimate.interval).toBeNull();
  });

  test('are the same whether the numbers are kept or added one by one', () => {
    const far = [1e308, -1e308, 1e308];
    for (const values of [SKEWED, [], [3], [1e15, 1e15 + 2, 1e15 + 4], far]) {
      const one = new Moments();
      for (const value of values) one.add(value);
      const kept = Moments.of(Float64Array.from(values));
      expect(kept.items).toBe(one.items);
      expectNear([kept.mean], [one.mean]);
      if (values === far) expect(kept.estimate).toEqual(one.estimate);
      else expectNear([kept.deviation], [one.deviation]);
    }
  });

  test('of differences have the interval that numpy and scipy compute from the same resamples', () => {
    // Calculated with scipy 1.17.1 by the formulas of BCa, over 2,000 resamples of the same xorshift with seeds 7 and
    // 11.
    expectNear(whole(bootstrapMean(SKEWED, seededNumbers(7))), [0.005, 0.26]);
    const steps = Array.from({ length: 60 }, (_, at) => 0.125 * ((at * 7) % 11) - 0.375 + (at % 5 ? 0 : 1));
    expectNear(whole(bootstrapMean(steps, seededNumbers(11))), [0.3229166666666667, 0.5984990087535024]);
  });

  test('of many differences have the interval of the expansion, without draws', () => {
    const values = Array.from(
      { length: 2_000 },
      (_, at) => ([0.3, -0.1, 0, 0.9, 0.05][at % 5] ?? 0) * (1 + (at % 7)),
    );
    const noDraws = () => {
      throw new Error('Expected no random number.');
    };
    expectNear(whole(bootstrapMean(values, noDraws)), [0.8483754776431663, 0.9953160112257468]);
  });

  test('of equal, too few and too distant numbers', () => {
    const next = seededNumbers(1);
    expect(whole(bootstrapMean([2, 2, 2], next))).toEqual([2, 2]);
    expect(whole(bootstrapMean([2], next))).toBeNull();
    expect(whole(bootstrapMean([1.7e308, -1.7e308, 1.7e308], next))).toBeNull();
    // Very small and very large differences, whose squares or cubes are not finite.
    expect(whole(bootstrapMean([0, -2e-162], next))?.every(Number.isFinite)).toBe(true);
    expect(whole(bootstrapMean([-7e102, 0, 0, 0, 0], next))?.every(Number.isFinite)).toBe(true);
    // The values differ by less than the rounding error of their mean.
    const close = Array.from({ length: 100 }, (_, at) => (at === 99 ? 0.7 + Number.EPSILON / 2 : 0.7));
    expectNear(whole(bootstrapMean(close, next)), [0.7, 0.7]);
    // Almost all resampled means are on the same side.
    const rare = Array.from({ length: 40 }, (_, at) => (at === 0 ? 1e-9 : at === 1 ? 1 : 0));
    expect(whole(bootstrapMean(rare, next))?.every(Number.isFinite)).toBe(true);
  });

  test('pause while they are computed', () => {
    const pieces = bootstrapMean(
      Array.from({ length: 1_000 }, (_, at) => at % 3),
      seededNumbers(5),
    );
    expect(pieces.next().done).toBe(false);
    const flips = signFlipTest(
      Array.from({ length: 1_000 }, (_, at) => (at % 3) - 1.1),
      seededNumbers(5),
    );
    expect(flips.next().done).toBe(false);
  });

  test('are tested by every flip of signs, by drawn ones, and by the normal distribution', () => {
    const next = seededNumbers(3);
    // scipy.stats.permutation_test(…, permutation_type='samples', n_resamples=np.inf).pvalue of 11 changes.
    expectNear([whole(signFlipTest(SKEWED, next))], [0.125]);
    // 2 * norm.cdf(-abs(sum) / sqrt(sum of squares))
    const many = Array.from({ length: 4_000 }, (_, at) => [0.2, -0.1, 0, 0.05][at % 4] ?? 0);
    expectNear([whole(signFlipTest(many, next)) * 1e80], [3.325199294268991e-95 * 1e80]);
    const some = Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? 1 : -1) + at / 100);
    expect(whole(signFlipTest(some, next))).toBeCloseTo(0.028, 1);
    expect(whole(signFlipTest([0, 0], next))).toBe(1);
  });
});

describe('clusters', () => {
  test('widen the interval: the variance of Liang and Zeger, written in R', () => {
    const values = [0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0];
    const clusters = [1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 5, 5];
    const found = clusteredMean(values, clusters);
    expectNear(
      [found?.value ?? 0, ...(found?.interval ?? []), found?.designEffect ?? 0],
      [0.5833333333333334, 0.4191626513187556, 0.7475040153479111, 0.158234126984127],
    );
    expect(found).toMatchObject({ items: 12, clusters: 5 });
  });

  test('have no interval without two of them, and no effect without variance', () => {
    expect(clusteredMean([], [])).toBeNull();
    expect(clusteredMean([1, 2], ['a', 'a'])).toMatchObject({ value: 1.5, clusters: 1, interval: null });
    expect(clusteredMean([1, 1], ['a', 'b'])).toMatchObject({ interval: [1, 1], designEffect: null });
    expect(clusteredMean([1e308, -1e308], ['a', 'b'])?.interval).toBeNull();
  });
});

test('several tests are adjusted as by p.adjust(…, "BH")', () => {
  expectNear(adjusted([0.01, 0.04, 0.03, 0.005, 0.5, 0.04]), [0.03, 0.048, 0.048, 0.03, 0.5, 0.048]);
  expect(adjusted([])).toEqual([]);
});

describe('agreement of judges', () => {
  const pairsOf = (labels: string, table: readonly number[][]) =>
    table.flatMap((row, before) =>
      row.map((items, after) => ({ before: labels[before] ?? '', after: labels[after] ?? '', items })),
    );

  test('of two judges: kappa with the variance of Fleiss, Cohen and Everitt, written in R', () => {
    const found = agreementOf(
      pairsOf('abc', [
        [88, 10, 2],
        [14, 40, 6],
        [18, 10, 12],
      ]),
    );
    expectNear(
      [found?.kappa?.value ?? 0, ...(found?.kappa?.interval ?? [])],
      [...[0.4915254237288135, 0.391563702053547, 0.59148714540408]],
    );
    expect(found).toMatchObject({ items: 200, share: 0.7 });
    expect(
      found?.rates.map(({ label, before, after }) => [label, before.toFixed(2), after.toFixed(2)]),
    ).toEqual([
      ['a', '0.50', '0.60'],
      ['b', '0.30', '0.30'],
      ['c', '0.20', '0.10'],
    ]);
    const two = agreementOf(
      pairsOf('ab', [
        [20, 5],
        [10, 15],
      ]),
    );
    expectNear(
      [two?.kappa?.value ?? 0, ...(two?.kappa?.interval ?? [])],
      [0.4, 0.1510922904766611, 0.6489077095233386],
    );
  });

  test('has no kappa if everything has the same label', () => {
    expect(agreementOf([])).toBeNull();
    expect(agreementOf([{ before: 'a', after: 'a', items: 9 }])).toMatchObject({ share: 1, kappa: null });
  });

  test('has no interval if the formula gives none: all equal, or one item', () => {
    const allEqual = [
      [17, 0],
      [0, 6],
    ];
    expect(agreementOf(pairsOf('ab', allEqual))?.kappa).toEqual({ value: 1, interval: null });
    expect(agreementOf([{ before: 'a', after: 'b', items: 1 }])?.kappa).toEqual({ value: 0, interval: null });
  });

  test('of more judges: the example of Fleiss 1971 as told by Wikipedia, kappa 0.210', () => {
    // f <- function(m) {r <- sum(m[1,]); e <- sum((colSums(m)/sum(m))^2); ((sum(m^2)/nrow(m)-r)/(r*(r-1))-e)/(1-e)}
    // k <- f(m); l <- sapply(1:10, function(i) f(m[-i,])); s <- sqrt(9/10*sum((l-mean(l))^2))
    // c(k, tanh(atanh(k)+c(-1,1)*qt(.975,9)*s/(1-k^2)))
    const found = fleissKappa([
      ...[
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
      ],
      ...[
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
      ],
    ]);
    expectNear(
      [found?.value ?? 0, ...(found?.interval ?? [])],
      [...[0.2099307044219552, -0.0248590578937446, 0.4227714896450245]],
    );
    expect(fleissKappa([])).toBeNull();
    expect(fleissKappa([[3, 0]])).toBeNull();
    expect(() =>
      fleissKappa([
        [2, 1],
        [1, 1],
      ]),
    ).toThrow('got 2');
    expect(() => fleissKappa([[1, 0]])).toThrow(RangeError);
  });

  test('of more judges has no interval for few items, equal agreement on all, and a label of one item', () => {
    const times = (items: number, row: readonly number[]) => Array.from({ length: items }, () => row);
    const intervalOf = (...rows: readonly (readonly number[])[][]) => fleissKappa(rows.flat())?.interval;
    expect(intervalOf(times(5, [3, 0]), times(4, [1, 2]))).toBeNull();
    expect(fleissKappa([...times(30, [3, 0]), ...times(30, [0, 3])])).toEqual({ value: 1, interval: null });
    expect(intervalOf(times(10, [2, 1]), times(10, [1, 2]))).toBeNull();
    expect(intervalOf(times(21, [3, 0]), times(1, [2, 1]))).toBeNull();
    expect(intervalOf(times(6, [3, 0]), times(4, [1, 2]))).not.toBeNull();
  });
});

describe('a judge measured against people', () => {
  test('has its share corrected with the interval of Lang and Reiczigel, written in R', () => {
    const found = correctedShare(
      { bothYes: 45, onlyPerson: 5, onlyJudge: 20, bothNo: 130 },
      { yes: 300, items: 1_000 },
    );
    expectNear(
      [found?.share?.value ?? 0, ...(found?.share?.interval ?? [])],
      [...[0.2173913043478262, 0.1429965385319814, 0.2898367610086592]],
    );
    expect(found?.sensitivity.value).toBe(0.9);
    expect(found?.specificity.value).toBeCloseTo(130 / 150);
  });

  test('has no corrected share if it is a coin, and none without items of both kinds', () => {
    const coin = { bothYes: 10, onlyPerson: 10, onlyJudge: 10, bothNo: 10 };
    expect(correctedShare(coin, { yes: 5, items: 10 })?.share).toBeNull();
    // Better than a coin only because of the items that are added or removed to compute the interval.
    expect(correctedShare({ ...coin, bothYes: 11 }, { yes: 5, items: 10 })?.share?.interval).toEqual([0, 1]);
    expect(correctedShare({ ...coin, bothYes: 0, onlyPerson: 0 }, { yes: 5, items: 10 })).toBeNull();
    expect(correctedShare({ ...coin, bothNo: 0, onlyJudge: 0 }, { yes: 5, items: 10 })).toBeNull();
    expect(correctedShare(coin, { yes: 0, items: 0 })).toBeNull();
  });
});

describe('needed numbers of items', () => {
  test('of means are those of power.t.test(delta = 0.2, sd = 1, power = 0.8, type = "paired"), 198.15', () => {
    expect(itemsForMeans(0.2, 1)).toBeCloseTo(198.15, 1);
    expect(smallestMean(198.15, 1)).toBeCloseTo(0.2, 4);
    expect(smallestMean(1, 1)).toBeNull();
    expect(smallestMean(50, 0)).toBeNull();
    const moments = new Moments();
    for (let at = 0; at < 100; at += 1) moments.add(at % 2 === 0 ? 1.1 : -0.9);
    expect(moreForMeans(moments)).toBe(700);
    expect(moreForMeans(moments, 2)).toBe(1_500);
    expect(moreForMeans(new Moments())).toBeNull();
  });

  test('of shares and the smallest visible difference belong together', () => {
    const items = itemsForShares(0.05, 0.2);
    expect(items).toBeGreaterThan(600);
    expect(smallestShare(items, 0.2)).toBeCloseTo(0.05, 9);
    expect(smallestShare(0, 0.2)).toBeNull();
    expect(smallestShare(100, 0)).toBeNull();
    expect(smallestShare(10, 0.2)).toBeNull();
    expect(moreForShares({ both: 400, onlyAfter: 28, onlyBefore: 17, neither: 196 }, 2)).toBe(3_100);
  });
});

test('repetitions tell the noise of the run from the differences of items', () => {
  const found = repetitionsOf([
    [0, 1, 1, null, 0.5],
    [0, 1, 0, 1, 0.5],
  ]);
  expect(found).toMatchObject({ means: [0.625, 0.375], changing: 1, estimate: { value: 0.5, items: 4 } });
  expect(found?.withinItems).toBeCloseTo(Math.sqrt(0.5 / 4), 12);
  expect(repetitionsOf([[1, 2]])).toBeNull();
  expect(repetitionsOf([])).toBeNull();
  expect(repetitionsOf([[null], [1]])).toBeNull();
});

test('a seed repeats its numbers, and 0 is a seed', () => {
  const [one, other] = [seededWords(0), seededWords(1)];
  expect([one(), one()]).toEqual([other(), other()]);
});

test('equal numbers in clusters have no spread, and a label without items is none', () => {
  const tenths = Array.from({ length: 6 }, () => 0.1);
  expect(clusteredMean(tenths, [0, 1, 2, 3, 4, 5])).toMatchObject({
    value: 0.1,
    interval: [0.1, 0.1],
    designEffect: null,
    probability: null,
  });
  const agreed = agreementOf([
    { before: 'yes', after: 'yes', items: 10 },
    { before: 'no', after: 'no', items: 0 },
  ]);
  expect(agreed).toMatchObject({ share: 1, kappa: null, rates: [{ label: 'yes' }] });
});
