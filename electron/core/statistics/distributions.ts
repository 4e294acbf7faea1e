/**
 * Distribution functions for intervals and tests, each within 1e-12 of R's. Degrees of freedom are integers and the
 * only binomial share is 1/2, so finite sums are enough (decision 62). Pure.
 */

const ROOT_TWO_PI = Math.sqrt(2 * Math.PI);
/** Below this argument, the series loses digits of small tails, and the continued fraction converges quickly. */
const TAIL = -3;
const FRACTION_TERMS = 200;
/** Beyond this argument, a probability rounds to 0 or 1. */
const FARTHEST = 38;
/** From this number of degrees on, Fisher's expansion of the quantile is exact to 1e-12. */
const MANY_DEGREES = 400;

/** Probability of a standard normal value of at most `x`. */
export function normalCdf(x: number): number {
  if (x > -TAIL) return 1 - normalCdf(-x);
  if (x <= -FARTHEST) return 0;
  const density = Math.exp((-x * x) / 2) / ROOT_TWO_PI;
  if (x < TAIL) {
    // Laplace's continued fraction of the tail, computed from its end.
    let fraction = -x;
    for (let term = FRACTION_TERMS; term >= 1; term -= 1) fraction = -x + term / fraction;
    return density / fraction;
  }
  // Marsaglia's series (2004).
  let [sum, term] = [x, x];
  for (let power = 3; Math.abs(term) > 1e-17 * Math.abs(sum); power += 2) {
    term *= (x * x) / power;
    sum += term;
  }
  return 0.5 + density * sum;
}

/** Inverse of `normalCdf`; infinite for 0 and 1. */
export function normalQuantile(probability: number): number {
  if (probability <= 0) return Number.NEGATIVE_INFINITY;
  if (probability >= 1) return Number.POSITIVE_INFINITY;
  if (probability > 0.5) return -normalQuantile(1 - probability);
  return inverse(normalCdf, probability, -FARTHEST, 0);
}

/** Probability of a value of at most `x` in Student's distribution. `degrees`: an integer of at least 1. */
export function studentCdf(x: number, degrees: number): number {
  // Abramowitz and Stegun, 26.7.3 and 26.7.4: the probability of a value between -|x| and |x|.
  const angle = Math.atan(Math.abs(x) / Math.sqrt(degrees));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let at = isOdd ? 3 : 2; at < degrees; at += 2) {
    term *= ((at - 1) / at) * cosine * cosine;
    sum += term;
  }
  const within = isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
  return 0.5 + (x < 0 ? -within : within) / 2;
}

/** Inverse of `studentCdf`; infinite for 0 and 1. */
export function studentQuantile(probability: number, degrees: number): number {
  if (probability === 0.5) return 0;
  const z = normalQuantile(probability);
  if (!Number.isFinite(z)) return z;
  if (probability < 0.5) return -studentQuantile(1 - probability, degrees);
  if (degrees >= MANY_DEGREES) return expandedQuantile(z, degrees);
  // The distribution with one degree has the heaviest tail, so its quantile is an upper bound.
  const farthest = Math.tan(Math.PI * (probability - 0.5)) + 1;
  return inverse((x) => studentCdf(x, degrees), probability, 0, farthest);
}

/** Fisher's expansion around the quantile of the normal distribution. */
function expandedQuantile(z: number, degrees: number): number {
  const [third, fifth, seventh, ninth] = [z ** 3, z ** 5, z ** 7, z ** 9];
  return (
    z +
    (third + z) / (4 * degrees) +
    (5 * fifth + 16 * third + 3 * z) / (96 * degrees ** 2) +
    (3 * seventh + 19 * fifth + 17 * third - 15 * z) / (384 * degrees ** 3) +
    (79 * ninth + 776 * seventh + 1482 * fifth - 1920 * third - 945 * z) / (92_160 * degrees ** 4)
  );
}

/** Inverts an increasing function by halving the interval until its ends are adjacent numbers. */
function inverse(rising: (x: number) => number, value: number, from: number, to: number): number {
  let [low, high] = [from, to];
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (rising(middle) < value) low = middle;
    else high = middle;
  }
}

/** Probability of exactly `count` heads of `tosses`. */
export function headsProbability(count: number, tosses: number): number {
  let logarithm = -tosses * Math.LN2;
  const least = Math.min(count, tosses - count);
  for (let at = 1; at <= least; at += 1) logarithm += Math.log((tosses - least + at) / at);
  return Math.exp(logarithm);
}

/** Probability of at most `count` heads of `tosses`. */
export function headsCdf(count: number, tosses: number): number {
  let term = headsProbability(count, tosses);
  let sum = 0;
  for (let at = count; at >= 0 && term > sum * 1e-18; at -= 1) {
    sum += term;
    term *= at / (tosses - at + 1);
  }
  return Math.min(1, sum);
}
