import type { ServiceClient } from '../api/types.ts';
import type { OutboxTarget } from '../core/jobs/outbox.ts';
import type { Clock, Logger } from '../core/ports.ts';
import type { Library } from '../library/types.ts';
import type { Priority } from '../scheduler/types.ts';
import type { OutboxChange } from '../shared/outbox-model.ts';
import type { ActResult, JobState } from '../shared/resource-contract.ts';

/** One change asked for: an operation of the endpoint table with its parameters. */
export interface ActRequest {
  operation: string;
  path: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>> | null;
}

/** How a change is sent; ahead of everything that waits unless it says otherwise. */
export interface ActWay {
  signal?: AbortSignal;
  priority?: Priority;
  /** What it belongs to, as the request log names it. */
  group?: string;
  /** One attempt only, also of what may be sent twice. */
  isOnce?: boolean;
}

/** What one connection changes at its service, and the jobs that takes. */
export interface Resources {
  /**
   * Sends one change, once. What it changed in stored lists and records is
   * marked, and open views of them are read anew. Throws INVALID_ARGUMENT (no such operation, one that has a
   * channel of its own, a body that is not as expected; nothing sent), READ_ONLY, OFFLINE, or what sending throws.
   */
  act(request: ActRequest, way?: ActWay): Promise<ActResult>;
  /** Throws what `act` would throw of its own, and INVALID_ARGUMENT for what must not be sent twice. Sends nothing. */
  checkRepeatable(request: ActRequest): void;
  /**
   * Whether a change was made whose answer was lost, as the record shows it now: `undone` where it may be sent
   * again. Throws what reading throws.
   */
  look(request: ActRequest, way?: ActWay): Promise<'done' | 'undone' | 'unknown'>;
  /**
   * What a change is about, without sending anything: what it is, and whether it may be sent twice. Throws
   * INVALID_ARGUMENT as `act` does, and for a body that the operation does not take.
   */
  describe(request: ActRequest): { change: OutboxChange; title: string; line: string; isRepeatSafe: boolean };
  /** The record that a change is about as the service has it now. Throws what reading throws. */
  readTarget(request: ActRequest, way?: ActWay): Promise<OutboxTarget>;
  /** Follows a job for a view; what changes is told by `onJobChanged`. Asks at once where nothing is known yet. */
  watchJob(request: { viewId: string; jobId: string }): JobState;
  /**
   * Follows a job for a part that keeps what became of it, told of every look; the first is after a pause. Answers
   * what ends the following.
   */
  followJob(jobId: string, follower: (job: JobState) => void): () => void;
  /** The view closed: jobs that no other view follows are not asked for any more. */
  release(viewId: string): void;
  /** The service answers again. */
  wake(): void;
  /** The service is gone: nothing is asked until `wake`. */
  suspend(): void;
  /** Ends every following and waits for the answers on their way. */
  stop(): Promise<void>;
}

export interface ResourcesDeps {
  client: Pick<ServiceClient, 'call' | 'list' | 'describe'>;
  library: Pick<Library, 'touch'>;
  clock: Clock;
  logger: Logger;
  onJobChanged: (job: JobState) => void;
}
