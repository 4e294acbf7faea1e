/** The share of each value of an entity, drawn beside its number of rows. Pure. */
import type { JsonObject } from './records.ts';
import { formatShare } from './span-fields.ts';

interface Shares {
  /** Number of rows of the longest bar. */
  readonly most: number;
  /** Number of rows of all values; null until all are loaded. */
  readonly whole: number | null;
}

function rowsOf(value: JsonObject): number {
  const count = value['row_count'];
  return typeof count === 'number' && count > 0 ? count : 0;
}

/** `values`: the loaded values; `count`: number of all values, or null if only some of them are listed. */
export function sharesOf(values: readonly JsonObject[], count: number | null): Shares {
  const rows = values.map(rowsOf);
  const sum = rows.reduce((total, each) => total + each, 0);
  return {
    most: rows.reduce((most, each) => Math.max(most, each), 0),
    whole: values.length === count && sum > 0 ? sum : null,
  };
}

/** Length of the value's bar, from 0 to 1. */
export const barOf = (value: JsonObject, { most }: Shares): number =>
  most === 0 ? 0 : Math.min(1, rowsOf(value) / most);

/** `12 %`; empty if the total is unknown. */
export const shareText = (value: JsonObject, { whole }: Shares): string =>
  whole === null ? '' : formatShare(rowsOf(value) / whole);
