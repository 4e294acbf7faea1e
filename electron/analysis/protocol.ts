/** Messages between the main process and an analysis process. The main process chooses the paths, never a page. */
import { keptRows } from '../db/kept-tables.ts';
import { type ColumnProfile, columnFilters, fields } from '../shared/analysis-model.ts';
import { conversationPlan, EXPORT_FORMATS, type ExportManifest, heldTable } from '../shared/export-model.ts';
import { columnSummary, timeCounts } from '../shared/mirror-model.ts';
import { type SqlColumn, type SqlResult, type SqlRows, sqlWindow } from '../shared/sql-model.ts';
import type { ValueLedger } from '../shared/value-ledger.ts';
import * as z from '../shared/zod.ts';
import type { CountedRows } from './mirror-columns.ts';
import type { WrittenParts } from './mirror-parts.ts';
import {
  type DigestedRows,
  type MirrorBounds,
  mirrorBounds,
  mirrorSegment,
  mirrorSource,
} from './mirror-segments.ts';
import type { CheckedSql, SqlFault } from './typed-sql.ts';
import { unionPart } from './union-rows.ts';

/** Rows of a list in SQLite. */
const storedRows = z.strictObject({ libraryFile: z.string(), generationId: z.int() });
/** Records of several lists of one kind. */
const unionRows = z.strictObject({ libraryFile: z.string(), parts: z.array(unionPart) });
const profiledRows = z.discriminatedUnion('form', [
  z.strictObject({ form: z.literal('sidecar'), file: z.string() }),
  /** Rows that are read into memory. `sample`: approximate number of rows taken from the whole list. */
  z.strictObject({
    form: z.literal('stored'),
    key: z.string(),
    stored: storedRows,
    sample: z.int().nullable(),
  }),
  z.strictObject({ form: z.literal('union'), key: z.string(), union: unionRows, sample: z.int().nullable() }),
  z.strictObject({ form: z.literal('kept'), key: z.string(), kept: keptRows, sample: z.int().nullable() }),
  /** Records in a JSON Lines file, read into memory. */
  z.strictObject({ form: z.literal('lines'), file: z.string() }),
]);
export type ProfiledSource = z.infer<typeof profiledRows>;

/** A table of a mirror, and the patterns of fields whose values are masked. */
const mirrored = { source: mirrorSource, maskedFields: z.array(z.string()) };

const sidecarSource = z.union([storedRows, unionRows, keptRows]);
/** `source`: rows without a prepared file, which are read into memory. */
const viewFiles = z.array(
  z.strictObject({
    schema: z.string(),
    name: z.string(),
    from: z.union([z.strictObject({ file: z.string() }), z.strictObject({ source: sidecarSource })]),
  }),
);
export type ViewFile = z.infer<typeof viewFiles>[number];
/** Rows to be written to a file. */
const exportedSource = z.discriminatedUnion('form', [
  z.strictObject({
    form: z.literal('stored'),
    sidecar: z.string(),
    stored: storedRows,
    /** Positions in order; null for all rows. */
    positions: z.instanceof(Int32Array).nullable(),
  }),
  /** All rows of a query over sidecars. */
  z.strictObject({ form: z.literal('sql'), sql: z.string(), files: viewFiles }),
  /** Records in a JSON Lines file. */
  z.strictObject({ form: z.literal('lines'), file: z.string() }),
  /** A table in a store. */
  z.strictObject({ form: z.literal('held'), file: z.string(), table: heldTable }),
]);
export type ExportedSource = z.infer<typeof exportedSource>;

/** Restricts the request to rows at these positions. */
const within = z.strictObject({ key: z.string(), positions: z.instanceof(Int32Array) }).nullable();
/**
 * An empty folder that only this request uses, for data that does not fit into memory; '' in a process that only reads,
 * which has none.
 */
const spillFolder = z.string();
const id = z.int();

/** The arguments of each operation. */
export const analysisRequest = z.discriminatedUnion('operation', [
  /** Writes the rows of a Parquet file as JSON lines, in file order. */
  z.strictObject({
    id,
    spillFolder,
    operation: z.literal('parquet-to-json-lines'),
    source: z.string(),
    target: z.string(),
  }),
  /** Writes the sidecar of a list. */
  z.strictObject({
    id,
    spillFolder,
    operation: z.literal('build-sidecar'),
    stored: sidecarSource,
    target: z.string(),
  }),
  z.strictObject({
    id,
    spillFolder,
    operation: z.literal('profile'),
    source: profiledRows,
    within,
    /** Names of columns; null for all. */
    fields: fields.nullable(),
    filters: columnFilters,
  }),
  /** Positions of the rows that pass. */
  z.strictObject({
    id,
    spillFolder,
    operation: z.literal('positions'),
    source: profiledRows,
    filters: columnFilters,
  }),
  /** The views used by typed SQL. */
  z.strictObject({
    id,
    spillFolder,
    operation: z.literal('check-sql'),
    sql: z.string(),
    views: z.array(z.string()),
  }),
  /** Starts a query over sidecars. Only one can run at a time. */
  z.strictObject({
    id,
    spillFolder,
    operation: z.literal('run-sql'),
    sql: z.string(),
    files: viewFiles,
  }),
  /** Runs a query over sidecars and keeps at most this many of its rows. Only one can run at a time. */
  z.strictObject({
    id,
    spillFolder,
    operation: z.literal('keep-sql'),
    sql: z.string(),
    files: viewFiles,
    mostRows: z.int(),
  }),
  /** Rows of the kept result. */
  z.strictObject({ id, spillFolder, operation: z.literal('kept-rows'), window: sqlWindow }),
  z.strictObject({
    id,
    spillFolder,
    operation: z.literal('kept-profile'),
    fields,
    filters: columnFilters,
  }),
  /** Columns with their SQL names. */
  z.strictObject({ id, spillFolder, operation: z.literal('view-columns'), source: profiledRows }),
  /** The next rows; empty at the end. */
  z.strictObject({ id, spillFolder, operation: z.literal('sql-rows') }),
  /** Writes rows to a file. */
  z.strictObject({
    id,
    spillFolder,
    operation: z.literal('export-rows'),
    source: exportedSource,
    /** Names of fields; null for all. */
    columns: fields.nullable(),
    /** Refuses to write if no row has one of the fields. */
    needsColumns: z.boolean().optional(),
    format: z.enum(EXPORT_FORMATS),
    isExact: z.boolean(),
    /** Field whose values become names of folders; null for a single file. */
    partitionBy: z.string().nullable(),
    /** Writes JSON Lines with sorted keys and rows. */
    isSorted: z.boolean().optional(),
    conversation: conversationPlan.optional(),
    /** The rows are dataset items, and are written so that importing them gives equal items. */
    areItems: z.boolean().optional(),
    target: z.string(),
  }),
  /** Plans the segments of a table for the files of a mirror. */
  z.strictObject({
    id,
    spillFolder,
    operation: z.literal('mirror-plan'),
    ...mirrored,
  }),
  /** Computes the digests of segments of lists. */
  z.strictObject({
    id,
    spillFolder,
    operation: z.literal('mirror-digests'),
    ...mirrored,
    segments: z.array(mirrorBounds),
  }),
  /** Finds the columns of a sample of rows of lists. */
  z.strictObject({
    id,
    spillFolder,
    operation: z.literal('mirror-sample'),
    ...mirrored,
    segments: z.array(mirrorBounds),
  }),
  /** Writes segments of a table to files of a mirror. */
  z.strictObject({
    id,
    spillFolder,
    operation: z.literal('mirror-write'),
    ...mirrored,
    segments: z.array(mirrorSegment),
    known: z
      .strictObject({ columns: z.array(columnSummary), times: z.record(z.string(), timeCounts) })
      .nullable(),
    order: z.array(z.string()),
    folder: z.string(),
  }),
]);
export type AnalysisRequest = z.infer<typeof analysisRequest>;

/** Facts about a written file. */
export interface ExportedRows
  extends Pick<
    ExportManifest,
    'rows' | 'spansRead' | 'skipped' | 'columns' | 'sizeBytes' | 'sha256' | 'files' | 'partitionedBy'
  > {
  times: ExportManifest['timeRanges'];
}

/** The result of each operation. */
export interface AnalysisResults {
  /** For byte columns with values: whether all of them are text and were written as text. */
  'parquet-to-json-lines': {
    bytes: { column: string; values: number; isText: boolean }[];
    /** Columns of times that are read to the microsecond, although the file can hold nanoseconds. */
    coarse: string[];
    /** Columns added from the names of folders. */
    folders: { name: string; value: string | null }[];
    /** Columns that the engine renamed. */
    renamed: { from: string; to: string }[];
    /** Values that a rule changed. */
    changes: ValueLedger['changes'];
  };
  'build-sidecar': { rows: number };
  profile: ColumnProfile[];
  positions: Int32Array<ArrayBuffer>;
  'check-sql': CheckedSql;
  'run-sql': { columns: SqlColumn[] } | { fault: SqlFault };
  'keep-sql': { kept: Pick<SqlResult, 'columns' | 'rows' | 'isCut'> } | { fault: SqlFault };
  'kept-rows': SqlRows;
  'kept-profile': ColumnProfile[];
  'view-columns': { columns: SqlColumn[]; rows: number };
  'sql-rows': { rows: unknown[][] } | { fault: SqlFault };
  /** `refused`: a problem that a person can fix. */
  'export-rows': ExportedRows | { refused: string } | { fault: SqlFault };
  /** Null, here and below, if rows have changed since the table was examined. */
  'mirror-plan': { segments: (MirrorBounds & { digest: string | null })[] } | null;
  'mirror-digests': { segments: DigestedRows[] } | null;
  'mirror-sample': CountedRows | null;
  'mirror-write': WrittenParts | null;
}

export const analysisReply = z.discriminatedUnion('kind', [
  z.strictObject({ id, kind: z.literal('done'), result: z.unknown() }),
  z.strictObject({ id, kind: z.literal('progress'), rows: z.int() }),
  /** The engine's own message. */
  z.strictObject({ id, kind: z.literal('failed'), message: z.string() }),
]);
export type AnalysisReply = z.infer<typeof analysisReply>;
