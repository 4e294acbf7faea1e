/** Lists written to files, as both processes know them. Sizes are bytes, times wall time in milliseconds. */
import { z } from 'zod';
import { fields } from './analysis-model.ts';
import type { WireError } from './errors.ts';
import { chosenRows, listQuery } from './model.ts';
import { comparisonQuestion } from './score-comparison.ts';
import { SCORE_ITEM_STATES } from './score-model.ts';
import { searchRequest } from './search-contract.ts';
import { CHANGE_KINDS } from './snapshot-model.ts';
import { MOST_SQL_CHARACTERS } from './sql-model.ts';
import { logFilter } from './traffic-contract.ts';
import type { LateStart } from './upload-model.ts';

/** Each is also the ending of its files. */
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

/** Items of a dataset, or spans, as lines of conversations: `chat` for fine-tuning, `evals` for an evaluation of models. */
export const CONVERSATIONS = ['chat', 'evals'] as const;
export const conversationPlan = z.strictObject({
  as: z.enum(CONVERSATIONS),
  /** Field that holds the question or the messages, e.g. `inputs.question`; null: found by its name in each item. */
  prompt: z.string().min(1).max(2_000).nullable(),
  /** Field that holds the answer, e.g. `expected_outputs.answer`; null: found by its name in each item. */
  answer: z.string().min(1).max(2_000).nullable(),
  /** Of spans: what each line is of. Absent for items of a dataset. */
  per: z.enum(['trace', 'session']).optional(),
});
export type ConversationPlan = z.infer<typeof conversationPlan>;

/** How rows are written, whatever they are of. */
const written = {
  /** As the rows are called where they are shown. */
  name: z.string().min(1).max(200),
  /** Fields, or objects with all that is in them; null: all. */
  columns: fields.nullable(),
  format: z.enum(EXPORT_FORMATS),
  /** CSV with texts as they are, though a spreadsheet may run those that look like formulas. */
  isExact: z.boolean(),
  /** Parquet as a folder of folders, one for each value of this field, of a time for each day (Hive). Null: one file. */
  partitionBy: z.string().min(1).max(2_000).nullable(),
};

/** Rows of a list of the service. */
const listExportPlan = z.strictObject({
  ...written,
  ...chosenRows,
  /** `whole`: what is not stored is read first. `stored`: nothing is requested from the service. */
  reads: z.enum(['whole', 'stored']),
  /** JSON Lines of a dataset's items, or of spans: each line a conversation instead of the row. */
  conversation: conversationPlan.optional(),
});
export type ListExportPlan = z.infer<typeof listExportPlan>;

const ownId = z.string().min(1).max(100);

/** Tables that a store of the connection holds: read by the process that writes the file. */
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
  /** What differs between two versions of datasets, item by item; `kind` null: all changes. */
  z.strictObject({
    form: z.literal('changes'),
    from: z.int().min(1),
    to: z.int().min(1),
    kind: z.enum(CHANGE_KINDS).nullable(),
  }),
  /** The items of a version of a dataset, as they came. */
  z.strictObject({ form: z.literal('version'), snapshotId: z.int().min(1) }),
] as const;
export const heldTable = z.discriminatedUnion('form', HELD_TABLES);
export type HeldTable = z.infer<typeof heldTable>;

/** Rows of a table that is no list of the service. Nothing is requested for them. */
const tableExportPlan = z.strictObject({
  ...written,
  table: z.discriminatedUnion('form', [
    /** The answer of one SELECT, run when the file is written: all of its rows. */
    z.strictObject({ form: z.literal('sql'), sql: z.string().min(1).max(MOST_SQL_CHARACTERS) }),
    /** What a score run gave, item by item; `state` null: all of them. */
    z.strictObject({
      form: z.literal('scores'),
      runId: ownId,
      state: z.enum(SCORE_ITEM_STATES).nullable(),
    }),
    /** Two score runs of a dataset, item by item. */
    z.strictObject({
      form: z.literal('comparison'),
      ...comparisonQuestion.omit({ offset: true, limit: true }).shape,
    }),
    ...HELD_TABLES,
    /** What a search finds, as many of each kind as it counts. */
    z.strictObject({ form: z.literal('search'), ask: searchRequest.omit({ offset: true, limit: true }) }),
    /** The values of a chart as they are stored: a row for each time of each series, compared as the chart is. */
    z.strictObject({
      form: z.literal('chart'),
      query: listQuery,
      /** The earlier period, where that was asked for by itself. */
      earlier: listQuery.nullable(),
      /** What the chart calls its series, by their ids; others are named by the answer. */
      names: z.record(z.string().max(2_000), z.string().max(2_000)),
    }),
  ]),
});
export type TableExportPlan = z.infer<typeof tableExportPlan>;
/** A table that is read from what is stored when its file is written. */
export type StoredTable = Exclude<TableExportPlan['table'], { form: 'sql' }>;

export const exportPlan = z.union([listExportPlan, tableExportPlan]);
export type ExportPlan = z.infer<typeof exportPlan>;
/** How rows are written. */
export type ExportForm = Pick<
  ListExportPlan,
  'columns' | 'format' | 'isExact' | 'partitionBy' | 'conversation'
>;

export const isTablePlan = (plan: ExportPlan): plan is TableExportPlan => 'table' in plan;

export interface ExportColumn {
  name: string;
  /** As the engine names it: BIGINT, DECIMAL(18,3), JSON. */
  type: string;
}

/** Of one column: its earliest and latest time, ISO 8601 in UTC. */
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
  /** Parts of messages that have no place in a line: they are missing in so many lines that were written. */
  leftOut?: readonly { what: string; parts: number; rows: number }[];
}

/** Written beside the file as FILE.manifest.json. Times are ISO 8601 in UTC. */
export interface ExportManifest {
  file: string;
  format: ExportFormat;
  sizeBytes: number;
  /** Of one file. */
  sha256: string | null;
  /** What is in the folder, where it is partitioned: by which column, and its files by their paths from there. */
  partitionedBy: string | null;
  files: readonly { file: string; sizeBytes: number; sha256: string }[] | null;
  exportedAt: string;
  /** The question that the list answers, its filter and ordering with it. */
  source: { baseUrl: string } & (
    | ListExportPlan['query']
    | { sql: string }
    | Readonly<Record<string, unknown>>
  );
  /** What was chosen of it on this computer; null for a table, which is written whole. */
  rowsChosen: (Pick<ListExportPlan, 'narrow' | 'filters' | 'sort'> & { isSelection: boolean }) | null;
  rows: number;
  /** Spans that were read, where each line is a conversation of several; else absent. */
  spansRead?: number;
  /** Of the items, traces or sessions that were chosen, those that are no conversation; null where lines are not conversations. */
  skipped: SkippedRows | null;
  /** Rows of the list, as the service states them; null where it does not. */
  totalRows: number | null;
  /** Whether these are all rows that there were, or all of those that were chosen among them. */
  complete: boolean;
  /**
   * Rows of the list that are missing although it was read to its end: how many, or null where that is not known. Absent
   * otherwise.
   */
  missingRows?: number | null;
  /** When the oldest and the newest of the rows were read. */
  asOf: string | null;
  newestAt: string | null;
  timeRanges: readonly ExportTimes[];
  columns: readonly ExportColumn[];
}

/** An export as views show it. */
export interface ExportJob {
  exportId: string;
  connectionId: string;
  plan: ExportPlan;
  state: ExportState;
  reason: string;
  error: WireError | null;
  /** Where a list is from: `GET /v3/datasets` below the address. Null for a table. */
  source: { baseUrl: string; request: string } | null;
  /** What it is doing while it runs. */
  step: 'reading' | 'writing';
  /** The whole path of the file; null while none was chosen. */
  file: string | null;
  /** So far: rows that were read, then rows that were written. */
  rows: number;
  totalRows: number | null;
  /** Of the finished file. */
  sizeBytes: number | null;
  /** Rows of the list that the finished file lacks: how many, or null if that is not known. Absent if none is missing. */
  missingRows?: number | null;
  startAtMs: number | null;
  lateStart: LateStart | null;
  createdAtMs: number;
  endedAtMs: number | null;
}
