/** Counts rows for each part of a column: a bar, a value, or a kind of missing value. Pure. */
import type { ColumnProfile, Tally } from '../shared/analysis-model.ts';
import { columnName, type SidecarColumn } from './column-scan.ts';
import { partOf } from './sidecar-sql.ts';

interface Counts {
  rows: number;
  absent: number;
  nulls: number;
  empty: number;
  /** Counts for each bar or top value, in order. */
  parts: number[];
}

/** The displayed axis of a column. It does not depend on filters. */
export interface Axis {
  distinct: number;
  /** Edges of the bars; empty if the column has no axis or no values. */
  edges: number[];
  /** Top values, the most frequent first; empty if there are edges. */
  values: string[];
  /** Smallest and largest number as text, if a double cannot hold them. */
  range?: { min: string; max: string };
}
/** The axis with the counts of all rows; computed once. */
export interface Basics extends Axis, Counts {}

/** Offset of part numbers, which begin at -128. */
const PARTS_BELOW = 128;

/** Counts these rows (null for all) by the part of the column they belong to. */
export function countsOf(
  parts: Int8Array,
  rows: Int32Array | null,
  { edges, values }: Pick<Axis, 'edges' | 'values'>,
): Counts {
  const counts = new Int32Array(256);
  const count = (part: number): void => {
    counts[part + PARTS_BELOW] = (counts[part + PARTS_BELOW] ?? 0) + 1;
  };
  if (rows === null) for (const part of parts) count(part);
  else for (const row of rows) count(parts[row] ?? 0);
  const of = (part: number): number => counts[part + PARTS_BELOW] ?? 0;
  const shownParts = edges.length > 0 ? edges.length - 1 : values.length;
  return {
    rows: rows?.length ?? parts.length,
    absent: of(partOf('absent')),
    nulls: of(partOf('null')),
    empty: of(partOf('empty')),
    parts: Array.from({ length: shownParts }, (_, part) => of(part)),
  };
}
export function profileOf(column: SidecarColumn, all: Basics, passed: Counts): ColumnProfile {
  const both = (total: number, count: number): Tally => ({ total, count });
  const tallies = all.parts.map((total, part) => both(total, passed.parts[part] ?? 0));
  const bars = tallies.slice(0, Math.max(0, all.edges.length - 1)).map((tally, bar, { length }) => ({
    ...{ from: all.edges[bar] ?? 0, to: all.edges[bar + 1] ?? 0, includesTo: bar === length - 1 },
    ...tally,
  }));
  const tops = all.values.map((value, at) => ({ value, ...(tallies[at] ?? both(0, 0)) }));
  const shown = [...bars, ...tops].reduce(
    (sum, { total, count }) => both(sum.total + total, sum.count + count),
    both(0, 0),
  );
  const missing = (of: Counts) => of.absent + of.nulls + of.empty;
  return {
    field: columnName(column.path),
    kind: column.kind,
    rows: both(all.rows, passed.rows),
    absent: both(all.absent, passed.absent),
    nulls: both(all.nulls, passed.nulls),
    empty: both(all.empty, passed.empty),
    others: both(all.rows - missing(all) - shown.total, passed.rows - missing(passed) - shown.count),
    distinct: all.distinct,
    bars,
    tops,
    ...(all.range === undefined ? {} : { range: all.range }),
  };
}
