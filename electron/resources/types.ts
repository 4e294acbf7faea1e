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

/** How a change is sent; by default before all waiting requests. */
export interface ActOptions {
  signal?: AbortSignal;
  priority?: Priority;
  /** The group of the request in the log. */
  group?: string;
  /** Only one attempt is made, even if the request could be retried. */
  isOnce?: boolean;
}

/** The changes that a connection makes at its service, and the service's jobs for them. */
export interface Resources {
  /**
   * Sends one change, once. Marks the affected stored lists and records as outdated, and reads them again in open
   * views. Throws INVALID_ARGUMENT (an unknown operation, one with its own channel, or an invalid body; nothing was
   * sent), READ_ONLY, OFFLINE, or the errors of sending.
   */
  act(request: ActRequest, options?: ActOptions): Promise<ActResult>;
  /**
   * Checks a change without sending it. Throws the validation errors of `act`, and INVALID_ARGUMENT if it must not be
   * sent twice.
   */
  checkRepeatable(request: ActRequest): void;
  /**
   * Whether a change without an answer was made, judged by the present record; `undone` if it may be sent again. Throws
   * the errors of reading.
   */
  look(request: ActRequest, options?: ActOptions): Promise<'done' | 'undone' | 'unknown'>;
  /**
   * Describes a change without sending it: its target, and whether it may be sent twice. Throws INVALID_ARGUMENT like
   * `act`.
   */
  describe(request: ActRequest): { change: OutboxChange; title: string; line: string; isRepeatSafe: boolean };
  /** The present record that a change concerns. Throws the errors of reading. */
  readTarget(request: ActRequest, options?: ActOptions): Promise<OutboxTarget>;
  /** Follows a job for a view, and reports changes to `onJobChanged`. Polls at once if nothing is known yet. */
  watchJob(request: { viewId: string; jobId: string }): JobState;
  /**
   * Follows a job for a component that stores its result. The follower is notified of every poll, the first one after a
   * pause. Returns a function that ends following.
   */
  followJob(jobId: string, follower: (job: JobState) => void): () => void;
  /** Ends following for a closed view: jobs that no other view follows are no longer polled. */
  release(viewId: string): void;
  /** Resumes polling, because the service is reachable again. */
  wake(): void;
  /** Suspends polling until `wake`, because the service is unreachable. */
  suspend(): void;
  /** Stops following all jobs, and waits for requests in flight. */
  stop(): Promise<void>;
}

export interface ResourcesDeps {
  client: Pick<ServiceClient, 'call' | 'list' | 'describe'>;
  library: Pick<Library, 'invalidate'>;
  clock: Clock;
  logger: Logger;
  onJobChanged: (job: JobState) => void;
}
