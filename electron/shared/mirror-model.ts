/** Mirrors: stored tables as Parquet files in a folder, for notebooks. */
import type { WireError } from './errors.ts';
import type { ExportState } from './export-model.ts';
import type { Repeat } from './repeat-model.ts';
import type { LateStart } from './upload-model.ts';
import * as z from './zod.ts';

export const MIRROR_FORMAT = 'spandeck-mirror';
/** Incremented if a change of the catalog would mislead older readers. */
export const MIRROR_VERSION = 1;
export const CATALOG_FILE = 'catalog.json';

export const mirrorPlan = z.strictObject({
  /** Names as in SQL; null: all stored tables. */
  tables: z.array(z.string().min(1).max(200)).min(1).max(1_000).nullable(),
});
export type MirrorPlan = z.infer<typeof mirrorPlan>;

/** Arguments that create a mirror. */
export const newMirror = mirrorPlan.extend({
  /**
   * The id of an earlier mirror whose folder is refreshed. If absent or null, the mirror is a draft until a folder is
   * chosen.
   */
  again: z.string().min(1).max(100).nullish(),
});

const count = z.int().min(0);

/** Counts of the values in one field over all rows, so that parts can be merged without being read again. */
export const columnSummary = z.strictObject({
  key: z.string(),
  /** The numbers of `ColumnScan`, in its order. */
  counts: z.array(z.number()),
  get children() {
    return z.array(columnSummary).optional();
  },
});
export type ColumnSummary = z.infer<typeof columnSummary>;

/** Counts of the values in a time column: all, dates, with a zone, and without any time type. */
export const timeCounts = z.tuple([count, count, count, count]);
export type TimeCounts = z.infer<typeof timeCounts>;

/** A written file. */
export const mirrorPart = z.strictObject({
  /** Hash of the rows, of the columns added to them, and of the privacy rules. */
  digest: z.string(),
  /** Hash of the columns and types of the file. */
  shape: z.string(),
  /** File name in the folder of the table. */
  file: z.string().regex(/^part-[0-9a-f-]+\.parquet$/),
  rows: count,
  sizeBytes: count,
  columns: z.array(columnSummary),
  /** By the path of the column, as JSON. */
  times: z.record(z.string(), timeCounts),
});
export type MirrorPart = z.infer<typeof mirrorPart>;

const mirrorColumn = z.strictObject({
  name: z.string(),
  /** The engine's type name: BIGINT, DECIMAL(18,3), VARCHAR. */
  type: z.string(),
  /** Whether the texts are JSON. */
  json: z.boolean().optional(),
});
export type MirrorColumn = z.infer<typeof mirrorColumn>;

/** One table of a mirror as it was written; stored next to the files of the table. */
export const mirrorTable = z.strictObject({
  /** Changes whenever the rows of the table may have changed. */
  key: z.string(),
  /** Paths of the columns in order, each as JSON. */
  order: z.array(z.string()),
  columns: z.array(mirrorColumn),
  parts: z.array(mirrorPart),
});
export type MirrorTable = z.infer<typeof mirrorTable>;

/** One table in `catalog.json`. Times are ISO 8601 in UTC. */
export interface CatalogTable {
  title: string;
  rows: number;
  /** False if the stored lists of the table lack rows of the service. */
  complete: boolean;
  /** Missing rows, in words; null if there are none. */
  missing: string | null;
  /** When the oldest and the newest of its rows were read; null if unknown. */
  oldestReadAt: string | null;
  newestReadAt: string | null;
  columns: readonly MirrorColumn[];
  /** Files in the order of their rows. */
  files: readonly { path: string; rows: number; sizeBytes: number }[];
}

export interface MirrorCatalog {
  format: typeof MIRROR_FORMAT;
  version: typeof MIRROR_VERSION;
  connection: { id: string; name: string; baseUrl: string };
  writtenAt: string;
  privacy: {
    /** Patterns of fields whose values are `[redacted]`. */
    maskedFields: readonly string[];
  };
  /** Names of applications, datasets and experiments in columns of the tables, by id. */
  names: Readonly<Record<string, string>>;
  /** By name, in alphabetical order. */
  tables: Readonly<Record<string, CatalogTable>>;
}

export interface MirrorResult {
  tables: number;
  /** Number of tables that lack rows of the service. */
  incompleteTables: number;
  rows: number;
  files: number;
  sizeBytes: number;
  /** Rows and files written this time; the others had not changed. */
  rowsWritten: number;
  filesWritten: number;
}
export const mirrorResult = z.strictObject({
  tables: count,
  incompleteTables: count,
  rows: count,
  files: count,
  sizeBytes: count,
  rowsWritten: count,
  filesWritten: count,
}) satisfies z.ZodType<MirrorResult>;

export interface MirrorJob {
  mirrorId: string;
  connectionId: string;
  plan: MirrorPlan;
  /** Null until one is chosen. */
  folder: string | null;
  state: ExportState;
  reason: string;
  error: WireError | null;
  /** Rows that were checked so far. */
  rows: number;
  /** Null if not known yet. */
  totalRows: number | null;
  /** Null until the mirror is written. */
  result: MirrorResult | null;
  startAtMs: number | null;
  lateStart: LateStart | null;
  repeat?: Repeat | null;
  createdAtMs: number;
  endedAtMs: number | null;
}
