/** The order of items by the change of their score and its size. Pure. */
import { elementAt } from '../element-at.ts';

/** A size to 40 binary digits, so that 0.8 − 0.6 and 0.6 − 0.4 are the same (Veltkamp's splitting). */
export function roundedSize(difference: number): number {
  const size = Math.abs(difference);
  const high = size * SPLIT;
  return Number.isFinite(high) ? high - (high - size) : size;
}
const SPLIT = 2 ** 13 + 1;

/**
 * Items by the code of their change, then by size, the largest first, then as they are. Sorted as whole numbers of 64
 * bits, of change, rounded size and index: several times faster than with a function that compares two items.
 */
export function orderOf(changes: Uint8Array, sizes: Float64Array): Int32Array {
  const keys = new BigUint64Array(changes.length);
  const halves = new Uint32Array(keys.buffer);
  const rounded = Float32Array.from(sizes);
  const bits = new Uint32Array(rounded.buffer);
  for (let item = 0; item < changes.length; item += 1) {
    halves[item * 2] = item;
    // The bits of a number that is not negative grow with it; the last two are left out for the change.
    halves[item * 2 + 1] =
      elementAt(changes, item) * CHANGE_UNIT + (SIZE_MASK - (elementAt(bits, item) >>> 2));
  }
  keys.sort();
  const order = Int32Array.from(changes, (_, at) => elementAt(halves, at * 2));
  return exactly(order, halves, sizes);
}
const CHANGE_UNIT = 2 ** 29;
const SIZE_MASK = CHANGE_UNIT - 1;

/** Puts different sizes that were rounded to the same key in order. */
function exactly(order: Int32Array, halves: Uint32Array, sizes: Float64Array): Int32Array {
  const keyAt = (at: number) => elementAt(halves, at * 2 + 1);
  for (let from = 0, to = 1; from < order.length; from = to, to += 1) {
    let isMixed = false;
    for (; to < order.length && keyAt(to) === keyAt(from); to += 1)
      isMixed ||= elementAt(sizes, elementAt(order, to)) !== elementAt(sizes, elementAt(order, from));
    if (isMixed)
      order
        .subarray(from, to)
        .sort((one, other) => elementAt(sizes, other) - elementAt(sizes, one) || one - other);
  }
  return order;
}

/** Items by their number, the worst first; then those without one, as they are. */
export function worstFirst(values: Float64Array, lowerIsBetter: boolean): Int32Array {
  const sizes = values.map((value) =>
    Number.isNaN(value) ? Number.POSITIVE_INFINITY : lowerIsBetter ? -value : value,
  );
  return Int32Array.from(sizes, (_, at) => at).sort((one, other) => {
    const [size, next] = [elementAt(sizes, one), elementAt(sizes, other)];
    return size === next ? one - other : size - next;
  });
}
