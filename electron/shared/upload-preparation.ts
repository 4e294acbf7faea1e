/** A file being prepared for upload, and the choices made so far. */
import { columnReading } from './column-reading.ts';
import { dialect } from './dialect.ts';
import { MAX_REPLACEMENTS } from './repair-options.ts';
import { rowPolicy } from './row-policy.ts';
import {
  COLUMN_TYPES,
  cellEdits,
  constantColumn,
  type DryRun,
  MAX_CONSTANTS,
  MAX_REPAIRS,
  type OfferedFile,
  repair,
  replacement,
  type UploadPlan,
} from './upload-model.ts';
import * as z from './zod.ts';

export const UPLOAD_STEPS = ['file', 'mapping', 'send'] as const;
export type UploadStep = (typeof UPLOAD_STEPS)[number];

/** Preparations that were stored before the check became a part of the mapping can name it as a step. */
const storedStep = z
  .enum([...UPLOAD_STEPS, 'check'])
  .transform((step): UploadStep => (step === 'check' ? 'mapping' : step));

/** Typed text is stored unchanged: the bounds of a plan only apply to sent data. */
const typed = z.string().max(10_000);

/** A person's choice that differs from the suggestion for a column. */
const columnEdit = z.strictObject({
  target: typed.nullable().optional(),
  type: z.enum(COLUMN_TYPES).optional(),
  /** For values that can be parsed in two ways. */
  reading: columnReading.optional(),
});
export type ColumnEdit = z.infer<typeof columnEdit>;

export const uploadChoices = z.strictObject({
  step: storedStep,
  /** Changes to how the file is parsed. */
  dialect: dialect.partial(),
  model: z.strictObject({ id: z.uuid(), name: typed }).nullable(),
  envType: typed,
  envName: typed,
  mode: z.enum(['publish', 'update']),
  /** Row by row, or as a raw file. */
  sendAs: z.enum(['rows', 'whole']).optional(),
  /** For a raw file: its rows are stored. */
  publishes: z.boolean().optional(),
  /** Null if the typed text is not a number. */
  batchRows: z.number().nullable(),
  onBadRow: rowPolicy,
  edits: z.record(z.string(), columnEdit),
  constants: z.array(constantColumn).max(MAX_CONSTANTS).optional(),
  repairs: z.array(repair).max(MAX_REPAIRS).optional(),
  replacements: z.array(replacement).max(MAX_REPLACEMENTS).optional(),
  cellEdits: cellEdits.optional(),
  /** Keys that appear after the first rows are sent too. */
  takesNewKeys: z.boolean().optional(),
  isRecalled: z.boolean(),
  /** Its position among the files in preparation, if a person chose one. */
  place: z.int().min(0).max(100_000).optional(),
  /** The saved mapping that was used. */
  preset: z.string().max(100).nullish(),
  /** Text of the date-and-time field for a later start; null for now. */
  startsAt: z.string().max(100).nullable(),
  /** The last check of the whole file. */
  dryRunId: z.string().max(100).nullable(),
});
export type UploadChoices = z.infer<typeof uploadChoices>;

/** The state restored after a start. */
export interface PreparedUpload {
  preparationId: string;
  /** Has an error if it cannot be read now. */
  file: OfferedFile;
  /** State of the file when the choices were stored; null if it is unchanged, or missing. */
  changedFrom: { sizeBytes: number; mtimeMs: number } | null;
  /** Null if the stored choices cannot be read: the file is kept, and the choices start again. */
  choices: UploadChoices | null;
  /** The check of the whole file, while the file is unchanged. */
  check: { dryRun: DryRun; plan: UploadPlan } | null;
  changedAtMs: number;
}
