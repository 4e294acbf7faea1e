/**
 * Grants permits and sends requests. One pass visits every lane with waiting requests, records the permits in one
 * transaction, and sends in the same tick. Nothing here blocks; a single timer wakes it for the earliest event.
 */

import type { Attempt } from '../core/limits/attempt.ts';
import type { LedgerWriter } from '../core/limits/budget-ledger.ts';
import { waitsForAnswers } from '../core/limits/learned-state.ts';
import { judge } from '../core/limits/retry-policy.ts';
import { mostSpare } from '../core/limits/spare-permits.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import { blockingErrorOf } from './blocking-error.ts';
import { chooseLane } from './choose-lane.ts';
import { DelayHeap } from './delay-heap.ts';
import { type Gate, gateOf } from './gate.ts';
import { GroupOrders } from './group-orders.ts';
import { InFlight } from './in-flight.ts';
import { Lanes } from './lanes.ts';
import { OtherProcesses } from './other-processes.ts';
import { Pauses } from './pauses.ts';
import { cancelled, type LaneState, type QueuedRequest } from './queued-request.ts';
import type { SchedulerDeps, SchedulerSettings } from './types.ts';
import { WakeTimer } from './wake-timer.ts';

const FLUSH_AFTER_MS = 75;
const FLUSH_ALONE_MS = 250;
const FLUSH_BUSY_ALONE_MS = 3_000;
const LONG_WAIT_MS = 600_000;
/** A lane that waits longer than this is checked again when a request is added to it. */
const FAR_MS = 1_000;
const STORE_RETRY_MS = 100;
const STORE_TRIES = 5;
const UNSEEN_TIME_MS = 120_000;
const ASK_EVERY_MS = 600_000;

export class Dispatcher {
  readonly lanes: Lanes;
  readonly pauses = new Pauses();
  readonly delayed = new DelayHeap<QueuedRequest>();
  readonly inFlight: InFlight;
  /** Lanes with queued requests. */
  readonly active = new Set<LaneState>();
  readonly #deps: SchedulerDeps;
  readonly #settings: SchedulerSettings;
  readonly #changed: () => void;
  readonly #timer: WakeTimer;
  readonly #otherProcesses: OtherProcesses;
  /** Counts the sends of all lanes. */
  #turn = 0;
  /** True if the lane states determined in this pass are still valid. */
  #isFresh = false;
  #isPassPlanned = false;
  #flushAtMs = Number.POSITIVE_INFINITY;
  #storeRetryAtMs: number;
  #storeFailures = 0;
  readonly orders = new GroupOrders();
  isStopped = false;
  /** Time when a retry of a rejected token was last requested. */
  askedAnewAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SchedulerDeps, settings: SchedulerSettings, changed: () => void) {
    this.#deps = deps;
    this.#settings = settings;
    this.#changed = changed;
    this.#storeRetryAtMs = deps.budget.readyAtMs;
    this.lanes = new Lanes(deps, this.orders);
    this.#otherProcesses = new OtherProcesses(deps, this.lanes);
    this.inFlight = new InFlight(deps.budget, settings.requestBoundMs);
    this.#timer = new WakeTimer(deps.clock, () => this.#pass());
  }

  nowMs(): number {
    return this.#deps.budget.nowMs();
  }

  enqueue(request: QueuedRequest, isFirst = false): void {
    const { queue } = request.lane;
    const before = queue.nextLevel;
    request.state = 'queued';
    queue.push(request, isFirst);
    this.active.add(request.lane);
    // A request behind others of the same priority is served by their wake-up, unless that is far away.
    if (queue.nextLevel !== before || this.#isFar(request.lane.wakeAtMs)) this.plan();
  }

  #isFar(wakeAtMs: number): boolean {
    return Number.isFinite(wakeAtMs) && wakeAtMs - this.nowMs() > FAR_MS;
  }

  #delay(request: QueuedRequest, untilMs: number): void {
    request.state = 'delayed';
    request.trip.retryAtMs = untilMs;
    this.delayed.push(untilMs, request);
  }

  /** Number of requests waiting for a permit or for their next attempt. */
  get waiting(): number {
    let count = this.delayed.size;
    for (const lane of this.active) count += lane.queue.size;
    return count;
  }

  /** Schedules one pass at the end of this tick, however often it is called. */
  plan(): void {
    if (this.#isPassPlanned || this.isStopped) return;
    this.#isPassPlanned = true;
    queueMicrotask(() => {
      this.#isPassPlanned = false;
      this.#pass();
    });
  }

  /** Reads changes by other processes. Used when nothing waits, because then no pass would read them. */
  lookAtOthers(): void {
    if (this.#otherProcesses.hasNews(this.nowMs(), true)) this.plan();
  }

  /** Tells whether a lane can send now (`ready`), or why not. `untilMs` is Infinity if no time is known. */
  gate(lane: LaneState, nowMs: number): Gate {
    if (this.pauses.reason(lane.key) !== null) return { reason: 'paused', untilMs: Number.POSITIVE_INFINITY };
    return gateOf(lane, this.#turn, this.#settings.maxInFlight, nowMs);
  }

  /**
   * The reason why interactive requests cannot wait in this lane now; null if they can. Requests that were already
   * waiting when a person paused the lane continue to wait, because a pause rejects nothing.
   */
  blockingError(lane: LaneState, isNew = false): AppError | null {
    const paused = this.pauses.reason(lane.key);
    return blockingErrorOf(lane, paused === 'user' && !isNew ? null : paused, this.nowMs());
  }

  /** Removes a waiting request and rejects it. A request in flight keeps its slot until its attempt ends. */
  drop(request: QueuedRequest, error: AppError): void {
    if (request.state === 'queued') request.lane.queue.remove(request);
    if (request.lane.queue.size === 0) this.active.delete(request.lane);
    const { handle } = request.trip;
    if (request.state === 'in-flight') this.#noteChange(request);
    request.reject(error);
    handle?.abort(error);
    this.#changed();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.#timer.set(Number.POSITIVE_INFINITY, 0);
    for (const lane of this.active) {
      for (const request of [...lane.queue.requests()])
        this.drop(request, cancelled(request, lane.key.operation));
    }
    for (const request of this.delayed.values()) {
      if (request.state === 'delayed') this.drop(request, cancelled(request, request.lane.key.operation));
    }
    const landed = this.inFlight.allLanded();
    for (const request of this.inFlight.requests())
      this.drop(request, cancelled(request, request.lane.key.operation));
    await landed;
    this.#deps.budget.flush();
  }

  #pass(): void {
    if (this.isStopped) return;
    const nowMs = this.nowMs();
    for (let request = this.delayed.popDue(nowMs); request !== null; request = this.delayed.popDue(nowMs)) {
      if (request.state === 'delayed') this.enqueue(request, true);
    }
    if (nowMs >= this.#storeRetryAtMs) this.#useStore(nowMs);
    this.#arm();
  }

  #useStore(nowMs: number): void {
    try {
      this.#otherProcesses.look(nowMs);
      if (this.inFlight.extend(nowMs)) this.#flushAtMs = nowMs;
      const ready: LaneState[] = [];
      const durable: LaneState[] = [];
      for (const lane of this.active) {
        if (this.#isReady(lane, nowMs)) (lane.limiter.isDurable ? durable : ready).push(lane);
      }
      if (ready.length > 0) this.#sendAll(this.#fromStock(ready));
      if (ready.length > 0) this.#grant(ready, false);
      if (durable.length > 0) this.#grant(durable, true);
      if (nowMs >= this.#flushAtMs) {
        this.#deps.budget.flush();
        this.#flushAtMs = Number.POSITIVE_INFINITY;
      }
      this.#storeFailures = 0;
    } catch (thrown) {
      this.#storeFailed(toAppError(thrown));
    }
  }

  #isReady(lane: LaneState, nowMs: number): boolean {
    const { reason, untilMs } = this.gate(lane, nowMs);
    lane.wakeAtMs = untilMs;
    if (reason === 'window' && untilMs - nowMs > LONG_WAIT_MS) this.#askForTime(lane, nowMs);
    return reason === 'ready';
  }

  /** The wall clock shows more elapsed time than is proven. It may be right, so the service is asked for its time. */
  #askForTime(lane: LaneState, nowMs: number): void {
    const { origin } = lane;
    if (nowMs - origin.timeAskedAtMs < ASK_EVERY_MS) return;
    if (this.#deps.clock.nowMs() - nowMs < UNSEEN_TIME_MS) return;
    origin.timeAskedAtMs = nowMs;
    // Deferred, because the callback may submit a request, and a transaction may be open now.
    queueMicrotask(() => this.#settings.onTimeUnconfirmed(lane.key.origin, lane.key.tokenId));
  }

  #grant(lanes: LaneState[], isDurable: boolean): void {
    const granted = this.#recorded(lanes, isDurable);
    this.#flushAtMs = Number.POSITIVE_INFINITY;
    this.#sendAll(granted);
  }

  #sendAll(granted: readonly QueuedRequest[]): void {
    for (const request of granted) {
      // Sending an earlier request may have cancelled this one.
      if (this.isStopped) this.drop(request, cancelled(request, request.lane.key.operation));
      if (request.state === 'granted') this.#send(request);
      else this.#returnGrant(request);
    }
  }

  /**
   * Grants permits that were recorded in advance to as many waiting requests of `lanes` as possible. Lanes that stay in
   * `lanes` may send more with a transaction. All of `lanes` must have been found ready just before.
   */
  #fromStock(lanes: LaneState[]): QueuedRequest[] {
    const { budget } = this.#deps;
    const nowMs = budget.nowMs();
    const granted: QueuedRequest[] = [];
    this.#isFresh = true;
    for (let lane = this.#next(lanes, nowMs); lane !== null; lane = this.#next(lanes, nowMs)) {
      const { limiter } = lane;
      if (mostSpare(limiter) === 0) break;
      const openUntilMs = nowMs + this.#settings.requestBoundMs;
      const permitId = budget.take(lane.id, openUntilMs, openUntilMs + limiter.horizonMs);
      if (permitId === null) break;
      const request = this.#take(lane, nowMs);
      request.trip.openUntilMs = openUntilMs;
      request.trip.permitId = permitId;
      limiter.start(permitId, nowMs);
      granted.push(request);
    }
    return granted;
  }

  /**
   * Like `#fromStock`, with one transaction that has ended when it returns. Throws like `transact`; then nothing was
   * granted.
   */
  #recorded(lanes: LaneState[], isDurable: boolean): QueuedRequest[] {
    const { budget } = this.#deps;
    const granted: QueuedRequest[] = [];
    try {
      budget.transact(isDurable, (changes, writer) => {
        this.lanes.apply(changes);
        this.#isFresh = false;
        const nowMs = budget.nowMs();
        for (let lane = this.#next(lanes, nowMs); lane !== null; lane = this.#next(lanes, nowMs)) {
          const request = this.#take(lane, nowMs);
          request.trip.permitId = 0;
          granted.push(request);
          this.#record(request, writer, nowMs);
        }
      });
    } catch (thrown) {
      for (const request of granted.reverse()) this.#putBack(request);
      throw thrown;
    }
    return granted;
  }

  #record(request: QueuedRequest, writer: LedgerWriter, nowMs: number): void {
    const { id, limiter } = request.lane;
    const { trip } = request;
    trip.openUntilMs = nowMs + this.#settings.requestBoundMs;
    const keepUntilMs = trip.openUntilMs + limiter.horizonMs;
    trip.permitId = writer.permit(id, trip.openUntilMs, keepUntilMs, mostSpare(limiter));
    if (limiter.start(trip.permitId, nowMs)) writer.saveLearned(id, JSON.stringify(limiter.state));
  }

  /** Releases the slot of a request that got its permit but is not sent. */
  #undo(request: QueuedRequest): void {
    const { limiter, origin } = request.lane;
    limiter.release(request.trip.permitId);
    origin.inFlight--;
    if (request.trip.isProbe) origin.breaker.abandonProbe();
  }

  #putBack(request: QueuedRequest): void {
    this.#undo(request);
    // The known state of the lane is outdated.
    request.lane.wakeAtMs = 0;
    this.enqueue(request, true);
  }

  /** The lane in `lanes` whose turn it is. Lanes that cannot send any more are removed from the list. */
  #next(lanes: LaneState[], nowMs: number): LaneState | null {
    while (lanes.length > 0) {
      const lane = chooseLane(lanes, this.#turn + 1);
      if (this.#isFresh || (lane.queue.size > 0 && this.#isReady(lane, nowMs))) return lane;
      lanes.splice(lanes.indexOf(lane), 1);
    }
    return null;
  }

  #take(lane: LaneState, nowMs: number): QueuedRequest {
    const request = lane.queue.shift();
    if (request === null) throw new RangeError('A lane without requests is not ready.');
    if (lane.queue.size === 0) this.active.delete(lane);
    lane.origin.inFlight++;
    request.state = 'granted';
    const trip = request.begin();
    trip.isProbe = lane.origin.breaker.decide(nowMs).kind === 'probe';
    if (trip.isProbe) lane.origin.breaker.startProbe();
    this.#turn++;
    lane.servedAtTurn = this.#turn;
    this.#isFresh = false;
    return request;
  }

  #returnGrant(request: QueuedRequest): void {
    this.#undo(request);
    this.#deps.budget.release(request.trip.permitId);
    this.#flushAtMs = Math.min(this.#flushAtMs, this.nowMs() + this.#flushAfterMs());
    this.plan();
  }

  #send(request: QueuedRequest): void {
    const sentAtMs = this.nowMs();
    request.state = 'in-flight';
    const { trip } = request;
    trip.attempts++;
    trip.sentAtMs = sentAtMs;
    trip.queuedMs += sentAtMs - request.waitingSinceMs;
    this.inFlight.add(request, sentAtMs);
    request.send(this.#land);
    this.#changed();
  }

  readonly #land = (request: QueuedRequest, result: Attempt<unknown>): void => {
    const flushAtMs = this.#flushAtMs;
    let mayFree = true;
    try {
      mayFree = this.#conclude(request, result, this.nowMs());
    } finally {
      this.inFlight.remove(request);
    }
    this.#changed();
    if (mayFree) this.plan();
    else if (this.#flushAtMs < flushAtMs) this.#arm();
  };

  /** Returns whether a lane can send something now that it could not before, or must wait less long. */
  #conclude(request: QueuedRequest, result: Attempt<unknown>, receivedAtMs: number): boolean {
    const { limiter, origin } = request.lane;
    const isOrdinary =
      result.kind === 'answered' &&
      result.status < 400 &&
      !waitsForAnswers(limiter.state) &&
      !origin.breaker.isOpen;
    request.lane.origin.inFlight--;
    const { trip } = request;
    trip.handle = null;
    trip.networkMs += receivedAtMs - trip.sentAtMs;
    request.waitingSinceMs = receivedAtMs;
    this.#noteChange(request);
    const hasNews = this.#otherProcesses.hasNews(receivedAtMs);
    const isUrgent = this.#concludeAttempt(request, result, receivedAtMs);
    this.#flushAtMs = Math.min(this.#flushAtMs, receivedAtMs + (isUrgent ? 0 : this.#flushAfterMs()));
    return isUrgent || !isOrdinary || hasNews || !this.#areAllTimed();
  }

  /** Returns true if something was learned that other processes should read at once. */
  #concludeAttempt(request: QueuedRequest, result: Attempt<unknown>, receivedAtMs: number): boolean {
    const { lane } = request;
    const isUrgent = this.lanes.conclude(request, result, receivedAtMs, this.#deps.random.next());
    this.#judgeOrigin(request, result, receivedAtMs);
    if (result.kind === 'answered' && result.status === 401 && request.canRefuseToken) {
      // A request sent before the last retry was requested says nothing about the current token.
      if (request.trip.sentAtMs >= this.askedAnewAtMs) this.#pauseToken(lane);
    }
    // Nobody waits for a cancelled request.
    if (request.state === 'in-flight') this.#judgeRequest(request, result, receivedAtMs);
    return isUrgent;
  }

  #judgeOrigin(request: QueuedRequest, result: Attempt<unknown>, nowMs: number): void {
    const { logger, random } = this.#deps;
    const { origin } = request.lane;
    const wasProbe = request.trip.isProbe;
    request.trip.isProbe = false;
    const health = origin.judge(result, wasProbe, nowMs, random.next());
    if (health === 'unchanged') return;
    if (health === 'back') logger.info('service is back', { origin: origin.origin });
    if (health === 'probe-failed') request.trip.failedProbes++;
    if (health === 'down') logger.warn('service is down', { origin: origin.origin });
    if (health === 'back') return;
    this.failInteractive();
    const { lastError } = origin.breaker;
    // The callee may submit at once.
    if (lastError !== null) queueMicrotask(() => this.#settings.onDown(origin.origin, lastError));
  }

  /** Rejects waiting interactive requests that could not be sent in time. */
  failInteractive(): void {
    const waiting: QueuedRequest[] = [];
    const note = (request: QueuedRequest) => request.isInteractive && waiting.push(request);
    for (const request of this.delayed.values()) if (request.state === 'delayed') note(request);
    for (const lane of this.active) for (const request of lane.queue.interactiveRequests()) note(request);
    for (const request of waiting) {
      const error = this.blockingError(request.lane);
      if (error !== null) this.drop(request, error);
    }
  }

  /** Called once for each token, however many requests are rejected. */
  #pauseToken(lane: LaneState): void {
    const { origin, tokenId } = lane.key;
    if (!this.pauses.add('unauthorized', origin, tokenId)) return;
    this.#deps.logger.warn('token not accepted', { origin });
    this.failInteractive();
    this.#settings.onUnauthorized(origin, tokenId);
  }

  #judgeRequest(request: QueuedRequest, result: Attempt<unknown>, nowMs: number): void {
    // In the common case no further checks are needed.
    if (result.kind === 'answered' && result.status < 400) {
      request.resolve(result.value, result.status);
      return;
    }
    const { lane } = request;
    if (result.kind === 'answered' && result.status === 429) request.trip.refusals++;
    const history = {
      attempts: request.trip.attempts - request.trip.refusals - request.trip.failedProbes,
      refusals: request.trip.refusals,
      isRepeatSafe: request.isRepeatSafe,
      operation: lane.key.operation,
    };
    const spend = () => lane.origin.quota.spend();
    const verdict = judge(result, history, this.#settings, this.#deps.random.next(), spend);
    if (verdict.kind === 'settle' && result.kind === 'answered') request.resolve(result.value, result.status);
    else if (verdict.kind === 'fail') request.reject(verdict.error);
    else if (verdict.kind === 'refused') this.enqueue(request, true);
    else if (verdict.kind === 'retry') {
      const blockingError = request.isInteractive ? this.blockingError(lane) : null;
      if (blockingError === null) this.#delay(request, nowMs + verdict.delayMs);
      else request.reject(blockingError);
    }
  }

  /** True if every lane with queued requests only waits for a known time. */
  #areAllTimed(): boolean {
    for (const { wakeAtMs } of this.active) if (!Number.isFinite(wakeAtMs)) return false;
    return true;
  }

  #noteChange(request: QueuedRequest): void {
    if (request.shareKey === null) request.lane.origin.changedAtMs = this.nowMs();
  }

  /**
   * Maximum delay before other processes see requests that ended here. A process that is alone writes them with the
   * next permits.
   */
  #flushAfterMs(): number {
    if (this.#deps.budget.isShared) return FLUSH_AFTER_MS;
    return this.active.size > 0 ? FLUSH_BUSY_ALONE_MS : FLUSH_ALONE_MS;
  }

  #storeFailed(error: AppError): void {
    const nowMs = this.nowMs();
    this.#storeFailures++;
    this.#storeRetryAtMs = nowMs + STORE_RETRY_MS * 2 ** Math.min(5, this.#storeFailures);
    this.#deps.logger.error('budget file failed', { code: error.code, failures: this.#storeFailures });
    if (this.#storeFailures < STORE_TRIES && error.code !== 'DISK_FULL') return;
    // Nothing may be sent without a recorded permit. Requests are rejected, because an error is better than waiting
    // forever.
    for (const lane of this.active)
      for (const request of [...lane.queue.requests()]) this.drop(request, error);
  }

  #arm(): void {
    if (this.isStopped) return;
    let atMs = Math.min(this.delayed.nextAtMs, this.#flushAtMs, this.inFlight.extendAtMs);
    for (const lane of this.active) atMs = Math.min(atMs, lane.wakeAtMs);
    this.#timer.set(Math.max(atMs, this.#storeRetryAtMs), this.nowMs());
  }
}
