/** Uploads: rows of a file, sent as events. Pure. */
import { type UploadJob, uploadPlan } from '../upload-model.ts';
import * as z from '../zod.ts';
import { ifPlanned, type JobKind, type JobOf, type JobPhase, RUNNING, told, WRITES } from './job-kind.ts';

export const uploadKind = {
  id: 'upload',
  storedAs: 'upload',
  damaged: { noun: 'upload', goes: 'with its receipts and refused rows' },
  plan: z.strictObject({
    upload: uploadPlan,
    /** False: the job waits to be started. Ignored with a `startAtMs`. */
    startsNow: z.boolean(),
    /** The preparation of the file, which ends when the job is created. */
    preparationId: z.string().max(100).nullish(),
    told,
  }),
  noRepeat: WRITES,
  actions: [...RUNNING, 'cancel', 'gather-evidence'],
  parts: [
    'pending',
    'sending',
    'acknowledged',
    'refused',
    'unknown',
    'cancelled',
    // Acknowledged, but the answer is not a receipt of the rows.
    'doubtful',
  ],
  // `bad-rows` also accepts the id of a dry run.
  files: ['receipts', 'refused-rows', 'bad-rows'],
} as const satisfies JobKind;

export const UPLOAD_STATES: Readonly<Record<UploadJob['state'], JobPhase>> = {
  ready: 'ready',
  scheduled: 'ready',
  running: 'running',
  waiting: 'waiting',
  paused: 'paused',
  'needs-decision': 'needs-decision',
  done: 'done',
  cancelled: 'cancelled',
  failed: 'failed',
};

export function uploadAsJob(own: UploadJob): JobOf<'upload', UploadJob> {
  const { jobId: id, fileName: title, state, reason, error, counts, batches, plan } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  const operation = plan.mode === 'publish' ? 'events.publish' : 'events.update';
  // Rows are counted only after the file has been read; smaller batches after a rejection are not predicted.
  const count = () => Math.max(1, Math.ceil((counts.unsent || counts.rows) / plan.batchRows));
  return {
    ...{ kind: 'upload', id, title, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    state: UPLOAD_STATES[state],
    progress: { done: counts.rows - counts.unsent, total: counts.rows === 0 ? null : counts.rows },
    unknown: batches.unknown,
    requests: ifPlanned(own, () => [{ operation, count: count() }]),
    of: null,
  };
}
