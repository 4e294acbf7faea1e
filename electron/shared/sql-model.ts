/** SQL over stored data: the available views, and the results of a query. */
import { type ColumnProfile, columnFilters, fields } from './analysis-model.ts';
import type { ListQuery } from './model.ts';
import * as z from './zod.ts';

/** Schema of the views of single stored lists. */
export const LISTS_SCHEMA = 'lists';

/** A view of stored data: all records of a kind, or one list. */
export interface SqlView {
  /** Name within the schema. */
  name: string;
  schema: typeof LISTS_SCHEMA | null;
  title: string;
  operation: string;
  /** The query of a list; null for all records of a kind. */
  query: ListQuery | null;
  /** Null if not counted yet, because several lists may contain the same record. */
  storedRows: number | null;
  /** Upper bound of the number of rows. */
  mostRows: number;
  isComplete: boolean;
  oldestMs: number | null;
}

export interface SqlColumn {
  name: string;
  /** The engine's type name: BIGINT, DECIMAL(18,3), TIMESTAMP WITH TIME ZONE, JSON. */
  type: string;
}

/** Values are JSON; integers beyond 32 bits, decimals and times are texts with all digits. */
export interface SqlPage {
  columns: SqlColumn[];
  rows: unknown[][];
}

/** A page of the answer to a query. */
export interface SqlAnswerPage extends SqlPage {
  sources: SqlSource[];
}

/** A view that a query read. */
export interface SqlSource {
  name: string;
  /** Wall time of the view's oldest row. */
  oldestMs: number | null;
}

/** A view with its columns. */
export interface DescribedView extends SqlView {
  columns: SqlColumn[];
  /** The columns are known only from a sample of the rows; all are known once the view was read. */
  isSample: boolean;
}

/** The result of a query that the window keeps: readable by its `runId` until newer ones replace it. */
export interface SqlResult {
  columns: SqlColumn[];
  rows: number;
  /** The query has more rows than a result keeps. */
  isCut: boolean;
  /** Keys of the views that the query used. */
  views: string[];
  tookMs: number;
}

/** Rows of a result that pass its filters. */
export interface SqlRows {
  rows: unknown[][];
  matchingRows: number;
}

/** Maximum rows of a result in the window. */
export const MAX_RESULT_ROWS = 100_000;
/** Maximum length of a query; a longer text was not typed by a person. */
export const MAX_SQL_CHARACTERS = 100_000;

export const sqlWindow = z.strictObject({
  offset: z.int().min(0),
  limit: z.int().min(1).max(500),
  /** Sorts by the column with this name; null: the query's order. */
  sort: z.strictObject({ field: z.string().min(1).max(2_000), isDescending: z.boolean() }).nullable(),
  filters: columnFilters,
});
export type SqlWindow = z.infer<typeof sqlWindow>;

const connectionId = z.uuid();
const runId = z.uuid();
/** The actions of `library:sql`. */
export const sqlRequest = z.discriminatedUnion('act', [
  z.strictObject({ connectionId, act: z.literal('views') }),
  /** Runs one SELECT. The window chooses `runId`, so that it can stop the query before the answer arrives. */
  z.strictObject({ connectionId, act: z.literal('run'), runId, sql: z.string().max(MAX_SQL_CHARACTERS) }),
  z.strictObject({ connectionId, act: z.literal('rows'), runId, window: sqlWindow }),
  z.strictObject({ connectionId, act: z.literal('profile'), runId, fields, filters: columnFilters }),
  /** Ends a query, or removes its result. */
  z.strictObject({ connectionId, act: z.literal('stop'), runId }),
]);
export type SqlRequest = z.infer<typeof sqlRequest>;

/** The result of each action. */
export interface SqlAnswers {
  views: DescribedView[];
  run: SqlResult;
  rows: SqlRows;
  profile: ColumnProfile[];
  stop: null;
}
