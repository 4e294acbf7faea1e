/** How much of an entity each of its values makes up, drawn beside its number of rows. Pure. */
import type { JsonObject } from './records.ts';
import { formatShare } from './span-fields.ts';

interface Shares {
  /** The longest bar. */
  readonly most: number;
  /** Rows of all values; null while some of them are not loaded. */
  readonly whole: number | null;
}

function rowsOf(value: JsonObject): number {
  const count = value['row_count'];
  return typeof count === 'number' && count > 0 ? count : 0;
}

/** `values` are those that are loaded of `count`; null where they are a choice among all. */
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

/** `12 %`; empty where the whole is not known. */
export const shareText = (value: JsonObject, { whole }: Shares): string =>
  whole === null ? '' : formatShare(rowsOf(value) / whole);
