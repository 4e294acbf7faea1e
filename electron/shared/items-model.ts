/** Items of a dataset from the rows of a file, shared by both processes. Sizes are bytes, times wall time in ms. */
import { type ColumnQuestion, columnReading } from './column-reading.ts';
import { counted } from './count-text.ts';
import { BUCKETS } from './dataset-model.ts';
import { dialect } from './dialect.ts';
import type { WireError } from './errors.ts';
import { MAX_REPLACEMENTS } from './repair-options.ts';
import type { SentBefore } from './sent-before.ts';
import {
  type BadRow,
  type CheckedRow,
  COLUMN_NAME_CHARS,
  COLUMN_TYPES,
  cellEdits,
  type LateStart,
  MAX_CHECKED_ROWS,
  MAX_COLUMNS,
  MAX_REPAIRS,
  type OtherReading,
  type ProblemGroup,
  repair,
  replacement,
  rowStart,
} from './upload-model.ts';
import type { ValueLedger } from './value-ledger.ts';
import * as z from './zod.ts';

/** Targets of a column of a file: one of the four buckets, or an origin field of an item (F3.2). */
export const ITEM_PLACES = [...BUCKETS, 'source_name', 'source_id'] as const;
export type ItemPlace = (typeof ITEM_PLACES)[number];

export const itemColumn = z.strictObject({
  /** Column name in the file. */
  source: z.string().max(COLUMN_NAME_CHARS),
  /** Null: the column is left out. */
  place: z.enum(ITEM_PLACES).nullable(),
  /** Key in the bucket. Empty if the value is an object, whose keys become keys of the bucket. */
  field: z.string().max(COLUMN_NAME_CHARS),
  type: z.enum(COLUMN_TYPES),
  /** How the values of the column are parsed, like `columnPlan.reading`. */
  reading: columnReading.optional(),
});
export type ItemColumn = z.infer<typeof itemColumn>;

const MAX_ITEMS_A_REQUEST = 1_000;

export const itemsPlan = z.strictObject({
  /** Empty if the dataset must be created first. */
  datasetId: z.string().max(100),
  datasetName: z.string().max(500),
  /** The dataset does not exist yet: it is created first, with its name, in this application. */
  newIn: z.strictObject({ applicationId: z.string().min(1).max(100) }).optional(),
  /** The rows are a changed copy of another dataset; `changes` is the number of changes. */
  copyOf: z
    .strictObject({
      datasetId: z.string().max(100),
      name: z.string().max(500),
      version: z.int().min(1),
      changes: z.int().min(0),
      /** Number of items that were chosen from the original dataset; absent: all of them. */
      chosen: z.int().min(1).optional(),
    })
    .optional(),
  /** The rows are results of this experiment over the dataset, not items of the dataset (shared/result-columns.ts). */
  experiment: z.strictObject({ id: z.string().min(1).max(100), name: z.string().max(500) }).optional(),
  fileId: z.string().max(100),
  fileName: z.string().max(1_000),
  dialect,
  columns: z.array(itemColumn).max(MAX_COLUMNS),
  /** `{"a":{"b":1}}` becomes the key `a.b`. */
  flattens: z.boolean(),
  /** As in the plan of an upload. */
  repairs: z.array(repair).max(MAX_REPAIRS).optional(),
  replacements: z.array(replacement).max(MAX_REPLACEMENTS).optional(),
  cellEdits: cellEdits.optional(),
  onBadRow: z.enum(['stop', 'skip']),
  itemsPerRequest: z.int().min(1).max(MAX_ITEMS_A_REQUEST),
});
export type ItemsPlan = z.infer<typeof itemsPlan>;
export const itemsContract = {
  /** Why a text cannot replace a value of a column; null if it can. */
  'datasets:check-value': z.strictObject({
    connectionId: z.uuid(),
    plan: itemsPlan,
    source: z.string().max(COLUMN_NAME_CHARS),
    text: z.string().max(COLUMN_NAME_CHARS).nullable(),
  }),
  /**
   * Single rows of the file with their check results. `plan.columns` must be as the check of the file returned them.
   */
  'datasets:check-rows': z.strictObject({
    connectionId: z.uuid(),
    plan: itemsPlan,
    places: z.array(rowStart).max(MAX_CHECKED_ROWS),
  }),
};
export interface ItemsResults {
  'datasets:check-value': { problem: string | null };
  'datasets:check-rows': CheckedRow[];
}

/** The operation that adds the rows of the file. */
export const itemsOperation = ({ experiment }: Pick<ItemsPlan, 'experiment'>) =>
  experiment === undefined ? 'datasets.add-items' : 'experiments.add-results';

/**
 * Suggested name of the new dataset: `Edited copy of Support assistant`, `Support assistant, version 2`, or the name of
 * the file.
 */
export function itemsTitle({ copyOf, fileName }: Pick<ItemsPlan, 'copyOf' | 'fileName'>): string {
  if (copyOf === undefined) return fileName;
  if (copyOf.chosen !== undefined) return `${counted(copyOf.chosen, 'item')} of ${copyOf.name}`;
  return copyOf.changes > 0 ? `Edited copy of ${copyOf.name}` : `${copyOf.name}, version ${copyOf.version}`;
}

export type ItemReading = Pick<
  ItemsPlan,
  'dialect' | 'columns' | 'flattens' | 'repairs' | 'replacements' | 'cellEdits'
>;

/** The part of a plan that says how rows become items. */
export function itemReading(plan: ItemReading): ItemReading {
  const { dialect, columns, flattens, repairs, replacements, cellEdits: edits } = plan;
  return {
    ...{ dialect, columns, flattens },
    ...(repairs === undefined ? {} : { repairs }),
    ...(replacements === undefined ? {} : { replacements }),
    ...(edits === undefined ? {} : { cellEdits: edits }),
  };
}

/** Position at which a row begins in its file. */
export const filePlace = z.strictObject({ byteOffset: z.int(), line: z.int(), row: z.int() });
export type FilePlace = z.infer<typeof filePlace>;

export interface ExtractedItem {
  /** 1-based, without the header. */
  row: number;
  line: number;
  /** Position at which the row starts. */
  start: FilePlace;
  id: string;
  /** The item as JSON text, with every digit as in the file. */
  json: string;
}

/** Rows of one section of a file. */
export interface ExtractedItems {
  items: ExtractedItem[];
  bad: BadRow[];
  rows: number;
  /** Number of items with each key, by `bucket.key`. */
  fields: Record<string, number>;
  /** Start of the next section; null at the end of the file. */
  end: FilePlace | null;
  /** State of the file that was read. */
  state: { sizeBytes: number; mtimeMs: number };
}

/** Columns and counts that follow from reading all rows of a file. */
export interface SettledItems {
  columns: ItemColumn[];
  questions: ColumnQuestion[];
  ledger: ValueLedger;
  /** Keys of rows that are in no column. */
  newKeys: string[];
  problems: ProblemGroup[];
  /** Rows with the same source id as an earlier row. */
  unusualRows: number;
  repairedRows: number;
  notes: string[];
  otherReading: OtherReading | null;
}

/** The result of checking the whole file; nothing was sent. */
export interface ItemsCheck {
  rows: number;
  items: number;
  badRows: number;
  /** Items that are added although a value is outside the known values of its column: rows = good + unusual + bad. */
  unusualRows: number;
  /** Good or unusual rows with a replaced or repaired value. */
  repairedRows: number;
  /** Values that do not fit, most rows first. */
  problems: ProblemGroup[];
  /** Hints for the person that make no row bad. */
  notes: string[];
  firstBad: BadRow[];
  requests: number;
  sizeBytes: number;
  /** Number of items with each key, by `bucket.key`. */
  fields: Record<string, number>;
  /** The first items, as they would be sent. */
  sample: { line: number; item: Record<string, unknown> }[];
  /** Values that are sent changed, and values that are not added. */
  ledger: ValueLedger;
  /** Columns that can be parsed in two ways; nothing is added until the plan answers the question of each. */
  questions: ColumnQuestion[];
  otherReading?: OtherReading | null;
  /** Columns of the plan with the decisions of the whole file. */
  columns?: ItemColumn[];
  /** Hexadecimal hash of the contents. */
  sha256?: string;
  /** Earlier additions of the same content to the same dataset, newest first. */
  addedBefore?: SentBefore[];
}

export const ITEMS_STATES = [
  'ready',
  'running',
  'waiting',
  'paused',
  'needs-decision',
  'done',
  'cancelled',
  'failed',
] as const;
export type ItemsState = (typeof ITEMS_STATES)[number];

export const ITEM_PART_STATES = [
  'pending',
  'sending',
  'acknowledged',
  'refused',
  'unknown',
  'given-up',
] as const;

/** One request with items. */
export interface ItemsPart {
  part: number;
  items: number;
  firstRow: number;
  lastRow: number;
  state: (typeof ITEM_PART_STATES)[number];
  sentAtMs: number | null;
  answeredAtMs: number | null;
  requestId: string | null;
  error: WireError | null;
  /** For one without an answer: items found when the dataset was read back. */
  evidence: { found: number; atMs: number } | null;
}

export interface ItemsJob {
  itemsId: string;
  connectionId: string;
  plan: ItemsPlan;
  state: ItemsState;
  reason: string;
  error: WireError | null;
  /** rows = badRows + added + refused + unknown + givenUp + unsent, once the file was checked. */
  counts: {
    rows: number | null;
    badRows: number;
    added: number;
    refused: number;
    unknown: number;
    givenUp: number;
    /** Number of added items with unknown ids, because the answer was not a valid receipt. Absent if 0. */
    doubtful?: number;
  };
  requests: number;
  startAtMs: number | null;
  lateStart: LateStart | null;
  createdAtMs: number;
  endedAtMs: number | null;
}
