/** Means and mean differences of pairs, with 95 % intervals and the test for no difference. Pure. */
import type { ScoreEstimate } from '../../shared/score-comparison.ts';
import type { Interval } from '../../shared/wilson.ts';
import { elementAt } from '../element-at.ts';
import { normalCdf, normalQuantile, studentQuantile } from './distributions.ts';

/** Probability below the upper end of a two-sided 95 % interval. */
export const UPPER = 0.975;
/** Number of resamples and of sign flips. Their own error is then at most a tenth of the width of an interval. */
const DRAWS = 2_000;
/**
 * Above this number of pairs, the interval is computed by a series expansion, which gives the same result as
 * resampling.
 */
const MAX_RESAMPLED = 1_000;
/** With at most this many differences, all sign flips are counted. */
const MAX_COUNTED = 11;
/** Number of terms added between two pauses of long work. */
const TERMS = 200_000;

/** Running sums from which the mean and spread of numbers are computed without keeping the numbers. */
export class Moments {
  items = 0;
  #sum = 0;
  #center = 0;
  #squares = 0;

  /** Welford's update, which is accurate for large numbers close to each other. */
  add(value: number): void {
    this.items += 1;
    this.#sum += value;
    const step = value - this.#center;
    this.#center += Number.isFinite(step)
      ? step / this.items
      : value / this.items - this.#center / this.items;
    this.#squares += step * (value - this.#center);
  }

  /** The sums of numbers that are kept. Several times faster than adding them one by one. */
  static of(values: Numbers): Moments {
    const moments = new Moments();
    let sum = 0;
    // Access by index is several times faster than an iterator for numbers outside the heap.
    for (let at = 0; at < values.length; at += 1) sum += values[at] ?? 0;
    const center = sum / values.length;
    let [squares, rest] = [0, 0];
    for (let at = 0; at < values.length; at += 1) {
      const step = (values[at] ?? 0) - center;
      squares += step * step;
      rest += step;
    }
    if (values.length === 0 || !Number.isFinite(squares)) {
      for (const value of values) moments.add(value);
      return moments;
    }
    moments.items = values.length;
    moments.#sum = sum;
    moments.#center = center;
    // Corrects for the rounding of the center: the deviations from it do not sum to exactly 0.
    moments.#squares = Math.max(0, squares - (rest * rest) / values.length);
    return moments;
  }

  get mean(): number {
    if (this.items === 0) return 0;
    return Number.isFinite(this.#sum) ? this.#sum / this.items : this.#center;
  }

  get deviation(): number {
    return this.items < 2 ? 0 : Math.sqrt(this.#squares / (this.items - 1));
  }

  /** Student's interval of the mean; null for fewer than two numbers, or if they are too far apart for an interval. */
  get estimate(): ScoreEstimate {
    const { items, mean } = this;
    const half = items < 2 ? 0 : (studentQuantile(UPPER, items - 1) * this.deviation) / Math.sqrt(items);
    return { value: mean, items, interval: items < 2 ? null : finite(mean - half, mean + half) };
  }
}

/** Numbers in an array, or outside the heap. */
export type Numbers = readonly number[] | Float64Array;

const finite = (low: number, high: number): Interval | null =>
  Number.isFinite(low) && Number.isFinite(high) ? [low, high] : null;

/**
 * A sixth of the skewness of the mean, which is the acceleration of its bootstrap (Efron 1987). The values must differ.
 */
function accelerationOf(values: Numbers, { items, mean, deviation }: Moments): number {
  let cubes = 0;
  for (let at = 0; at < values.length; at += 1) {
    const step = ((values[at] ?? 0) - mean) / deviation;
    // Multiplication is several times faster than a power.
    cubes += step * step * step;
  }
  return cubes / (6 * (items - 1) ** 1.5);
}

/**
 * Interval of the mean of these differences by the bootstrap, corrected for bias and skewness (BCa, Efron 1987) and
 * widened for few items like Student's interval (Hesterberg 2015). Percentiles would not be enough, because differences
 * of scores are skewed: many are 0. Above 1,000 items it is computed by its series expansion (ABC, DiCiccio and Efron
 * 1992), without resampling. Null for fewer than two numbers, or if they are too far apart.
 *
 * @param next random numbers in [0, 1)
 * @param moments of the values, if they are known
 */
export function* bootstrapMean(
  values: Numbers,
  next: () => number,
  moments = Moments.of(values),
): Generator<undefined, Interval | null> {
  const { items, mean, deviation } = moments;
  if (items < 2 || !Number.isFinite(deviation)) return null;
  if (deviation === 0) return [mean, mean];
  const acceleration = accelerationOf(values, moments);
  const reach = Math.sqrt(items / (items - 1)) * studentQuantile(UPPER, items - 1);
  if (items > MAX_RESAMPLED) {
    const unit = deviation / Math.sqrt(items) / Math.sqrt(items / (items - 1));
    const end = (bound: number) => {
      const moved = acceleration + bound;
      return mean + (unit * moved) / (1 - acceleration * moved) ** 2;
    };
    return finite(end(-reach), end(reach));
  }
  const means = yield* resampledMeans(values, next);
  let below = 0;
  for (const each of means) below += each < mean ? 1 : each === mean ? 0.5 : 0;
  // With few or equal values, all resampled means may lie on one side.
  const bias = normalQuantile(Math.min(DRAWS - 0.5, Math.max(0.5, below)) / DRAWS);
  const end = (bound: number) => {
    const moved = bias + bound;
    const left = 1 - acceleration * moved;
    // With very few skewed items, the corrected end lies beyond all resampled means.
    return percentile(means, normalCdf(left > 0 ? bias + moved / left : moved * Number.POSITIVE_INFINITY));
  };
  return [end(-reach), end(reach)];
}

/** Sorted means of samples of the same size, drawn with replacement. */
function* resampledMeans(values: Numbers, next: () => number): Generator<undefined, Float64Array> {
  const { length } = values;
  const numbers = Float64Array.from(values);
  const means = new Float64Array(DRAWS);
  const drawsAtOnce = Math.ceil(TERMS / length);
  for (let draw = 0; draw < DRAWS; draw += 1) {
    let sum = 0;
    for (let at = 0; at < length; at += 1) sum += elementAt(numbers, Math.floor(next() * length));
    means[draw] = sum / length;
    if (draw % drawsAtOnce === drawsAtOnce - 1) yield;
  }
  return means.sort();
}

/** Interpolates between two neighbouring values. */
function percentile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const [low, high] = [Math.floor(place), Math.ceil(place)];
  const [below, above] = [elementAt(sorted, low), elementAt(sorted, high)];
  return below + (above - below) * (place - low);
}

/**
 * Two-sided permutation test of pairs: the probability of a mean at least this far from 0 if either run could have
 * given either number. All flips of signs are counted for at most 11 differences other than 0, sampled for at most
 * 1,000, and approximated for more.
 *
 * @param next random numbers in [0, 1)
 */
export function* signFlipTest(values: Numbers, next: () => number): Generator<undefined, number> {
  let [count, sumOfAll, squares] = [0, 0, 0];
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0;
    if (value === 0) continue;
    count += 1;
    sumOfAll += value;
    squares += value * value;
  }
  const seen = Math.abs(sumOfAll);
  if (count === 0) return 1;
  // Sums that differ only by rounding count as equal.
  const least = seen * (1 - 1e-12);
  if (count > MAX_RESAMPLED) return 2 * normalCdf(-seen / Math.sqrt(squares));
  const changed = [...values].filter((value) => value !== 0);
  const isCounted = changed.length <= MAX_COUNTED;
  const flips = isCounted ? 2 ** changed.length : DRAWS;
  const flipsAtOnce = Math.ceil(TERMS / changed.length);
  let extreme = isCounted ? 0 : 1;
  for (let flip = 0; flip < flips; flip += 1) {
    let sum = 0;
    for (const [at, value] of changed.entries())
      sum += (isCounted ? (flip >> at) % 2 === 0 : next() < 0.5) ? value : -value;
    if (Math.abs(sum) >= least) extreme += 1;
    if (flip % flipsAtOnce === flipsAtOnce - 1) yield;
  }
  return extreme / (isCounted ? flips : flips + 1);
}
