/** Ranges of time from which all spans were read. Pure. */

export interface ReadRange {
  startMs: number;
  endMs: number;
}

/** In the order of time; those that touch are one. */
export function joinRanges(ranges: readonly ReadRange[]): ReadRange[] {
  const joined: ReadRange[] = [];
  for (const { startMs, endMs } of ranges.toSorted((one, other) => one.startMs - other.startMs)) {
    const last = joined.at(-1);
    if (last === undefined || startMs > last.endMs) joined.push({ startMs, endMs });
    else last.endMs = Math.max(last.endMs, endMs);
  }
  return joined;
}
