/** The channels that change things at the service, and follow the jobs that takes; merged into contract.ts. */
import { z } from 'zod';
import type { WireError } from './errors.ts';
import { boundedBody } from './json-body.ts';
import { viewId } from './model.ts';

const connectionId = z.uuid();

export const resourceContract = {
  /**
   * One operation of the endpoint table that changes something. Main checks the body, which is bounded, by the
   * operation's schema; unknown fields are sent as they are. Operations with a way of their own (events, files, items from spans) are
   * refused: their channels keep what was sent.
   */
  'resources:act': z.strictObject({
    connectionId,
    operation: z.string().max(60),
    path: z.record(z.string().max(60), z.string().min(1).max(500)),
    query: z.record(z.string().max(60), z.string().max(4_000)),
    body: boundedBody.nullable(),
  }),
  /**
   * Follows an asynchronous job for a view until it ends. `library:release` of the view ends the following, not
   * the job. Opening the same job anew asks at once.
   */
  'resources:watch-job': z.strictObject({ connectionId, viewId, jobId: z.string().min(1).max(200) }),
} as const;

export interface ActResult {
  /** HTTP status of the answer. */
  status: number;
  /** What the service answered, unknown fields kept; null where it answered nothing. An array is `{items}`. */
  record: Record<string, unknown> | null;
  /** Row of the request log. */
  requestId: string;
  /** The job that does it, where the answer names one (deletion of an application). */
  job: { id: string; name: string } | null;
}

/** An asynchronous job as far as it is known. */
export interface JobState {
  jobId: string;
  name: string | null;
  /** PENDING, STARTED, RETRY, SUCCESS, FAILURE, REVOKED or what the service says; null until it was read once. */
  status: string | null;
  /** 0 to 100, as the service gives it. */
  progress: number | null;
  errorMessage: string | null;
  isOver: boolean;
  /** Wall time of the latest answer. */
  checkedAtMs: number | null;
  /** Why the latest look did not work; the job itself goes on, and it is looked at again. Null after an answer. */
  error: WireError | null;
}

export interface ResourceResults {
  'resources:act': ActResult;
  'resources:watch-job': JobState;
}

export interface ResourceEvents {
  'resources:job-changed': { connectionId: string; job: JobState };
}
