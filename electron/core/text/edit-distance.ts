/** Edit distance of two texts. Pure. */

/** Minimum number of insertions, deletions and replacements between two texts. */
export function editDistance(from: string, to: string): number {
  let distance = to.length;
  /** Distances from the part of `from` read so far to each non-empty prefix of `to`. */
  let row = Array.from({ length: to.length }, (_, index) => index + 1);
  for (let read = 0; read < from.length; read += 1) {
    let replaced = read;
    distance = read + 1;
    row = row.map((above, index) => {
      const kept = replaced + (from[read] === to[index] ? 0 : 1);
      replaced = above;
      distance = Math.min(above + 1, distance + 1, kept);
      return distance;
    });
  }
  return distance;
}
