/** What callers of the request scheduler see. */
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
  /** Aborted by cancel and by `stop`. The attempt then ends soon with a `failed` result. */
  signal: AbortSignal;
}

export interface Submission<T> {
  lane: Lane;
  priority: Priority;
  /** May a 5xx answer or an unknown outcome be retried? 429 and `unsent` always may. */
  isRepeatSafe: boolean;
  /** Identical reads, queued or in flight on one lane, share one request. Never for writes. */
  shareKey?: string;
  /** Cancels: a queued place is free at once. A shared request ends when its last sharer cancels. */
  signal?: AbortSignal;
  /** Groups take turns inside a priority (an upload job, a view). */
  group?: string;
  /** Sends the request, at once: the permit counts from this call. Does not throw for HTTP statuses. */
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

/** One lane as a person reads it; the title of its operation is added by whoever knows operations. */
export type LaneStatus = Omit<SharedLaneStatus, 'title'> &
  Lane & {
    /** It sent a request since the process began. */
    wasUsed: boolean;
  };

/** What an act asks of one lane. */
export interface RequestsToPlan {
  lane: Lane;
  count: number;
  /** The act has so many of them under way together; undefined: as many as the limits allow. */
  atOnce?: number | undefined;
}

/** One lane of a plan; windows as they are now. */
interface PlannedLane {
  operation: string;
  requests: number;
  windows: WindowStatus[];
  /** Wall time. */
  finishAtMs: number;
  /** What each request is expected to take from its send to its answer. */
  latencyMs: number;
}

export interface Plan {
  requests: number;
  /** Wall time of the beginning. */
  startAtMs: number;
  /** Wall time of the last answer. */
  finishAtMs: number;
  /** Least that is left of a daily budget among the lanes; null when none has one. */
  leftToday: number | null;
  /** The window that decides when the last lane finishes; null when none does. */
  bindingWindow: (LimitWindow & { operation: string }) | null;
  lanes: PlannedLane[];
}

export interface RequestScheduler {
  /**
   * Resolves with the answer for every status that is not retried; the caller maps statuses to errors.
   * Rejects with AppError: CANCELLED; QUEUE_FULL; the attempt's own error (with `details.outcome`) when it may
   * not be retried; RATE_LIMITED, SERVICE_UNAVAILABLE or SERVICE_FAILED when retries are used up; STORE_FAILED
   * or DISK_FULL when the permit could not be recorded. While the service is down, offline or refuses the token,
   * or a person paused the lane (PAUSED), `view` and `click` reject at once and the other priorities wait.
   */
  submit<T>(submission: Submission<T>): Promise<Sent<T>>;
  /**
   * A person's wish, in this process: what waits in `group` and what it submits later goes by `priority`; null: by
   * its own again. Requests somebody looks at keep theirs.
   */
  choosePriority(
    token: Pick<Lane, 'origin' | 'tokenId'>,
    group: string,
    priority: ChosenPriority | null,
  ): void;
  /**
   * A person's wish, in this process: groups whose names begin with `kind` go in this order, those that are not named
   * behind them; null: in turn.
   */
  orderGroups(token: Pick<Lane, 'origin' | 'tokenId'>, kind: string, names: readonly string[] | null): void;
  groupOrder(token: Pick<Lane, 'origin' | 'tokenId'>, kind: string): string[] | null;
  /** Who waits in the lanes of a token, or is under way. */
  waiting(token: Pick<Lane, 'origin' | 'tokenId'>): WaitingGroup[];
  /**
   * Back to the published limits of a lane. What an answer forbade for a time (Retry-After, nothing left, use by
   * others) holds on, and one request goes alone before the others: its answer states the limit again.
   */
  forget(lane: Lane): void;
  /** Without `origin`: everything. Without `tokenId`: every token of the origin. In flight requests go on. */
  pause(cause: Exclude<PauseReason, 'user'>, origin?: string, tokenId?: string): void;
  resume(cause: Exclude<PauseReason, 'user'>, origin?: string, tokenId?: string): void;
  /**
   * A person's pause of one lane, or of all lanes of a token (`null`, later ones included); in this process only.
   * What is in flight goes on and what is queued stays queued; a new `view` or `click` is rejected with PAUSED,
   * since nobody should look at a screen that waits for their own switch.
   */
  pauseLanes(token: Pick<Lane, 'origin' | 'tokenId'>, operation: string | null): void;
  resumeLanes(token: Pick<Lane, 'origin' | 'tokenId'>, operation: string | null): void;
  areLanesPaused(token: Pick<Lane, 'origin' | 'tokenId'>): boolean;
  /** Also says what other processes on the same budget did. */
  status(): LaneStatus[];
  /** Names the token that was used last with a service, in whatever process; null where none was. */
  lastToken(origin: string): string | null;
  /** What requests would cost, beginning now or at a wall time to come. */
  plan(requests: readonly RequestsToPlan[], startAtMs?: number | null): Plan;
  /** Called at most ten times a second, after something changed. */
  onChange(listener: () => void): () => void;
  /** From now on a request that may be sent again is sent so often at most. */
  allowAttempts(most: number): void;
  /** Cancels what is queued and in flight, waits for the attempts to end, writes the ledger. */
  stop(): Promise<void>;
}

export interface SchedulerSettings {
  maxQueued: number;
  /** Requests in flight to one origin, as many as there are sockets: a request must not wait behind its permit. */
  maxInFlight: number;
  /** Attempts of one request that failed or got 5xx. */
  maxAttempts: number;
  /** Answers 429 one request may get before it is given up. */
  maxRefusals: number;
  /** No attempt is believed to last longer once its process is dead. */
  requestBoundMs: number;
  /** Called once when a 401 paused a token; `resume('unauthorized', …)` goes on. */
  onUnauthorized: (origin: string, tokenId: string) => void;
  /**
   * Called, rarely, when a daily budget looks used up only because nobody confirmed that time passed (after a
   * restart of the computer): any cheap request to the origin brings the service's own time.
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
