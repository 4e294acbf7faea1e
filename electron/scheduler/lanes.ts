/** The lanes and origins known to the scheduler, each with its limiter, queue, breaker and clock. */

import type { Attempt } from '../core/limits/attempt.ts';
import type { BudgetLedger, Lane, LedgerChanges } from '../core/limits/budget-ledger.ts';
import { readRateHeaders } from '../core/limits/rate-headers.ts';
import { learn } from '../core/limits/rate-learning.ts';
import { RateLimiter } from '../core/limits/rate-limiter.ts';
import { park } from '../core/limits/retry-after.ts';
import { knowsOf, type ServiceTime, type UnseenTime } from '../core/limits/service-clock.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { toAppError } from '../shared/errors.ts';
import type { GroupOrders } from './group-orders.ts';
import { OriginState } from './origin.ts';
import { LaneState, type QueuedRequest } from './queued-request.ts';
import type { SchedulerDeps } from './types.ts';

/** Time after sending during which a request with an unknown outcome may still reach the service. */
const LATE_ARRIVAL_MS = 2_000;
/**
 * Minimum interval between writes of the service's time. After a restart, only windows of a day need it, and their
 * answers always save it.
 */
const SAVE_TIME_EVERY_MS = 10_000;

function getOrAdd<V>(map: Map<string, Map<string, V>>, name: string): Map<string, V> {
  const known = map.get(name);
  if (known !== undefined) return known;
  const added = new Map<string, V>();
  map.set(name, added);
  return added;
}

export class Lanes {
  readonly #budget: BudgetLedger;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** By origin, token and operation. */
  readonly #byName = new Map<string, Map<string, Map<string, LaneState>>>();
  readonly #byId = new Map<number, LaneState>();
  readonly #origins = new Map<string, OriginState>();

  readonly #orders: GroupOrders;

  constructor(
    { budget, clock, logger }: Pick<SchedulerDeps, 'budget' | 'clock' | 'logger'>,
    orders: GroupOrders,
  ) {
    this.#orders = orders;
    this.#budget = budget;
    this.#clock = clock;
    this.#logger = logger;
  }

  all(): IterableIterator<LaneState> {
    return this.#byId.values();
  }

  get(key: Lane): LaneState {
    const known = this.#byName.get(key.origin)?.get(key.tokenId)?.get(key.operation);
    if (known !== undefined) return known;
    const { lane, permits, unknownBeforeMs } = this.#budget.lane(key);
    const limiter = new RateLimiter(key.category, lane.learned, this.#budget.nowMs());
    if (unknownBeforeMs !== null && lane.learned === null) {
      limiter.countAsUsed(unknownBeforeMs);
      // The state is stored, so that it is also moved if time passes unseen.
      this.#budget.saveLearned(lane.id, JSON.stringify(limiter.state));
    }
    for (const permit of permits) limiter.apply(permit);
    const state = new LaneState(lane.id, { ...key }, this.#origin(key.origin), limiter, this.#orders);
    const ofOrigin = getOrAdd(this.#byName, key.origin);
    getOrAdd(ofOrigin, key.tokenId).set(key.operation, state);
    this.#byId.set(lane.id, state);
    return state;
  }

  /** Applies changes by other processes. Returns whether there were any. */
  apply({ permits, lanes }: LedgerChanges): boolean {
    for (const permit of permits) this.#byId.get(permit.laneId)?.limiter.apply(permit);
    for (const lane of lanes) this.#byId.get(lane.id)?.limiter.adopt(lane.learned);
    return permits.length > 0 || lanes.length > 0;
  }

  /**
   * Ends the permit of an attempt and learns from its answer. `random`: in [0, 1). Returns whether the lane's limits
   * changed, or whether time is now proven to have passed unseen.
   */
  conclude(request: QueuedRequest, result: Attempt<unknown>, receivedAtMs: number, random: number): boolean {
    const { lane } = request;
    const { permitId, sentAtMs } = request.trip;
    const { limiter } = lane;
    if (result.kind === 'failed' && result.outcome === 'unsent') {
      limiter.release(permitId);
      this.#budget.release(permitId);
      return false;
    }
    const wallMs = this.#clock.nowMs();
    const reading = result.kind === 'answered' ? readRateHeaders(result.rate, wallMs) : null;
    let hasMoved = false;
    if (reading !== null && reading.serviceMs !== null) {
      const { origin } = lane.origin;
      // Must happen before this request counts as answered, because it was not sent during the unseen time.
      hasMoved = this.#noteTime(lane, { origin, dateMs: reading.serviceMs, sentAtMs, receivedAtMs, wallMs });
    }
    // A cancelled request may still be in flight, and the service counts it when it arrives.
    const countedMs = sentAtMs + Math.max(LATE_ARRIVAL_MS, lane.slowestMs * 2);
    const doneAtMs = result.kind === 'failed' ? Math.max(receivedAtMs, countedMs) : receivedAtMs;
    limiter.finish(permitId, doneAtMs);
    this.#budget.finish(permitId, doneAtMs, doneAtMs + limiter.horizonMs);
    lane.trim(receivedAtMs);
    if (result.kind === 'failed' || reading === null) return hasMoved;
    lane.noteNetwork(receivedAtMs - sentAtMs);
    const facts = { status: result.status, sentAtMs, receivedAtMs, random };
    let isLearned = learn(limiter, reading, facts, lane.origin.clock);
    if (result.status === 503 && reading.retryAfterMs !== null) {
      park(limiter.state, reading.retryAfterMs, facts);
      isLearned = true;
    }
    if (isLearned) this.#budget.saveLearned(lane.id, JSON.stringify(limiter.state));
    return isLearned || hasMoved;
  }

  /** Returns whether time passed unseen. */
  #noteTime(lane: LaneState, time: ServiceTime): boolean {
    const { origin } = lane;
    const unseen = origin.clock.note(time);
    const { last } = origin.clock;
    const isDue = lane.limiter.isDurable || time.receivedAtMs - origin.timeSavedAtMs >= SAVE_TIME_EVERY_MS;
    if (last !== null && (isDue || unseen !== null)) {
      origin.timeSavedAtMs = time.receivedAtMs;
      this.#budget.saveServiceTime(last);
    }
    if (unseen === null) return false;
    try {
      this.#moveBack(origin, unseen, time);
      return true;
    } catch (thrown) {
      // Nothing was moved, so requests sent before that time count for longer than necessary.
      this.#logger.warn('budget not moved', { code: toAppError(thrown).code });
      return false;
    }
  }

  #moveBack(origin: OriginState, unseen: UnseenTime, time: ServiceTime): void {
    // Another process that was also running before may have noticed the same. The permits must be moved only once.
    const isKnown = (stored: ServiceTime | null) => stored !== null && knowsOf(stored, time, unseen.untilMs);
    const isFirst = this.#budget.shiftBack(origin.origin, unseen, isKnown);
    // If another process moved the permits, its changes are read from the file. Knowledge that exists only in this
    // process is moved here.
    if (!isFirst) this.apply(this.#budget.refresh());
    for (const other of this.#byId.values()) {
      if (other.origin !== origin) continue;
      other.limiter.shiftState(unseen);
      if (isFirst) other.limiter.shiftDone(unseen);
    }
  }

  #origin(name: string): OriginState {
    const known = this.#origins.get(name);
    if (known !== undefined) return known;
    const origin = new OriginState(name, this.#budget.serviceTime(name));
    this.#origins.set(name, origin);
    return origin;
  }
}
