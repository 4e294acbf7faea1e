/** The channels of files, uploads and event deletion, besides those of all jobs; merged into contract.ts. */
import { dialect } from './dialect.ts';
import type { FileProfile } from './file-profile.ts';
import { wallTime } from './job-contract.ts';
import type * as u from './upload-model.ts';
import { COLUMN_NAME_CHARS, MAX_CHECKED_ROWS, rowStart, uploadPlan } from './upload-model.ts';
import { type PreparedUpload, uploadChoices } from './upload-preparation.ts';
import type { ValueLedger } from './value-ledger.ts';
import * as z from './zod.ts';

const connectionId = z.uuid();
const fileId = z.string().max(100);

export const uploadContract = {
  /** Paths come from the preload (dropped files), never from the page. */
  'uploads:offer-files': z.strictObject({ paths: z.array(z.string().max(4_096)).min(1).max(500) }),
  'uploads:choose-files': z.undefined(),
  /** The file with problems of the sample workspace. */
  'uploads:offer-sample': z.strictObject({ connectionId }),
  'uploads:inspect': z.strictObject({ connectionId, fileId, dialect: dialect.partial().nullable() }),
  /** Profiles of its columns over every row; takes as long as reading it. */
  'uploads:profile': z.strictObject({ connectionId, fileId, dialect: dialect.partial().nullable() }),
  'uploads:start-dry-run': z.strictObject({ connectionId, plan: uploadPlan }),
  'uploads:cancel-dry-run': z.strictObject({ connectionId, dryRunId: z.string().max(100) }),
  /** The current state: the same contents may have been sent since. */
  'uploads:get-dry-run': z.strictObject({ connectionId, dryRunId: z.string().max(100) }),
  /** Single rows of the file with their check results. */
  'uploads:check-rows': z.strictObject({
    connectionId,
    dryRunId: z.string().max(100),
    places: z.array(rowStart).max(MAX_CHECKED_ROWS),
  }),
  /** Whether this text can replace a value of a column. Null: no value. */
  'uploads:check-value': z.strictObject({
    connectionId,
    dryRunId: z.string().max(100),
    source: z.string().max(COLUMN_NAME_CHARS),
    text: z.string().max(COLUMN_NAME_CHARS).nullable(),
  }),
  /** The report on values from the check of an upload. */
  'uploads:read-check': z.strictObject({ connectionId, jobId: z.string().max(100) }),
  /** The choices made so far for a file, stored so that a quit loses nothing; null: the preparation is discarded. */
  'uploads:keep-preparation': z.strictObject({
    connectionId,
    preparationId: z.string().min(1).max(100),
    /** `isRestored`: undoes that it was sent or discarded. */
    chosen: z.strictObject({ fileId, choices: uploadChoices, isRestored: z.boolean().optional() }).nullable(),
  }),
  'uploads:list-preparations': z.strictObject({ connectionId }),
  'uploads:list-bad-rows': z.strictObject({
    connectionId,
    /** A dry run or a job. */
    ownerId: z.string().max(100),
    offset: z.int().min(0),
    limit: z.int().min(1).max(200),
  }),
  /** Deletes what `jobs:plan` announced: rejected if that has changed since. */
  'uploads:undo': z.strictObject({
    connectionId,
    jobId: z.string().max(100),
    agreed: z.strictObject({ events: z.int().min(1), deletions: z.int().min(1) }),
    startAtMs: wallTime.nullish(),
  }),
  /** Remaining event deletions of the day. */
  'events:get-budget': z.strictObject({ connectionId }),
} as const;

export interface UploadResults {
  'uploads:offer-files': u.OfferedFile[];
  'uploads:choose-files': u.OfferedFile[];
  'uploads:offer-sample': u.OfferedFile[];
  'uploads:inspect': u.FilePreview;
  'uploads:profile': FileProfile;
  'uploads:start-dry-run': u.DryRun;
  'uploads:cancel-dry-run': u.DryRun;
  'uploads:get-dry-run': u.DryRun;
  'uploads:check-rows': u.CheckedRow[];
  /** Why it cannot, as text. */
  'uploads:check-value': { problem: string | null };
  'uploads:read-check': { ledger: ValueLedger; notes: string[] };
  'uploads:keep-preparation': null;
  'uploads:list-preparations': PreparedUpload[];
  'uploads:list-bad-rows': { rows: u.BadRow[]; total: number };
  'uploads:undo': { deletionIds: string[] };
  'events:get-budget': u.DeletionBudget;
}

export interface UploadEvents {
  'uploads:dry-run-changed': { connectionId: string; dryRun: u.DryRun };
}
