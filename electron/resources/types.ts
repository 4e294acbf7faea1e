import type { ServiceClient } from '../api/types.ts';
import type { OutboxTarget } from '../core/jobs/outbox.ts';
import type { Clock, Logger } from '../core/ports.ts';
import type { Library } from '../library/types.ts';
import type { Priority } from '../scheduler/types.ts';
import type { OutboxChange } from '../shared/outbox-model.ts';
import type { ActResult, JobState } from '../shared/resource-contract.ts';

/** One requested change: an operation of the endpoint table with its parameters. */
export interface ActRequest {
  operation: string;
  path: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>> | null;
}

/** How a change is sent; by default ahead of all waiting requests. */
export interface ActOptions {
  signal?: AbortSignal;
  priority?: Priority;
  /** The group it belongs to, named in the request log. */
  group?: string;
  /** A single attempt, even if it may be retried. */
  isOnce?: boolean;
}

/** The changes that one connection makes at its service, and the service's jobs for them. */
export interface Resources {
  /**
   * Sends one change, once. Marks the affected stored lists and records, and rereads them in open views. Throws
   * INVALID_ARGUMENT (no such operation, one with its own channel, an invalid body; nothing was sent), READ_ONLY,
   * OFFLINE, or the errors of sending.
   */
  act(request: ActRequest, options?: ActOptions): Promise<ActResult>;
  /** Throws the validation errors of `act`, and INVALID_ARGUMENT if it must not be sent twice. Sends nothing. */
  checkRepeatable(request: ActRequest): void;
  /**
   * Whether a change with a lost answer was made, according to the current record: `undone` if it may be sent again.
   * Throws the errors of reading.
   */
  look(request: ActRequest, options?: ActOptions): Promise<'done' | 'undone' | 'unknown'>;
  /**
   * Describes a change without sending anything: its target, and whether it may be sent twice. Throws INVALID_ARGUMENT
   * as `act` does, and for an invalid body.
   */
  describe(request: ActRequest): { change: OutboxChange; title: string; line: string; isRepeatSafe: boolean };
  /** The service's current record that a change concerns. Throws the errors of reading. */
  readTarget(request: ActRequest, options?: ActOptions): Promise<OutboxTarget>;
  /** Follows a job for a view and reports changes by `onJobChanged`. Polls at once if nothing is known yet. */
  watchJob(request: { viewId: string; jobId: string }): JobState;
  /**
   * Follows a job for a part that stores its result and is notified of every poll; the first is after a pause. Returns
   * a function that stops following.
   */
  followJob(jobId: string, follower: (job: JobState) => void): () => void;
  /** The view was closed: jobs that no other view follows are no longer polled. */
  release(viewId: string): void;
  /** The service is reachable again. */
  wake(): void;
  /** The service is unreachable: no requests until `wake`. */
  suspend(): void;
  /** Stops all following and waits for the answers in flight. */
  stop(): Promise<void>;
}

export interface ResourcesDeps {
  client: Pick<ServiceClient, 'call' | 'list' | 'describe'>;
  library: Pick<Library, 'invalidate'>;
  clock: Clock;
  logger: Logger;
  onJobChanged: (job: JobState) => void;
}
