/** Column profiles of a list, and the filters set in column summaries. Sizes are numbers of rows. */
import { WORD_TABLES } from './shown-words.ts';
import * as z from './zod.ts';

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

/** A field with the name used in grids: keys joined by dots, e.g. `span_attributes.gen_ai.request.model`. */
const field = z.string().min(1).max(2_000);
export const fields = z.array(field).max(1_000);

/**
 * `absent`: the record has no such field. `empty`: a text, list or object without content. `missing`: any of absent,
 * null and empty.
 */
export const EMPTINESS = ['absent', 'null', 'empty', 'missing'] as const;
export type Emptiness = (typeof EMPTINESS)[number];

const bound = z.number().nullable();
const columnFilter = z.discriminatedUnion('kind', [
  /**
   * `includesTo` makes `to` inclusive, and `excludesFrom` makes `from` exclusive; by default it is the other way round.
   * Times are milliseconds since 1970. Null: no bound.
   */
  z.strictObject({
    kind: z.literal('range'),
    field,
    from: bound,
    to: bound,
    includesTo: z.boolean(),
    excludesFrom: z.literal(true).optional(),
    /** Inverts the filter: only values outside the range, or without a place on the axis. */
    excludes: z.literal(true).optional(),
  }),
  /** The value is one of those listed in a profile; with `excludes`, it is none of them. */
  z.strictObject({
    kind: z.literal('values'),
    field,
    values: z.array(z.string().max(10_000)).min(1).max(200),
    excludes: z.boolean(),
  }),
  /**
   * The value contains the text, ignoring case; with `excludes`, it does not, or there is no value. The words that the
   * column shows for a constant count as well.
   */
  z.strictObject({
    kind: z.literal('contains'),
    field,
    text: z.string().min(1).max(200),
    excludes: z.boolean(),
    /** The table by which the column shows constants as words. Default: the column shows the values unchanged. */
    words: z.enum(WORD_TABLES).optional(),
  }),
  z.strictObject({ kind: z.literal('emptiness'), field, is: z.enum(EMPTINESS) }),
]);
export type ColumnFilter = z.infer<typeof columnFilter>;
export const columnFilters = z.array(columnFilter).max(50);

/** `total`: all rows. `count`: rows that pass the filters of the other columns. */
export interface Tally {
  total: number;
  count: number;
}
interface ProfileBar extends Tally {
  from: number;
  to: number;
  /** True for the last bar: `to` is part of it. */
  includesTo: boolean;
}
interface ProfileTop extends Tally {
  value: string;
}

/** One column. The counts of bars or top values, others, absent, null and empty add up to the number of rows. */
export interface ColumnProfile {
  field: string;
  kind: ColumnKind;
  rows: Tally;
  absent: Tally;
  nulls: Tally;
  empty: Tally;
  /** Values outside the bars and top values. */
  others: Tally;
  /** Approximate number of distinct values. */
  distinct: number;
  /** For numbers and times; otherwise empty. */
  bars: ProfileBar[];
  /** Smallest and largest number, if one of them has more digits than the edges of the bars. */
  range?: { min: string; max: string };
  /** Most frequent first; empty if there are bars. */
  tops: ProfileTop[];
}

/** Progress in preparing the columns of a list. */
export interface Preparation {
  rows: number;
  totalRows: number;
}

/** Profiles of some columns of a list, over its stored rows. */
export interface ListProfile {
  /** Counted over a sample of the whole list while its columns are prepared: `rows` is then the sample size. */
  isSample: boolean;
  /** Progress of the preparation; null after its end. */
  preparation: Preparation | null;
  storedRows: number;
  /** Stored rows that match the text filter: the counted ones. */
  matchingRows: number;
  /** The service's total, as far as stated. */
  totalRows: number | null;
  /** Same meaning as in `Freshness`. */
  isComplete: boolean;
  /** Requested fields that some stored row has. */
  columns: ColumnProfile[];
}
