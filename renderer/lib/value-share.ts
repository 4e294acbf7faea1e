/** The share of each value of an entity, drawn beside its number of rows. Pure. */
import type { JsonObject } from './records.ts';
import { formatShare } from './span-fields.ts';

interface Shares {
  /** Value of the longest bar. */
  readonly most: number;
  /** Rows of all values; null while some of them are not loaded. */
  readonly whole: number | null;
}

function rowsOf(value: JsonObject): number {
  const count = value['row_count'];
  return typeof count === 'number' && count > 0 ? count : 0;
}

/** `values`: the loaded ones out of `count`; null if they are a subset of all values. */
export function sharesOf(values: readonly JsonObject[], count: number | null): Shares {
  const rows = values.map(rowsOf);
  const sum = rows.reduce((total, each) => total + each, 0);
  return {
    most: rows.reduce((most, each) => Math.max(most, each), 0),
    whole: values.length === count && sum > 0 ? sum : null,
  };
}

/** Length of its bar from 0 to 1. */
export const barOf = (value: JsonObject, { most }: Shares): number =>
  most === 0 ? 0 : Math.min(1, rowsOf(value) / most);

/** `12 %`; empty if the total is unknown. */
export const shareText = (value: JsonObject, { whole }: Shares): string =>
  whole === null ? '' : formatShare(rowsOf(value) / whole);
