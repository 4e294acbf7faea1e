/** The columns that all files of one table in a mirror have in common. Pure. */
import { createHash } from 'node:crypto';
import type { ColumnSummary, MirrorPart, TimeCounts } from '../shared/mirror-model.ts';
import { ColumnScan, type SidecarColumn } from './column-scan.ts';
import { type TimeType, timeTypeOf } from './view-columns.ts';

/** A column with the SQL type of its times; absent for columns that are no times. */
export type MirroredColumn = SidecarColumn & { time?: TimeType | undefined };
export type CountedRows = Pick<MirrorPart, 'columns' | 'times'>;

export const pathKey = ({ path }: Pick<SidecarColumn, 'path'>): string => JSON.stringify(path);

/** Adds up the counts of several groups of rows. */
export function mergeCounts(parts: readonly CountedRows[]): CountedRows {
  const scan = new ColumnScan();
  const times: Record<string, TimeCounts> = {};
  for (const part of parts) {
    scan.absorb(part.columns);
    for (const [key, counts] of Object.entries(part.times)) {
      const sum = times[key] ?? [0, 0, 0, 0];
      times[key] = [sum[0] + counts[0], sum[1] + counts[1], sum[2] + counts[2], sum[3] + counts[3]];
    }
  }
  return { columns: scan.summary(), times };
}

/**
 * Columns whose types fit all these rows. `order`: paths (as JSON) of the columns that come first; others follow in
 * order of appearance.
 */
export function commonColumns({ columns, times }: CountedRows, order: readonly string[]): MirroredColumn[] {
  const places = new Map(order.map((key, place) => [key, place]));
  const placeOf = (column: SidecarColumn) => places.get(pathKey(column)) ?? order.length;
  return ownColumns(columns)
    .map((column): MirroredColumn => {
      if (column.kind !== 'time') return column;
      return { ...column, time: timeTypeOf(times[pathKey(column)] ?? [0, 0, 0, 0]) };
    })
    .toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** A key that is equal for columns that are written in the same way. */
export function shapeOf(columns: readonly MirroredColumn[]): string {
  const written = columns.map(({ path, kind, precision, time }) => [path, kind, precision, time]);
  return createHash('sha256').update(JSON.stringify(written)).digest('hex').slice(0, 8);
}

/** Columns in order of appearance. */
export function ownColumns(summary: readonly ColumnSummary[]): SidecarColumn[] {
  const scan = new ColumnScan();
  scan.absorb(summary);
  return scan.columns();
}
