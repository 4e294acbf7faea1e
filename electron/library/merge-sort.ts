/**
 * A stable merge sort of millions of indices in typed arrays, outside the JavaScript heap. Pure except for the pauses.
 */
import type { Slices } from './slices.ts';

/** Negative if `a` comes first, 0 if both are equal. */
export type Compare = (a: number, b: number) => number;

/** Length of runs that are sorted by insertion. */
const RUN = 16;
/** Number of elements handled between two pauses. They take about a millisecond with a slow comparison. */
const PIECE = 1_024;

interface Column {
  keys: Float64Array;
  order: Uint32Array;
}

/** Sorts the indices below `length`. Equal ones keep their order. */
export const sortIndices = (length: number, compare: Compare, slices: Slices): Promise<Uint32Array> =>
  sortByKeys(new Float64Array(length), indicesBelow(length), compare, slices);

export const indicesBelow = (length: number): Uint32Array => new Uint32Array(length).map((_, index) => index);

/**
 * Sorts `order` by `keys`; a key at an index belongs to the element at the same index. Equal keys are compared by
 * `ties`, and keep their order if that returns 0. Keys move together with their elements, so that memory is read
 * sequentially. The contents of both arrays are overwritten.
 */
export async function sortByKeys(
  keys: Float64Array,
  order: Uint32Array,
  ties: Compare,
  slices: Slices,
): Promise<Uint32Array> {
  const { length } = order;
  let from: Column = { keys, order };
  for (let start = 0; start < length; start += RUN) {
    sortRun(from, start, Math.min(start + RUN, length), ties);
    if (start % PIECE === 0) await slices.pause();
  }
  if (length <= RUN) return order;
  let to: Column = { keys: new Float64Array(length), order: new Uint32Array(length) };
  for (let width = RUN; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) {
      const middle = Math.min(start + width, length);
      const merge = { from, to, middle, end: Math.min(middle + width, length), ties };
      const at = { left: start, right: middle, out: start };
      while (at.out < merge.end) {
        mergePiece(merge, at);
        await slices.pause();
      }
    }
    [from, to] = [to, from];
  }
  return from.order;
}

/** Whether an element must come after an element of a later index. */
const isAfter = ({ keys, order }: Column, place: number, later: number, ties: Compare): boolean => {
  const [one, other] = [keys[place] ?? 0, keys[later] ?? 0];
  return one > other || (one === other && ties(order[place] ?? 0, order[later] ?? 0) > 0);
};

function sortRun({ keys, order }: Column, start: number, end: number, ties: Compare): void {
  for (let next = start + 1; next < end; next += 1) {
    const [key, index] = [keys[next] ?? 0, order[next] ?? 0];
    let place = next;
    for (; place > start; place -= 1) {
      const before = keys[place - 1] ?? 0;
      if (before < key || (before === key && ties(order[place - 1] ?? 0, index) <= 0)) break;
      keys[place] = before;
      order[place] = order[place - 1] ?? 0;
    }
    keys[place] = key;
    order[place] = index;
  }
}

interface Merge {
  from: Column;
  to: Column;
  middle: number;
  end: number;
  ties: Compare;
}

/** Merges the next elements of two sorted runs. */
function mergePiece(
  { from, to, middle, end, ties }: Merge,
  at: { left: number; right: number; out: number },
): void {
  let { left, right, out } = at;
  const stop = Math.min(end, out + PIECE);
  for (; out < stop; out += 1) {
    const isRight = left >= middle || (right < end && isAfter(from, left, right, ties));
    const taken = isRight ? right : left;
    to.keys[out] = from.keys[taken] ?? 0;
    to.order[out] = from.order[taken] ?? 0;
    if (isRight) right += 1;
    else left += 1;
  }
  Object.assign(at, { left, right, out });
}
