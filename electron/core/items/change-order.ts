/** Orders items by how their score changed and by how much. Pure. */
import { elementAt } from '../element-at.ts';

/** Rounds to 40 binary digits, so that 0.8 − 0.6 and 0.6 − 0.4 are equal (Veltkamp's splitting). */
export function roundedSize(difference: number): number {
  const size = Math.abs(difference);
  const high = size * SPLIT;
  return Number.isFinite(high) ? high - (high - size) : size;
}
const SPLIT = 2 ** 13 + 1;

/**
 * Orders items by change code, then by size of the change (largest first), then by index. Change, rounded size and
 * index are packed into 64-bit integers, because sorting these is several times faster than sorting with a comparison
 * function.
 */
export function orderOf(changes: Uint8Array, sizes: Float64Array): Int32Array {
  const keys = new BigUint64Array(changes.length);
  const halves = new Uint32Array(keys.buffer);
  const rounded = Float32Array.from(sizes);
  const bits = new Uint32Array(rounded.buffer);
  for (let item = 0; item < changes.length; item += 1) {
    halves[item * 2] = item;
    // For non-negative floats, larger values have larger bits. The last two bits are dropped to make room for the
    // change code.
    halves[item * 2 + 1] =
      elementAt(changes, item) * CHANGE_UNIT + (SIZE_MASK - (elementAt(bits, item) >>> 2));
  }
  keys.sort();
  const order = Int32Array.from(changes, (_, at) => elementAt(halves, at * 2));
  return exactly(order, halves, sizes);
}
const CHANGE_UNIT = 2 ** 29;
const SIZE_MASK = CHANGE_UNIT - 1;

/** Sorts items whose different sizes were rounded to the same key. */
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

/** Orders items by number, the worst first. Items without a number follow in their original order. */
export function worstFirst(values: Float64Array, lowerIsBetter: boolean): Int32Array {
  const sizes = values.map((value) =>
    Number.isNaN(value) ? Number.POSITIVE_INFINITY : lowerIsBetter ? -value : value,
  );
  return Int32Array.from(sizes, (_, at) => at).sort((one, other) => {
    const [size, next] = [elementAt(sizes, one), elementAt(sizes, other)];
    return size === next ? one - other : size - next;
  });
}
