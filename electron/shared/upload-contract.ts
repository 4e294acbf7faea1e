/** The channels of uploads and event deletion; merged into contract.ts. */
import { z } from 'zod';
import { dialect } from './dialect.ts';
import type * as u from './upload-model.ts';
import { uploadPlan } from './upload-model.ts';
import { type PreparedUpload, uploadChoices } from './upload-preparation.ts';

const connectionId = z.uuid();
const jobId = z.string().max(100);
const fileId = z.string().max(100);
const wallTime = z.int().min(0).max(8_640_000_000_000_000);

export const uploadContract = {
  /** Paths come from the preload (dropped files), never from the page. */
  'uploads:offer-files': z.strictObject({ paths: z.array(z.string().max(4_096)).min(1).max(500) }),
  'uploads:choose-files': z.undefined(),
  'uploads:inspect': z.strictObject({ fileId, dialect: dialect.partial().nullable() }),
  'uploads:start-dry-run': z.strictObject({ connectionId, plan: uploadPlan }),
  'uploads:cancel-dry-run': z.strictObject({ connectionId, dryRunId: z.string().max(100) }),
  'uploads:create-job': z.strictObject({
    connectionId,
    plan: uploadPlan,
    startsNow: z.boolean(),
    /** Wall time at which it begins by itself; then `startsNow` is not looked at. */
    startAtMs: wallTime.nullish(),
    /** What it was prepared as: that ends with it. */
    preparationId: z.string().max(100).nullish(),
  }),
  /** What was chosen so far for a file, written down so that a quit loses nothing. */
  'uploads:keep-preparation': z.strictObject({
    connectionId,
    preparationId: z.string().min(1).max(100),
    fileId,
    choices: uploadChoices,
  }),
  'uploads:list-preparations': z.strictObject({ connectionId }),
  'uploads:forget-preparation': z.strictObject({ connectionId, preparationId: z.string().max(100) }),
  'uploads:list-jobs': z.strictObject({ connectionId }),
  'uploads:get-job': z.strictObject({ connectionId, jobId }),
  'uploads:control-job': z.strictObject({
    connectionId,
    jobId,
    /** `schedule`: begins, or goes on, by itself at `startAtMs`. */
    action: z.enum(['start', 'pause', 'resume', 'cancel', 'gather-evidence', 'schedule']),
    startAtMs: wallTime.nullish(),
  }),
  'uploads:list-batches': z.strictObject({
    connectionId,
    jobId,
    states: z.array(z.string().max(20)).nullable(),
    offset: z.int().min(0),
    limit: z.int().min(1).max(200),
  }),
  'uploads:list-bad-rows': z.strictObject({
    connectionId,
    /** A dry run or a job. */
    ownerId: z.string().max(100),
    offset: z.int().min(0),
    limit: z.int().min(1).max(200),
  }),
  'uploads:decide-batch': z.strictObject({
    connectionId,
    jobId,
    batch: z.int().min(0),
    /** `stored`: count it as acknowledged without ids; `resend`: send again; `give-up`: leave it unsent. */
    decision: z.enum(['stored', 'resend', 'give-up']),
  }),
  /** Asks where to save, then writes the file. Null where the person cancelled. */
  'uploads:save-file': z.strictObject({
    connectionId,
    ownerId: z.string().max(100),
    what: z.enum(['receipts', 'refused-rows', 'bad-rows']),
  }),
  'uploads:forget-job': z.strictObject({ connectionId, jobId }),
  'events:delete': z.strictObject({
    connectionId,
    modelId: z.uuid(),
    eventIds: z.array(z.string().max(500)).max(100_000).nullable(),
    timeRange: z.strictObject({ startTime: z.string().max(40), endTime: z.string().max(40) }).nullable(),
    updateMetrics: z.boolean(),
    /** Wall time at which it is sent by itself; absent and null: now. */
    startAtMs: wallTime.nullish(),
  }),
  /** For a deletion that is to start later: `start` sends it now, `schedule` sets another time. */
  'events:control-deletion': z.strictObject({
    connectionId,
    deletionId: z.string().max(100),
    action: z.enum(['start', 'schedule', 'cancel']),
    startAtMs: wallTime.nullish(),
  }),
  'events:list-deletions': z.strictObject({ connectionId }),
} as const;

export interface UploadResults {
  'uploads:offer-files': u.OfferedFile[];
  'uploads:choose-files': u.OfferedFile[];
  'uploads:inspect': u.FilePreview;
  'uploads:start-dry-run': u.DryRun;
  'uploads:cancel-dry-run': u.DryRun;
  'uploads:create-job': u.UploadJob;
  'uploads:keep-preparation': null;
  'uploads:list-preparations': PreparedUpload[];
  'uploads:forget-preparation': null;
  'uploads:list-jobs': u.UploadJob[];
  'uploads:get-job': u.UploadJob;
  'uploads:control-job': u.UploadJob;
  'uploads:list-batches': { batches: u.UploadBatch[]; total: number };
  'uploads:list-bad-rows': { rows: u.BadRow[]; total: number };
  'uploads:decide-batch': u.UploadJob;
  'uploads:save-file': { fileName: string } | null;
  'uploads:forget-job': null;
  'events:delete': u.EventDeletion;
  'events:control-deletion': u.EventDeletion;
  'events:list-deletions': { deletions: u.EventDeletion[]; budget: u.DeletionBudget };
}

export interface UploadEvents {
  'uploads:job-changed': { connectionId: string; job: u.UploadJob };
  'uploads:dry-run-changed': { connectionId: string; dryRun: u.DryRun };
  'events:deletion-changed': { connectionId: string; deletion: u.EventDeletion; budget: u.DeletionBudget };
}
