/** A request in the scheduler, with all callers that wait for its answer, and its lane. */

import type { Attempt } from '../core/limits/attempt.ts';
import type { Lane } from '../core/limits/budget-ledger.ts';
import type { RateLimiter } from '../core/limits/rate-limiter.ts';
import type { Priority } from '../core/priority.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { GroupOrders } from './group-orders.ts';
import { type Group, LaneQueue, type Queued } from './lane-queue.ts';
import type { OriginState } from './origin.ts';
import { SharedReads } from './shared-reads.ts';
import type { AttemptContext, Sent } from './types.ts';

export interface Sharer {
  resolve: (sent: Sent<unknown>) => void;
  reject: (error: AppError) => void;
  /** Stops listening to the cancel signal of the sharer; null if there is none. */
  detach: (() => void) | null;
  /** The next sharer. A linked list, because most requests have one sharer and a hundred thousand may wait. */
  next: Sharer | null;
}

/** Whether a person is waiting for the answer. */
export const isInteractive = (priority: Priority) => priority === 'view' || priority === 'click';

/**
 * One attempt as seen by the code that sends it. The signal is created on first use, because most attempts are never
 * cancelled.
 */
class AttemptHandle implements AttemptContext {
  readonly attempt: number;
  #controller: AbortController | null = null;
  #reason: unknown = null;

  constructor(attempt: number) {
    this.attempt = attempt;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== null && !this.#controller.signal.aborted) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  abort(reason: AppError): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** `granted`: the request has a permit and is sent in the same tick, after those granted before it. */
type RequestState = 'queued' | 'delayed' | 'granted' | 'in-flight' | 'settled';

/** Progress of a request after its first permit. */
class Trip {
  /** Number of requests sent. */
  attempts = 0;
  /** Number of attempts answered with 429. */
  refusals = 0;
  /** Number of failed probes of whether the service is reachable again. */
  failedProbes = 0;
  isProbe = false;
  queuedMs = 0;
  networkMs = 0;
  sentAtMs = 0;
  openUntilMs = 0;
  /** Ledger time of the next attempt, while the request is delayed. */
  retryAtMs = 0;
  permitId = 0;
  handle: AttemptHandle | null = null;
}

/** Shared by all requests that were never sent, because a hundred thousand may wait. */
const NOT_SENT: Trip = Object.freeze(new Trip());

export class QueuedRequest implements Queued {
  readonly lane: LaneState;
  priority: Priority;
  group: string;
  readonly isRepeatSafe: boolean;
  readonly canRefuseToken: boolean;
  readonly shareKey: string | null;
  readonly #submission: { attempt: (context: AttemptContext) => Promise<Attempt<unknown>> };
  sharers: Sharer | null = null;
  state: RequestState = 'queued';
  waitingSinceMs: number;
  /** Replaced by an object of its own at the first permit. */
  trip: Trip = NOT_SENT;
  inGroup: Group | null = null;
  before: Queued | null = null;
  after: Queued | null = null;

  constructor(
    lane: LaneState,
    submission: {
      priority: Priority;
      group?: string;
      isRepeatSafe: boolean;
      canRefuseToken?: boolean;
      shareKey?: string;
      attempt: (context: AttemptContext) => Promise<Attempt<unknown>>;
    },
    nowMs: number,
  ) {
    this.lane = lane;
    this.priority = submission.priority;
    this.group = submission.group ?? '';
    this.isRepeatSafe = submission.isRepeatSafe;
    this.canRefuseToken = submission.canRefuseToken ?? true;
    this.shareKey = submission.shareKey ?? null;
    this.#submission = submission;
    this.waitingSinceMs = nowMs;
  }

  /** Creates the progress object at the first permit. */
  begin(): Trip {
    if (this.trip === NOT_SENT) this.trip = new Trip();
    return this.trip;
  }

  share(sharer: Sharer): void {
    if (this.sharers === null) {
      this.sharers = sharer;
      return;
    }
    let last = this.sharers;
    while (last.next !== null) last = last.next;
    last.next = sharer;
  }

  unshare(sharer: Sharer): void {
    if (this.sharers === sharer) this.sharers = sharer.next;
    for (let other = this.sharers; other !== null; other = other.next) {
      if (other.next === sharer) other.next = sharer.next;
    }
  }

  isWantedBy(sharer: Sharer): boolean {
    for (let other = this.sharers; other !== null; other = other.next) if (other === sharer) return true;
    return false;
  }

  /** Whether a person is waiting for this answer. */
  get isInteractive(): boolean {
    return isInteractive(this.priority);
  }

  /**
   * Sends the request and passes on the result. An attempt must not throw; if it does, it is unknown whether a request
   * was sent.
   */
  send(land: (request: QueuedRequest, result: Attempt<unknown>) => void): void {
    const handle = new AttemptHandle(this.trip.attempts);
    this.trip.handle = handle;
    const broken = (thrown: unknown) =>
      land(this, { kind: 'failed', outcome: 'unknown', error: toAppError(thrown) });
    try {
      this.#submission.attempt(handle).then((result) => land(this, result), broken);
    } catch (thrown) {
      Promise.resolve(thrown).then(broken);
    }
  }

  resolve(value: unknown, status: number): void {
    const { attempts, queuedMs, networkMs } = this.trip;
    const sent = { value, status, attempts, queuedMs, networkMs };
    for (let sharer = this.#settle(); sharer !== null; sharer = sharer.next) sharer.resolve(sent);
  }

  reject(error: AppError): void {
    for (let sharer = this.#settle(); sharer !== null; sharer = sharer.next) sharer.reject(error);
  }

  #settle(): Sharer | null {
    this.state = 'settled';
    this.lane.reads.remove(this);
    const { sharers } = this;
    this.sharers = null;
    for (let sharer = sharers; sharer !== null; sharer = sharer.next) sharer.detach?.();
    return sharers;
  }
}

const TRIM_EVERY = 64;

/** A rate lane: its limiter, its queue and the duration of its requests. */
export class LaneState {
  readonly id: number;
  readonly key: Lane;
  readonly origin: OriginState;
  readonly limiter: RateLimiter;
  readonly queue: LaneQueue<QueuedRequest>;
  readonly reads = new SharedReads<QueuedRequest>();
  /** Ledger time at which the lane must be checked again. */
  wakeAtMs = 0;
  /** Value of the global send counter when this lane last sent. */
  servedAtTurn = 0;
  /** Smoothed time between send and answer. */
  networkMs = 200;
  /** Longest recent time between send and answer. */
  slowestMs = 0;
  #finished = 0;
  #answers = 0;

  constructor(
    id: number,
    key: Lane,
    origin: OriginState,
    limiter: RateLimiter,
    orders: Pick<GroupOrders, 'rankOf'>,
  ) {
    this.id = id;
    this.key = key;
    this.queue = new LaneQueue((group) => orders.rankOf(key, group));
    this.origin = origin;
    this.limiter = limiter;
  }

  /** Removes answers that are too old for every window. Not done on each call. */
  trim(nowMs: number): void {
    this.#finished++;
    if (this.#finished % TRIM_EVERY === 0) this.limiter.trim(nowMs);
  }

  /** Expected duration of a request. Before the first answer, that of other requests to the same service. */
  get expectedMs(): number {
    return this.#answers === 0 ? (this.origin.networkMs ?? this.networkMs) : this.networkMs;
  }

  noteNetwork(durationMs: number): void {
    this.origin.noteNetwork(durationMs);
    this.#answers++;
    // The first few answers count fully, so that a plan soon becomes accurate.
    this.networkMs += (durationMs - this.networkMs) * Math.max(0.1, 1 / this.#answers);
    this.slowestMs = Math.max(durationMs, this.slowestMs * 0.99);
  }
}

export function cancelled(request: QueuedRequest | null, operation: string): AppError {
  const wasSent = request !== null && request.state === 'in-flight';
  return new AppError(
    'CANCELLED',
    wasSent
      ? `${operation} was cancelled after it was sent: the service may have carried it out.`
      : `${operation} was cancelled before it was sent.`,
    { operation, outcome: wasSent ? 'unknown' : 'unsent' },
  );
}
