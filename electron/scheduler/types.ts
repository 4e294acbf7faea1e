/** The public interface of the request scheduler. */
import type { Attempt } from '../core/limits/attempt.ts';
import type { BudgetLedger, Lane } from '../core/limits/budget-ledger.ts';
import type { LimitWindow } from '../core/limits/limits.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { Priority } from '../core/priority.ts';
import type { AppError } from '../shared/errors.ts';
import type {
  ChosenPriority,
  PauseReason,
  LaneStatus as SharedLaneStatus,
  WaitingGroup,
  WindowStatus,
} from '../shared/traffic-model.ts';

export type { Lane } from '../core/limits/budget-ledger.ts';
export type { Priority } from '../core/priority.ts';
export type { PauseReason, WaitReason } from '../shared/traffic-model.ts';

export interface AttemptContext {
  /** Number of the attempt, from 1. */
  attempt: number;
  /** Aborted by cancellation and by `stop`. The attempt must then end soon with a `failed` result. */
  signal: AbortSignal;
}

export interface Submission<T> {
  lane: Lane;
  priority: Priority;
  /**
   * Whether a request may be retried after a 5xx answer or an unknown outcome. After a 429 or `unsent`, it always may.
   */
  isRepeatSafe: boolean;
  /** If false, a 401 to this request does not pause the token. */
  canRefuseToken?: boolean;
  /** Reads with the same key that are queued or in flight on one lane share one request. Never set for writes. */
  shareKey?: string;
  /**
   * Cancels the request. A queued request leaves the queue at once. A shared request ends when its last sharer cancels.
   */
  signal?: AbortSignal;
  /** Name of the group, such as an upload job or a view. Groups take turns within a priority. */
  group?: string;
  /** Sends the request immediately: the permit counts from this call. Does not throw for HTTP statuses. */
  attempt(context: AttemptContext): Promise<Attempt<T>>;
}

export interface Sent<T> {
  value: T;
  status: number;
  attempts: number;
  /** Time spent waiting for a permit, over all attempts. */
  queuedMs: number;
  /** Time between send and answer, over all attempts. */
  networkMs: number;
}

/** One lane for display; the caller adds the title of its operation. */
export type LaneStatus = Omit<SharedLaneStatus, 'title'> &
  Lane & {
    /** True if the lane sent a request since the process started. */
    wasUsed: boolean;
  };

/** The requests of an action in one lane. */
export interface RequestsToPlan {
  lane: Lane;
  count: number;
  /** Maximum number of the action's requests in flight; undefined: as many as the limits allow. */
  atOnce?: number | undefined;
}

/** One lane of a plan, with the current state of its windows. */
interface PlannedLane {
  operation: string;
  requests: number;
  windows: WindowStatus[];
  /** Wall time of the lane's last answer. */
  finishAtMs: number;
  /** Expected time from send to answer of each request. */
  latencyMs: number;
}

export interface Plan {
  requests: number;
  /** Wall time of the start. */
  startAtMs: number;
  /** Wall time of the last answer. */
  finishAtMs: number;
  /** The smallest remaining daily budget among the lanes; null if none has one. */
  leftToday: number | null;
  /** The window that determines when the last lane finishes; null if there is none. */
  bindingWindow: (LimitWindow & { operation: string }) | null;
  lanes: PlannedLane[];
}

export interface RequestScheduler {
  /**
   * Resolves with the answer for every status that is not retried; the caller maps statuses to errors. Rejects with
   * AppError: CANCELLED; QUEUE_FULL; the attempt's own error (with `details.outcome`) if it must not be retried;
   * RATE_LIMITED, SERVICE_UNAVAILABLE or SERVICE_FAILED if retries are used up; STORE_FAILED or DISK_FULL if the permit
   * could not be recorded. While the service is down, the connection is offline, the token is rejected, or a person
   * paused the lane (PAUSED), `view` and `click` reject at once and other priorities wait.
   */
  submit<T>(submission: Submission<T>): Promise<Sent<T>>;
  /**
   * Sets a person's choice for this process: waiting and later requests of `group` get `priority`; null restores their
   * own. Interactive requests keep theirs.
   */
  choosePriority(
    token: Pick<Lane, 'origin' | 'tokenId'>,
    group: string,
    priority: ChosenPriority | null,
  ): void;
  /**
   * Sets a person's choice for this process: groups whose names begin with `kind` go in the order of `names`, followed
   * by all others; null lets them take turns again.
   */
  orderGroups(token: Pick<Lane, 'origin' | 'tokenId'>, kind: string, names: readonly string[] | null): void;
  groupOrder(token: Pick<Lane, 'origin' | 'tokenId'>, kind: string): string[] | null;
  /** Groups with waiting or in-flight requests in the lanes of a token. */
  waiting(token: Pick<Lane, 'origin' | 'tokenId'>): WaitingGroup[];
  /**
   * Restores the published limits of a lane. Temporary restrictions from an answer (Retry-After, nothing left, use by
   * others) remain. One request is sent alone first, because its answer states the limit again.
   */
  forget(lane: Lane): void;
  /** Pauses everything, every token of an `origin`, or one `tokenId`. Requests in flight continue. */
  pause(cause: Exclude<PauseReason, 'user'>, origin?: string, tokenId?: string): void;
  resume(cause: Exclude<PauseReason, 'user'>, origin?: string, tokenId?: string): void;
  /**
   * A person's pause of one lane, or of all lanes of a token (`null`, including later lanes), in this process only.
   * Requests in flight continue and queued ones stay queued. A new `view` or `click` is rejected with PAUSED, because a
   * view must not wait for the person's own pause.
   */
  pauseLanes(token: Pick<Lane, 'origin' | 'tokenId'>, operation: string | null): void;
  resumeLanes(token: Pick<Lane, 'origin' | 'tokenId'>, operation: string | null): void;
  areLanesPaused(token: Pick<Lane, 'origin' | 'tokenId'>): boolean;
  /**
   * Applies a person's pauses, orders and priorities for one token to another one too, because the connection that they
   * were chosen for now uses that. `isShared`: another connection uses `to` as well, so its own choices stay.
   */
  carryChoices(
    from: Pick<Lane, 'origin' | 'tokenId'>,
    to: Pick<Lane, 'origin' | 'tokenId'>,
    isShared: boolean,
  ): void;
  /** Includes the requests of other processes on the same budget. */
  status(): LaneStatus[];
  /** Identifies the token last used with a service, by any process; null if there was none. */
  lastToken(origin: string): string | null;
  /** Predicts the cost of requests that start now or at a future wall time. */
  plan(requests: readonly RequestsToPlan[], startAtMs?: number | null): Plan;
  /** Called after changes, at most ten times per second. */
  onChange(listener: () => void): () => void;
  /** Limits the number of attempts of a retryable request from now on. */
  allowAttempts(most: number): void;
  /** Cancels queued and in-flight requests, waits for the attempts to end, and writes the ledger. */
  stop(): Promise<void>;
}

export interface SchedulerSettings {
  maxQueued: number;
  /**
   * Maximum number of requests in flight to one origin. It equals the number of sockets, because a request with a
   * permit must not wait for a socket.
   */
  maxInFlight: number;
  /** Maximum number of attempts of one request that failed or got 5xx. */
  maxAttempts: number;
  /** Maximum number of 429 answers before a request fails. */
  maxRejections: number;
  /** Maximum assumed duration of an attempt whose process has died. */
  requestBoundMs: number;
  /** Called once when a 401 paused a token; `resume('unauthorized', …)` continues. */
  onUnauthorized: (origin: string, tokenId: string) => void;
  /**
   * Called, rarely, if a daily budget seems used up only because the elapsed time is not confirmed (after a restart of
   * the computer). Any cheap request to the origin then returns the service's time.
   */
  onTimeUnconfirmed: (origin: string, tokenId: string) => void;
  /**
   * Called when requests to the origin begin to wait because several in a row failed, and for each attempt in between that
   * fails too. Background requests wait then for minutes without a result. `error`: that of the last one.
   */
  onDown: (origin: string, error: AppError) => void;
}

export interface SchedulerDeps {
  clock: Clock;
  random: Random;
  budget: BudgetLedger;
  logger: Logger;
  settings?: Partial<SchedulerSettings>;
}
