/** The channels of files, uploads and event deletion that are not common to all jobs; merged into contract.ts. */
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
  /** Offers dropped files. Paths come from the preload, never from the page. */
  'uploads:offer-files': z.strictObject({ paths: z.array(z.string().max(4_096)).min(1).max(500) }),
  'uploads:choose-files': z.undefined(),
  /** Offers the file with problems of the sample workspace. */
  'uploads:offer-sample': z.strictObject({ connectionId }),
  'uploads:inspect': z.strictObject({ connectionId, fileId, dialect: dialect.partial().nullable() }),
  /** Profiles of a file's columns over all rows; takes as long as reading the file. */
  'uploads:profile': z.strictObject({ connectionId, fileId, dialect: dialect.partial().nullable() }),
  'uploads:start-dry-run': z.strictObject({ connectionId, plan: uploadPlan }),
  'uploads:cancel-dry-run': z.strictObject({ connectionId, dryRunId: z.string().max(100) }),
  /** The present result of a check: the same contents may have been sent since it was made. */
  'uploads:get-dry-run': z.strictObject({ connectionId, dryRunId: z.string().max(100) }),
  /** Single rows of the file with their check results. */
  'uploads:check-rows': z.strictObject({
    connectionId,
    dryRunId: z.string().max(100),
    places: z.array(rowStart).max(MAX_CHECKED_ROWS),
  }),
  /** Whether this text can replace a value of a column; null means no value. */
  'uploads:check-value': z.strictObject({
    connectionId,
    dryRunId: z.string().max(100),
    source: z.string().max(COLUMN_NAME_CHARS),
    text: z.string().max(COLUMN_NAME_CHARS).nullable(),
  }),
  /** The report on values from the check before an upload. */
  'uploads:read-check': z.strictObject({ connectionId, jobId: z.string().max(100) }),
  /** The choices made so far for a file, stored so that a quit loses nothing; null: the preparation is discarded. */
  'uploads:keep-preparation': z.strictObject({
    connectionId,
    preparationId: z.string().min(1).max(100),
    /** `isRestored`: undoes the sending or discarding of the preparation. */
    chosen: z.strictObject({ fileId, choices: uploadChoices, isRestored: z.boolean().optional() }).nullable(),
  }),
  'uploads:list-preparations': z.strictObject({ connectionId }),
  'uploads:list-bad-rows': z.strictObject({
    connectionId,
    /** Id of a dry run or of a job. */
    ownerId: z.string().max(100),
    offset: z.int().min(0),
    limit: z.int().min(1).max(200),
  }),
  /** Deletes the events announced by `jobs:plan`; rejected if they have changed since. */
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
  /** Why the text cannot replace the value; null if it can. */
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
