/** The public interface of the request scheduler. */
import type { Attempt } from '../core/limits/attempt.ts';
import type { BudgetLedger, Lane } from '../core/limits/budget-ledger.ts';
import type { LimitWindow } from '../core/limits/limits.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { Priority } from '../core/priority.ts';
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
  /** 1 for the first. */
  attempt: number;
  /** Aborted by cancellation and by `stop`. The attempt must then soon end with a `failed` result. */
  signal: AbortSignal;
}

export interface Submission<T> {
  lane: Lane;
  priority: Priority;
  /** Whether a 5xx answer or an unknown outcome may be retried. 429 and `unsent` always may. */
  isRepeatSafe: boolean;
  /** False: its 401 does not pause the token. */
  canRefuseToken?: boolean;
  /** Identical reads, queued or in flight on one lane, share one request. Never set for writes. */
  shareKey?: string;
  /** Cancels: a queued request leaves the queue at once. A shared request ends when its last sharer cancels. */
  signal?: AbortSignal;
  /** Groups take turns within a priority (an upload job, a view). */
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
    /** It sent a request since the process started. */
    wasUsed: boolean;
  };

/** An action's requests in one lane. */
export interface RequestsToPlan {
  lane: Lane;
  count: number;
  /** Number of its requests in flight at the same time; undefined: as many as the limits allow. */
  atOnce?: number | undefined;
}

/** One lane of a plan; windows in their current state. */
interface PlannedLane {
  operation: string;
  requests: number;
  windows: WindowStatus[];
  /** Wall time. */
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
  /** The window that determines when the last lane finishes; null if none does. */
  bindingWindow: (LimitWindow & { operation: string }) | null;
  lanes: PlannedLane[];
}

export interface RequestScheduler {
  /**
   * Resolves with the answer for every status that is not retried; the caller maps statuses to errors. Rejects with
   * AppError: CANCELLED; QUEUE_FULL; the attempt's own error (with `details.outcome`) if it must not be retried;
   * RATE_LIMITED, SERVICE_UNAVAILABLE or SERVICE_FAILED if retries are used up; STORE_FAILED or DISK_FULL if the permit
   * could not be recorded. While the service is down, offline or rejects the token, or a person paused the lane
   * (PAUSED), `view` and `click` reject at once and the other priorities wait.
   */
  submit<T>(submission: Submission<T>): Promise<Sent<T>>;
  /**
   * A person's choice, in this process: waiting and later requests of `group` get `priority`; null: their own again.
   * Interactive requests keep theirs.
   */
  choosePriority(
    token: Pick<Lane, 'origin' | 'tokenId'>,
    group: string,
    priority: ChosenPriority | null,
  ): void;
  /**
   * A person's choice, in this process: groups whose names begin with `kind` go in this order, followed by unnamed
   * ones; null: in turn.
   */
  orderGroups(token: Pick<Lane, 'origin' | 'tokenId'>, kind: string, names: readonly string[] | null): void;
  groupOrder(token: Pick<Lane, 'origin' | 'tokenId'>, kind: string): string[] | null;
  /** Groups with waiting or in-flight requests in the lanes of a token. */
  waiting(token: Pick<Lane, 'origin' | 'tokenId'>): WaitingGroup[];
  /**
   * Restores the published limits of a lane. Temporary restrictions from an answer (Retry-After, nothing left, use by
   * others) remain, and one request is sent before the others: its answer states the limit again.
   */
  forget(lane: Lane): void;
  /** Without `origin`: everything. Without `tokenId`: every token of the origin. Requests in flight continue. */
  pause(cause: Exclude<PauseReason, 'user'>, origin?: string, tokenId?: string): void;
  resume(cause: Exclude<PauseReason, 'user'>, origin?: string, tokenId?: string): void;
  /**
   * A person's pause of one lane, or of all lanes of a token (`null`, including later ones); in this process only.
   * Requests in flight continue and queued ones stay queued; a new `view` or `click` is rejected with PAUSED, because a
   * screen must not wait for the person's own pause.
   */
  pauseLanes(token: Pick<Lane, 'origin' | 'tokenId'>, operation: string | null): void;
  resumeLanes(token: Pick<Lane, 'origin' | 'tokenId'>, operation: string | null): void;
  areLanesPaused(token: Pick<Lane, 'origin' | 'tokenId'>): boolean;
  /** Includes the requests of other processes on the same budget. */
  status(): LaneStatus[];
  /** Identifies the token last used with a service, by any process; null if there was none. */
  lastToken(origin: string): string | null;
  /** Predicts the cost of requests that start now or at a future wall time. */
  plan(requests: readonly RequestsToPlan[], startAtMs?: number | null): Plan;
  /** Called after changes, at most ten times a second. */
  onChange(listener: () => void): () => void;
  /** Limits the attempts of a retryable request from now on. */
  allowAttempts(most: number): void;
  /** Cancels queued and in-flight requests, waits for the attempts to end, and writes the ledger. */
  stop(): Promise<void>;
}

export interface SchedulerSettings {
  maxQueued: number;
  /**
   * Requests in flight to one origin, equal to the number of sockets: a request must not wait after it got its permit.
   */
  maxInFlight: number;
  /** Maximum attempts of one request that failed or got 5xx. */
  maxAttempts: number;
  /** Maximum 429 answers of one request before it is given up. */
  maxRejections: number;
  /** No attempt of a dead process is assumed to last longer. */
  requestBoundMs: number;
  /** Called once when a 401 paused a token; `resume('unauthorized', …)` continues. */
  onUnauthorized: (origin: string, tokenId: string) => void;
  /**
   * Called, rarely, if a daily budget seems used up only because the elapsed time is unconfirmed (after a restart of
   * the computer): any cheap request to the origin returns the service's own time.
   */
  onTimeUnconfirmed: (origin: string, tokenId: string) => void;
}

export interface SchedulerDeps {
  clock: Clock;
  random: Random;
  budget: BudgetLedger;
  logger: Logger;
  settings?: Partial<SchedulerSettings>;
}
