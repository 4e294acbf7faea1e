/** Long work divided into pieces, so that other work can run in between. Pure. */

/** Work done in pieces, which yields after each piece and returns its result. */
export type Pieces<T> = Generator<undefined, T>;

/** Does all pieces at once. */
export function whole<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}

const RUN = 1_000;
const MERGED_AT_ONCE = 4_000;

/** A new list, sorted in pieces; the sort is stable. */
export function* sortInPieces<T>(list: readonly T[], compare: (one: T, other: T) => number): Pieces<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < list.length; from += RUN) {
    runs.push(list.slice(from, from + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergeInPieces(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeInPieces<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (one: T, other: T) => number,
): Pieces<T[]> {
  const merged: T[] = [];
  let [l, r] = [0, 0];
  for (;;) {
    const [one, other] = [left[l], right[r]];
    if (one === undefined || other === undefined) break;
    if (compare(one, other) <= 0) {
      merged.push(one);
      l += 1;
    } else {
      merged.push(other);
      r += 1;
    }
    if (merged.length % MERGED_AT_ONCE === 0) yield;
  }
  const [rest, from] = l < left.length ? [left, l] : [right, r];
  for (let at = from; at < rest.length; at += MERGED_AT_ONCE) {
    for (const each of rest.slice(at, at + MERGED_AT_ONCE)) merged.push(each);
    yield;
  }
  return merged;
}
