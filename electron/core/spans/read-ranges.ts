/** Time ranges from which all spans were read. Pure. */

export interface ReadRange {
  startMs: number;
  endMs: number;
}

/** Joins ranges that touch. The result is in order of time. */
export function joinRanges(ranges: readonly ReadRange[]): ReadRange[] {
  const joined: ReadRange[] = [];
  for (const { startMs, endMs } of ranges.toSorted((one, other) => one.startMs - other.startMs)) {
    const last = joined.at(-1);
    if (last === undefined || startMs > last.endMs) joined.push({ startMs, endMs });
    else last.endMs = Math.max(last.endMs, endMs);
  }
  return joined;
}
