/** Sets of row numbers as sorted, disjoint ranges, so that selecting a million rows costs as much as selecting one. */
export interface RowRange {
  from: number;
  /** Inclusive. */
  to: number;
}

export function addRange(ranges: readonly RowRange[], added: RowRange): RowRange[] {
  let from = Math.min(added.from, added.to);
  let to = Math.max(added.from, added.to);
  const apart: RowRange[] = [];
  for (const range of ranges) {
    if (range.to < from - 1 || range.from > to + 1) apart.push(range);
    else {
      from = Math.min(from, range.from);
      to = Math.max(to, range.to);
    }
  }
  return [...apart, { from, to }].sort((a, b) => a.from - b.from);
}

export function hasRow(ranges: readonly RowRange[], row: number): boolean {
  return ranges.some((range) => row >= range.from && row <= range.to);
}

export function toggleRow(ranges: readonly RowRange[], row: number): RowRange[] {
  if (!hasRow(ranges, row)) return addRange(ranges, { from: row, to: row });
  return ranges.flatMap((range) => {
    if (row < range.from || row > range.to) return [range];
    return [
      { from: range.from, to: row - 1 },
      { from: row + 1, to: range.to },
    ].filter((part) => part.from <= part.to);
  });
}

export function countRows(ranges: readonly RowRange[]): number {
  return ranges.reduce((sum, range) => sum + range.to - range.from + 1, 0);
}
