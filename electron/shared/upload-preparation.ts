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

/** Steps of the form. Older preparations can be at the check, which has since become a part of the mapping. */
const storedStep = z
  .enum([...UPLOAD_STEPS, 'check'])
  .transform((step): UploadStep => (step === 'check' ? 'mapping' : step));

/** Typed text is stored unchanged; the bounds of a plan apply only when it is sent. */
const typed = z.string().max(10_000);

/** A person's choice that differs from the suggestion for a column. */
const columnEdit = z.strictObject({
  target: typed.nullable().optional(),
  type: z.enum(COLUMN_TYPES).optional(),
  /** How to parse values that can be parsed in two ways. */
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
  /** Whether the file is sent row by row or raw. */
  sendAs: z.enum(['rows', 'whole']).optional(),
  /** For a raw file: whether the rows are published as events. */
  publishes: z.boolean().optional(),
  /** Null if the typed text is not a number. */
  batchRows: z.number().nullable(),
  onBadRow: rowPolicy,
  edits: z.record(z.string(), columnEdit),
  constants: z.array(constantColumn).max(MAX_CONSTANTS).optional(),
  repairs: z.array(repair).max(MAX_REPAIRS).optional(),
  replacements: z.array(replacement).max(MAX_REPLACEMENTS).optional(),
  cellEdits: cellEdits.optional(),
  /** Whether keys that appear only after the first rows are sent too. */
  takesNewKeys: z.boolean().optional(),
  isRecalled: z.boolean(),
  /** Position among the files in preparation, if a person changed the order. */
  place: z.int().min(0).max(100_000).optional(),
  /** The saved mapping that was used. */
  preset: z.string().max(100).nullish(),
  /** Text of the date-and-time field for a later start; null for now. */
  startsAt: z.string().max(100).nullable(),
  /** The last check of the whole file. */
  dryRunId: z.string().max(100).nullable(),
});
export type UploadChoices = z.infer<typeof uploadChoices>;

/** A preparation as restored after a start of the application. */
export interface PreparedUpload {
  preparationId: string;
  /** The file; it has an error if it cannot be read now. */
  file: OfferedFile;
  /** State of the file when the choices were stored, if it has changed since; null if it is unchanged, or missing. */
  changedFrom: { sizeBytes: number; mtimeMs: number } | null;
  /** Null if the stored choices cannot be read: the file is kept, and its choices are the initial ones. */
  choices: UploadChoices | null;
  /** The check of the whole file, if the file has not changed since. */
  check: { dryRun: DryRun; plan: UploadPlan } | null;
  changedAtMs: number;
}
