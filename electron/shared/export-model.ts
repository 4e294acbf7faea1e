/** Lists written to files, shared by both processes. Sizes are bytes, times wall time in milliseconds. */
import { fields } from './analysis-model.ts';
import type { WireError } from './errors.ts';
import { formerComparison } from './former-comparison.ts';
import { CHANGE_KINDS } from './item-field-change.ts';
import { chosenRows, listQuery } from './model.ts';
import type { Repeat } from './repeat-model.ts';
import { chosenItems } from './run-comparison.ts';
import { SCORE_ITEM_STATES } from './score-model.ts';
import { searchRequest } from './search-contract.ts';
import { MAX_SQL_CHARACTERS } from './sql-model.ts';
import { logFilter } from './traffic-contract.ts';
import type { LateStart } from './upload-model.ts';
import * as z from './zod.ts';

/** Formats; each name is also the file extension. */
export const EXPORT_FORMATS = ['csv', 'jsonl', 'parquet', 'arrow'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const EXPORT_STATES = [
  /** No file was chosen yet. */
  'draft',
  'ready',
  'running',
  'waiting',
  'paused',
  'done',
  'cancelled',
] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/** Items of a dataset, or spans, as lines of conversations: `chat` for fine-tuning, `evals` for evaluating models. */
export const CONVERSATIONS = ['chat', 'evals'] as const;
export const conversationPlan = z.strictObject({
  as: z.enum(CONVERSATIONS),
  /** Field with the question or the messages, e.g. `inputs.question`; null: found by name in each item. */
  prompt: z.string().min(1).max(2_000).nullable(),
  /** Field with the answer, e.g. `expected_outputs.answer`; null: found by name in each item. */
  answer: z.string().min(1).max(2_000).nullable(),
  /** The unit of each line if spans are exported. Absent for items of a dataset. */
  per: z.enum(['trace', 'session']).optional(),
});
export type ConversationPlan = z.infer<typeof conversationPlan>;

/** How rows are written, whatever their source. */
const written = {
  /** The display name of the rows. */
  name: z.string().min(1).max(200),
  /** Fields, or objects with all their fields; null: all. */
  columns: fields.nullable(),
  /** A person typed `columns`: if no row has one of them, nothing is written. */
  needsColumns: z.boolean().optional(),
  format: z.enum(EXPORT_FORMATS),
  /** CSV with unescaped texts, although a spreadsheet may execute those that look like formulas. */
  isExact: z.boolean(),
  /** Parquet as nested folders, one for each value of this field, or for each day of a time (Hive). Null: one file. */
  partitionBy: z.string().min(1).max(2_000).nullable(),
  /** JSON Lines with sorted keys and rows: equal rows make equal files, as version control needs. */
  isSorted: z.boolean().optional(),
};

/** Rows of a list of the service. */
const listExportPlan = z.strictObject({
  ...written,
  ...chosenRows,
  /** `whole`: rows that are not stored are read first. `stored`: nothing is requested from the service. */
  reads: z.enum(['whole', 'stored']),
  /** JSON Lines of dataset items or spans: each line is a conversation instead of the row. */
  conversation: conversationPlan.optional(),
});
export type ListExportPlan = z.infer<typeof listExportPlan>;

const ownId = z.string().min(1).max(100);

/** Tables in a store of the connection, read by the process that writes the file. */
const HELD_TABLES = [
  /** The acknowledged rows of an upload with their event ids. */
  z.strictObject({ form: z.literal('receipts'), jobId: ownId }),
  /** The rows of an upload, or of a check of its file, that cannot be sent. */
  z.strictObject({ form: z.literal('bad-rows'), ownerId: ownId }),
  /** The batches of an upload; `states` null: all. */
  z.strictObject({
    form: z.literal('batches'),
    jobId: ownId,
    states: z.array(z.string().max(20)).min(1).max(10).nullable(),
  }),
  /** Spans of a build that the service could not find. */
  z.strictObject({ form: z.literal('not-found'), buildId: ownId }),
  /** The spans of a basket, each as the record that was picked. */
  z.strictObject({ form: z.literal('picked'), buildId: ownId }),
  /** The request log, without bodies and headers. */
  z.strictObject({ form: z.literal('requests'), filter: z.strictObject(logFilter) }),
  /** Differences between two versions of datasets, item by item; `kind` null: all changes. */
  z.strictObject({
    form: z.literal('changes'),
    from: z.int().min(1),
    to: z.int().min(1),
    kind: z.enum(CHANGE_KINDS).nullable(),
  }),
  /** The original items of a version of a dataset. */
  z.strictObject({ form: z.literal('version'), snapshotId: z.int().min(1) }),
] as const;
export const heldTable = z.discriminatedUnion('form', HELD_TABLES);
export type HeldTable = z.infer<typeof heldTable>;

/** Rows of a table that is not a list of the service. No request is sent for them. */
const tableExportPlan = z.strictObject({
  ...written,
  table: z.discriminatedUnion('form', [
    /** All rows of one SELECT, run when the file is written. */
    z.strictObject({ form: z.literal('sql'), sql: z.string().min(1).max(MAX_SQL_CHARACTERS) }),
    /** The results of a score run, item by item; `state` null: in all states. */
    z.strictObject({
      form: z.literal('scores'),
      runId: ownId,
      state: z.enum(SCORE_ITEM_STATES).nullable(),
    }),
    formerComparison,
    /** Runs over one dataset, item by item. */
    chosenItems.extend({ form: z.literal('runs') }),
    ...HELD_TABLES,
    /** Search results, at most as many of each kind as the search counts. */
    z.strictObject({ form: z.literal('search'), ask: searchRequest.omit({ offset: true, limit: true }) }),
    /** The sessions of a stored list of spans, as its view shows them. */
    z.strictObject({
      form: z.literal('sessions'),
      query: listQuery,
      ...{ narrow: chosenRows.narrow, filters: chosenRows.filters, sort: chosenRows.sort },
    }),
    /** The stored values of a chart: one row for each time of each series, with the chart's comparison. */
    z.strictObject({
      form: z.literal('chart'),
      query: listQuery,
      /** The earlier period, if it was queried separately. */
      earlier: listQuery.nullable(),
      /** The chart's names for its series, by id; others are named by the answer. */
      names: z.record(z.string().max(2_000), z.string().max(2_000)),
    }),
  ]),
});
export type TableExportPlan = z.infer<typeof tableExportPlan>;
/** A table that is read from stored data when its file is written. */
export type StoredTable = Exclude<TableExportPlan['table'], { form: 'sql' }>;

export const exportPlan = z.union([listExportPlan, tableExportPlan]);
export type ExportPlan = z.infer<typeof exportPlan>;
/** How rows are written. */
export type ExportForm = Pick<
  ListExportPlan,
  'columns' | 'needsColumns' | 'format' | 'isExact' | 'partitionBy' | 'isSorted' | 'conversation'
>;

export const isTablePlan = (plan: ExportPlan): plan is TableExportPlan => 'table' in plan;

export interface ExportColumn {
  name: string;
  /** The engine's type name: BIGINT, DECIMAL(18,3), JSON. */
  type: string;
}

/** Earliest and latest time of one column, ISO 8601 in UTC. */
export interface ExportTimes {
  column: string;
  from: string;
  to: string;
}

/** Rows that could not be written, and why. */
export interface SkippedRows {
  rows: number;
  /** Most rows first. `items`: ids of the first ones. */
  reasons: readonly { reason: string; rows: number; items: readonly string[] }[];
  /** Message parts that a line cannot contain, and the number of written lines that lack them. */
  leftOut?: readonly { what: string; parts: number; rows: number }[];
}

/** Written beside the file as FILE.manifest.json. Times are ISO 8601 in UTC. */
export interface ExportManifest {
  file: string;
  format: ExportFormat;
  sizeBytes: number;
  /** Hash of a single file. */
  sha256: string | null;
  /** Contents of the folder, if it is partitioned: the column, and its files by relative path. */
  partitionedBy: string | null;
  files: readonly { file: string; sizeBytes: number; sha256: string }[] | null;
  exportedAt: string;
  /** The connection whose repeat writes this file; absent if none does. */
  repeats?: { connectionId: string };
  /** The query of the list, including its filter and ordering. */
  source: { baseUrl: string } & (
    | ListExportPlan['query']
    | { sql: string }
    | Readonly<Record<string, unknown>>
  );
  /** The local choice of rows; null for a table, which is written completely. */
  rowsChosen: (Pick<ListExportPlan, 'narrow' | 'filters' | 'sort'> & { isSelection: boolean }) | null;
  rows: number;
  /** Number of spans read if each line is a conversation of several spans; otherwise absent. */
  spansRead?: number;
  /** Chosen items, traces or sessions that are not conversations; null if lines are not conversations. */
  skipped: SkippedRows | null;
  /** Number of rows of the list as stated by the service; null if it states none. */
  totalRows: number | null;
  /** Whether the file has all existing rows, or all chosen ones among them. */
  complete: boolean;
  /** Rows missing in the list although it was read to its end: their number, or null if unknown. Otherwise absent. */
  missingRows?: number | null;
  /** When the oldest and the newest of the rows were read. */
  asOf: string | null;
  newestAt: string | null;
  timeRanges: readonly ExportTimes[];
  columns: readonly ExportColumn[];
}

/** An export for display. */
export interface ExportJob {
  exportId: string;
  connectionId: string;
  plan: ExportPlan;
  state: ExportState;
  reason: string;
  error: WireError | null;
  /** The source of a list: `GET /v3/datasets` below the address. Null for a table. */
  source: { baseUrl: string; request: string } | null;
  /** Current step while it runs. */
  step: 'reading' | 'writing';
  /** The full path of the file; null until one is chosen. */
  file: string | null;
  /** Progress: rows read, then rows written. */
  rows: number;
  totalRows: number | null;
  /** Size of the finished file. */
  sizeBytes: number | null;
  /** Rows of the list missing in the finished file: their number, or null if unknown. Absent if none is missing. */
  missingRows?: number | null;
  startAtMs: number | null;
  lateStart: LateStart | null;
  repeat?: Repeat | null;
  createdAtMs: number;
  endedAtMs: number | null;
}
