/**
 * A pack: stored data of chosen applications, datasets, experiments, charts and views in one encrypted file, shared by
 * both processes.
 */
import type { Connection } from './model.ts';
import * as z from './zod.ts';

const MAX_DATE_MS = 8_640_000_000_000_000;
/** A wall time in milliseconds within the range of dates. */
export const packTime = z
  .number('a time in milliseconds since 1970')
  .min(-MAX_DATE_MS, 'a time that is a date')
  .max(MAX_DATE_MS, 'a time that is a date');

/** Version of a pack's contents, and of the file's head. */
export const PACK_VERSION = 1;
export const MIN_PASSPHRASE = 12;

const id = z.string().min(1).max(200);
const named = z.strictObject({ id, name: z.string().max(500) });
export type Named = z.infer<typeof named>;

export const packChoice = z.strictObject({
  applications: z.array(id).max(1_000),
  datasets: z.array(id).max(1_000),
  /** Experiments, with their results. */
  experiments: z.array(id).max(1_000),
  /** Saved charts, by id. */
  charts: z.array(id).max(1_000),
  /** Saved views, by id. Views that refer to unchosen data, or contain masked text, are left out. */
  views: z.array(id).max(1_000),
  /**
   * Patterns of masked fields, such as `input` and `attributes.user.*`. A pattern matches any path that ends with it.
   */
  redact: z.array(z.string().min(1).max(200)).max(200),
});
export type PackChoice = z.infer<typeof packChoice>;

/** The head of a pack, before its contents. */
export const packManifest = z.strictObject({
  format: z.literal('spandeck-pack'),
  version: z.int(),
  name: z.string().min(1).max(80),
  madeAtMs: packTime,
  /** Times of the oldest and newest answers in the pack. */
  oldestMs: packTime.nullable(),
  newestMs: packTime.nullable(),
  applications: z.array(named),
  datasets: z.array(named),
  /** Absent in older packs. */
  experiments: z.array(named).default([]),
  charts: z.array(named),
  views: z.array(named),
  redact: z.array(z.string().max(200)),
  lists: z.int().min(0),
  records: z.int().min(0),
  rows: z.int().min(0),
  /** Uncompressed size of the contents; reading stops there. */
  contentBytes: z.int().min(0),
});
export type PackManifest = z.infer<typeof packManifest>;

/** Data that is available for a pack, data that was chosen, and the totals. */
export interface PackPlan {
  available: Record<'applications' | 'datasets' | 'experiments' | 'charts' | 'views', Named[]>;
  lists: number;
  records: number;
  rows: number;
  /** Stored size; the file is usually much smaller. */
  sizeBytes: number;
  oldestMs: number | null;
  newestMs: number | null;
  /** Fields of the chosen records, the most frequent first, each with a sample value. */
  fields: { path: string; count: number; sample: string; isMasked: boolean }[];
}

export interface PackMade {
  file: string;
  sizeBytes: number;
  manifest: PackManifest;
}

const connectionId = z.uuid();
/** Never logged, never stored. */
const passphrase = z.string().min(1).max(1_000);

export const packContract = {
  'pack:act': z.discriminatedUnion('action', [
    z.strictObject({ action: z.literal('plan'), connectionId, choice: packChoice }),
    /** Asks where to save it. Null if cancelled. */
    z.strictObject({
      action: z.literal('create'),
      connectionId,
      choice: packChoice,
      passphrase: passphrase.min(MIN_PASSPHRASE),
    }),
    /** Asks for the file. Null if cancelled. */
    z.strictObject({ action: z.literal('choose') }),
    /** Opens the last chosen file. */
    z.strictObject({ action: z.literal('open'), passphrase }),
    z.strictObject({ action: z.literal('cancel') }),
  ]),
} as const;

export interface PackAnswers {
  plan: PackPlan;
  create: (PackMade & { fileName: string }) | null;
  choose: { fileName: string; sizeBytes: number } | null;
  open: Connection;
  cancel: null;
}
