/** The channels that change records at the service, and follow the resulting jobs; merged into contract.ts. */
import type { WireError } from './errors.ts';
import { boundedBody } from './json-body.ts';
import { viewId } from './model.ts';
import { type RuleDryRun, ruleDraft } from './rule-dry-run.ts';
import * as z from './zod.ts';

const connectionId = z.uuid();

export const resourceContract = {
  /**
   * One operation of the endpoint table that changes something. Main checks the bounded body against the operation's
   * schema; unknown fields are sent unchanged. Operations with their own channel (events, files, items from spans) are
   * rejected: those channels store what was sent.
   */
  'resources:act': z.strictObject({
    connectionId,
    operation: z.string().max(60),
    path: z.record(z.string().max(60), z.string().min(1).max(500)),
    query: z.record(z.string().max(60), z.string().max(4_000)),
    body: boundedBody.nullable(),
  }),
  /**
   * Follows an asynchronous job for a view until it ends. `library:release` of the view stops following, but not the
   * job. Opening the same job again polls at once.
   */
  'resources:watch-job': z.strictObject({ connectionId, viewId, jobId: z.string().min(1).max(200) }),
  /** Tries an evaluator rule, saved or only drafted, on the stored spans of its application. Nothing is sent. */
  'resources:dry-run': z.strictObject({ connectionId, draft: ruleDraft }),
} as const;

export interface ActResult {
  /** HTTP status of the answer. */
  status: number;
  /** The service's answer, with unknown fields; null if it is empty. An array becomes `{items}`. */
  record: Record<string, unknown> | null;
  /** Row of the request log. */
  requestId: string;
  /** The asynchronous job that the answer names, e.g. for the deletion of an application; otherwise null. */
  job: { id: string; name: string } | null;
}

/** The last known state of an asynchronous job. */
export interface JobState {
  jobId: string;
  name: string | null;
  /**
   * PENDING, STARTED, RETRY, SUCCESS, FAILURE, REVOKED or another text of the service; null until the job was read
   * once.
   */
  status: string | null;
  /** 0 to 100, as stated by the service. */
  progress: number | null;
  errorMessage: string | null;
  isOver: boolean;
  /** Wall time of the latest answer. */
  checkedAtMs: number | null;
  /** Why the latest poll failed; the job itself continues and is polled again. Null after an answer. */
  error: WireError | null;
}

export interface ResourceResults {
  'resources:act': ActResult;
  'resources:watch-job': JobState;
  'resources:dry-run': RuleDryRun;
}

export interface ResourceEvents {
  'resources:job-changed': { connectionId: string; job: JobState };
}
