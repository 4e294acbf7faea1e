/** The interval of a share, for both processes. Pure. */

/** The two-sided 95 % quantile of the normal distribution. */
export const Z_95 = 1.959963984540054;

/** A 95 % interval. */
export type Interval = readonly [low: number, high: number];

/** Wilson's score interval of `count` of `items`, from 0 to 1 (Wilson 1927); null without items. */
export function wilson(count: number, items: number): Interval | null {
  if (items <= 0) return null;
  const share = count / items;
  const square = (Z_95 * Z_95) / items;
  const middle = (share + square / 2) / (1 + square);
  const half = (Z_95 / (1 + square)) * Math.sqrt((share * (1 - share)) / items + square / (4 * items));
  // The formula is exact for none and for all items, but rounding is not.
  return [count === 0 ? 0 : Math.max(0, middle - half), count === items ? 1 : Math.min(1, middle + half)];
}
