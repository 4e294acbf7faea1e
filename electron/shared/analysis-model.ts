/** The shape of the columns of a list: what profiles say, and the filters that pictures set. Sizes are counts of rows. */
import { z } from 'zod';

/** How the values of a column are stored and drawn. */
export const COLUMN_KINDS = [
  'boolean',
  'integer',
  'decimal',
  'number',
  'time',
  'numeric-text',
  'text',
  'json',
] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];

/** A field as grids name it, keys of objects joined by dots, e.g. `span_attributes.gen_ai.request.model`. */
const field = z.string().min(1).max(2_000);
export const fields = z.array(field).max(1_000);

/** `absent`: the record has no such field. `empty`: a text, list or object without content. */
const EMPTINESS = ['absent', 'null', 'empty'] as const;
export type Emptiness = (typeof EMPTINESS)[number];

const bound = z.number().nullable();
const columnFilter = z.discriminatedUnion('kind', [
  /** `from` is included unless it says so; `to` only where it says so. Times are milliseconds since 1970. Null: no bound. */
  z.strictObject({
    kind: z.literal('range'),
    field,
    from: bound,
    to: bound,
    includesTo: z.boolean(),
    excludesFrom: z.literal(true).optional(),
    /** Only what lies outside, or has no place. */
    excludes: z.literal(true).optional(),
  }),
  /** One of these, as a profile lists them. `excludes`: none of these. */
  z.strictObject({
    kind: z.literal('values'),
    field,
    values: z.array(z.string().max(10_000)).min(1).max(200),
    excludes: z.boolean(),
  }),
  /** The text occurs in the value; case does not matter. `excludes`: it does not, or there is no value. */
  z.strictObject({
    kind: z.literal('contains'),
    field,
    text: z.string().min(1).max(200),
    excludes: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('emptiness'), field, is: z.enum(EMPTINESS) }),
]);
export type ColumnFilter = z.infer<typeof columnFilter>;
export const columnFilters = z.array(columnFilter).max(50);

/** `total`: of all rows. `count`: of those that pass the filters of the other columns. */
export interface Tally {
  total: number;
  count: number;
}
interface ProfileBar extends Tally {
  from: number;
  to: number;
  /** Of the last bar `to` is part of it. */
  includesTo: boolean;
}
interface ProfileTop extends Tally {
  value: string;
}

/**
 * One column. The bars or tops, the others, and what is absent, null and empty are together as many as the rows.
 */
export interface ColumnProfile {
  field: string;
  kind: ColumnKind;
  rows: Tally;
  absent: Tally;
  nulls: Tally;
  empty: Tally;
  /** Values that neither a bar nor a top stands for. */
  others: Tally;
  /** About so many different values. */
  distinct: number;
  /** Of numbers and times; empty otherwise. */
  bars: ProfileBar[];
  /** Most frequent first; empty where there are bars. */
  tops: ProfileTop[];
}

/** How far the columns of a list are prepared. */
export interface Preparation {
  rows: number;
  totalRows: number;
}

/** Profiles of some columns of a list, over the rows that are stored of it. */
export interface ListProfile {
  /**
   * Counted over rows from all over the list while its columns are prepared: `rows` are of those that were looked at.
   */
  isSample: boolean;
  /** How far the preparation is; null where it has ended. */
  preparation: Preparation | null;
  /** Rows of the list that are stored here. */
  storedRows: number;
  /** All that the service has of it, as far as it said. */
  totalRows: number | null;
  /** Of the fields that were asked for and that a stored row has. */
  columns: ColumnProfile[];
}
