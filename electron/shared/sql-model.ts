/** SQL over what is stored: the views there are, and what a query answers. */
import { z } from 'zod';
import { type ColumnProfile, columnFilters, fields } from './analysis-model.ts';
import type { ListQuery } from './model.ts';

/** Schema of the stored lists alone. */
export const LISTS_SCHEMA = 'lists';

/** What is stored, as SQL names it: all records of a kind, or one list. */
export interface SqlView {
  /** Within its schema. */
  name: string;
  schema: typeof LISTS_SCHEMA | null;
  title: string;
  operation: string;
  /** The question of a list; null for all records of a kind. */
  query: ListQuery | null;
  /** Null where it is not counted yet: several lists may hold one record. */
  storedRows: number | null;
  /** No more than these. */
  mostRows: number;
  isComplete: boolean;
  oldestMs: number | null;
}

export interface SqlColumn {
  name: string;
  /** As the engine names it: BIGINT, DECIMAL(18,3), TIMESTAMP WITH TIME ZONE, JSON. */
  type: string;
}

/** Values are JSON: whole numbers past 32 bits, decimals and times are texts with all digits. */
export interface SqlPage {
  columns: SqlColumn[];
  rows: unknown[][];
}

/** A view with its columns. */
export interface DescribedView extends SqlView {
  columns: SqlColumn[];
  /** The columns are those of some of the rows: all are known once the view was read. */
  isSample: boolean;
}

/** What a query of the window left to look at: it stays readable by its `runId` until the next ones push it out. */
export interface SqlResult {
  columns: SqlColumn[];
  rows: number;
  /** The query has more rows than a result holds. */
  isCut: boolean;
  /** Keys of the views that were read. */
  views: string[];
  tookMs: number;
}

/** Rows of a result that pass its filters. */
export interface SqlRows {
  rows: unknown[][];
  matchingRows: number;
}

/** A result in the window holds so many rows. */
export const MOST_RESULT_ROWS = 100_000;
/** A longer text is no question that a person typed. */
export const MOST_SQL_CHARACTERS = 100_000;

export const sqlWindow = z.strictObject({
  offset: z.int().min(0),
  limit: z.int().min(1).max(500),
  /** By the column with this name; null: as the query answered. */
  sort: z.strictObject({ field: z.string().min(1).max(2_000), isDescending: z.boolean() }).nullable(),
  filters: columnFilters,
});
export type SqlWindow = z.infer<typeof sqlWindow>;

const connectionId = z.uuid();
const runId = z.uuid();
/** What `library:sql` does. */
export const sqlRequest = z.discriminatedUnion('act', [
  z.strictObject({ connectionId, act: z.literal('views') }),
  /** Runs one SELECT; `runId` is chosen by the window, so that it can be stopped before it answers. */
  z.strictObject({ connectionId, act: z.literal('run'), runId, sql: z.string().max(MOST_SQL_CHARACTERS) }),
  z.strictObject({ connectionId, act: z.literal('rows'), runId, window: sqlWindow }),
  z.strictObject({ connectionId, act: z.literal('profile'), runId, fields, filters: columnFilters }),
  /** Ends a query, or lets its result go. */
  z.strictObject({ connectionId, act: z.literal('stop'), runId }),
]);
export type SqlRequest = z.infer<typeof sqlRequest>;

/** What each act answers. */
export interface SqlAnswers {
  views: DescribedView[];
  run: SqlResult;
  rows: SqlRows;
  profile: ColumnProfile[];
  stop: null;
}
