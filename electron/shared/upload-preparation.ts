/** A file that is being prepared for upload, and what was chosen for it so far. */
import { z } from 'zod';
import { columnReading } from './column-reading.ts';
import { dialect } from './dialect.ts';
import { rowPolicy } from './row-policy.ts';
import {
  COLUMN_TYPES,
  cellEdits,
  constantColumn,
  type DryRun,
  MAX_REPLACEMENTS,
  MOST_CONSTANTS,
  MOST_REPAIRS,
  type OfferedFile,
  repair,
  replacement,
  type UploadPlan,
} from './upload-model.ts';

export const UPLOAD_STEPS = ['file', 'mapping', 'check', 'send'] as const;
export type UploadStep = (typeof UPLOAD_STEPS)[number];

/** What is typed is kept as it was typed: the bounds of a plan are for what is sent. */
const typed = z.string().max(10_000);

/** A choice that a person made against the proposal for a column. */
const columnEdit = z.strictObject({
  target: typed.nullable().optional(),
  type: z.enum(COLUMN_TYPES).optional(),
  /** Of values that can be read in two ways. */
  reading: columnReading.optional(),
});
export type ColumnEdit = z.infer<typeof columnEdit>;

export const uploadChoices = z.strictObject({
  step: z.enum(UPLOAD_STEPS),
  /** What was changed of how the file is read. */
  dialect: dialect.partial(),
  model: z.strictObject({ id: z.uuid(), name: typed }).nullable(),
  envType: typed,
  envName: typed,
  mode: z.enum(['publish', 'update']),
  /** Row by row, or the file as it is. */
  way: z.enum(['rows', 'whole']).optional(),
  /** Of a file that is sent as it is: its rows are stored. */
  publishes: z.boolean().optional(),
  /** Null where what is typed is no number. */
  batchRows: z.number().nullable(),
  onBadRow: rowPolicy,
  edits: z.record(z.string(), columnEdit),
  constants: z.array(constantColumn).max(MOST_CONSTANTS).optional(),
  repairs: z.array(repair).max(MOST_REPAIRS).optional(),
  replacements: z.array(replacement).max(MAX_REPLACEMENTS).optional(),
  cellEdits: cellEdits.optional(),
  /** Keys that come up behind the first rows are sent, too. */
  takesNewKeys: z.boolean().optional(),
  isRecalled: z.boolean(),
  /** Its place among the files in preparation, where a person gave it one. */
  place: z.int().min(0).max(100_000).optional(),
  /** The saved mapping that was used. */
  preset: z.string().max(100).nullish(),
  /** Text of the date-and-time field where it is to start later; null for now. */
  startsAt: z.string().max(100).nullable(),
  /** The last check of the whole file. */
  dryRunId: z.string().max(100).nullable(),
});
export type UploadChoices = z.infer<typeof uploadChoices>;

/** As it comes back after a start. */
export interface PreparedUpload {
  preparationId: string;
  /** With its error where it cannot be read now. */
  file: OfferedFile;
  /** The file as it was when the choices were kept; null where it is still the same, or not there. */
  changedFrom: { sizeBytes: number; mtimeMs: number } | null;
  /** Null where what was kept cannot be read: the file is there, and its choices are made anew. */
  choices: UploadChoices | null;
  /** The check of the whole file, while the file is still the same. */
  check: { dryRun: DryRun; plan: UploadPlan } | null;
  changedAtMs: number;
}
