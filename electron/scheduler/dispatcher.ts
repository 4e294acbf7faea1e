/**
 * Gives permits and sends: one pass looks at every lane that has something waiting, records the permits in one
 * transaction and sends in the same tick. Nothing here waits; one timer wakes it for whatever comes first.
 */

import type { Attempt } from '../core/attempt.ts';
import type { LedgerWriter } from '../core/budget-ledger.ts';
import { waitsForAnswers } from '../core/learned-state.ts';
import { judge } from '../core/retry-policy.ts';
import { mostSpare } from '../core/spare-permits.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import { chooseLane } from './choose-lane.ts';
import { DelayHeap } from './delay-heap.ts';
import { Flights } from './flights.ts';
import { type Gate, gateOf } from './gate.ts';
import { cancelled, type Job, type LaneState } from './job.ts';
import { Lanes } from './lanes.ts';
import { OthersWatch } from './others-watch.ts';
import { Pauses } from './pauses.ts';
import { refusalOf } from './refusal.ts';
import type { SchedulerDeps, SchedulerSettings } from './types.ts';
import { WakeTimer } from './wake-timer.ts';

const FLUSH_AFTER_MS = 75;
const FLUSH_ALONE_MS = 250;
const FLUSH_BUSY_ALONE_MS = 3_000;
const LONG_WAIT_MS = 600_000;
/** A lane that sleeps longer is looked at again when something is added to it. */
const FAR_MS = 1_000;
const STORE_RETRY_MS = 100;
const STORE_TRIES = 5;
const UNSEEN_TIME_MS = 120_000;
const ASK_EVERY_MS = 600_000;

export class Dispatcher {
  readonly lanes: Lanes;
  readonly pauses = new Pauses();
  readonly delayed = new DelayHeap<Job>();
  readonly flights: Flights;
  /** Lanes with something queued. */
  readonly active = new Set<LaneState>();
  readonly #deps: SchedulerDeps;
  readonly #settings: SchedulerSettings;
  readonly #changed: () => void;
  readonly #timer: WakeTimer;
  readonly #others: OthersWatch;
  /** Counts the sends of all lanes. */
  #turn = 0;
  /** What was found out about the lanes of this pass still holds. */
  #isFresh = false;
  #isPassPlanned = false;
  #flushAtMs = Number.POSITIVE_INFINITY;
  #storeRetryAtMs: number;
  #storeFailures = 0;
  isStopped = false;
  /** When a token that was not accepted was last to be tried again. */
  askedAnewAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SchedulerDeps, settings: SchedulerSettings, changed: () => void) {
    this.#deps = deps;
    this.#settings = settings;
    this.#changed = changed;
    this.#storeRetryAtMs = deps.budget.readyAtMs;
    this.lanes = new Lanes(deps);
    this.#others = new OthersWatch(deps, this.lanes);
    this.flights = new Flights(deps.budget, settings.requestBoundMs);
    this.#timer = new WakeTimer(deps.clock, () => this.#pass());
  }

  nowMs(): number {
    return this.#deps.budget.nowMs();
  }

  enqueue(job: Job, isFirst = false): void {
    const { queue } = job.lane;
    const before = queue.nextLevel;
    job.state = 'queued';
    queue.push(job, isFirst);
    this.active.add(job.lane);
    // Behind others of its kind it changes nothing: what they wait for wakes the lane, unless that is far away.
    if (queue.nextLevel !== before || this.#isFar(job.lane.wakeAtMs)) this.plan();
  }

  #isFar(wakeAtMs: number): boolean {
    return Number.isFinite(wakeAtMs) && wakeAtMs - this.nowMs() > FAR_MS;
  }

  #delay(job: Job, untilMs: number): void {
    job.state = 'delayed';
    job.trip.retryAtMs = untilMs;
    this.delayed.push(untilMs, job);
  }

  /** Requests that wait for a permit, or for their next attempt. */
  get waiting(): number {
    let count = this.delayed.size;
    for (const lane of this.active) count += lane.queue.size;
    return count;
  }

  /** A pass at the end of this tick, however many asked for it. */
  plan(): void {
    if (this.#isPassPlanned || this.isStopped) return;
    this.#isPassPlanned = true;
    queueMicrotask(() => {
      this.#isPassPlanned = false;
      this.#pass();
    });
  }

  /** Takes what other processes did, where nothing waits and no pass would look. */
  lookAtOthers(): void {
    if (this.#others.hasNews(this.nowMs(), true)) this.plan();
  }

  /** Why a lane does not send now; `ready` when it does. `untilMs` is Infinity where no time is known. */
  gate(lane: LaneState, nowMs: number): Gate {
    if (this.pauses.reason(lane.key) !== null) return { why: 'paused', untilMs: Number.POSITIVE_INFINITY };
    return gateOf(lane, this.#turn, this.#settings.maxInFlight, nowMs);
  }

  /**
   * Why requests that somebody looks at cannot wait in this lane now; null when they can. What waited already
   * when a person paused the lane goes on waiting: a pause throws nothing away.
   */
  refusal(lane: LaneState, isNew = false): AppError | null {
    const paused = this.pauses.reason(lane.key);
    return refusalOf(lane, paused === 'user' && !isNew ? null : paused, this.nowMs());
  }

  /** Takes a waiting job out and rejects it; the place of one in flight stays until its attempt ends. */
  drop(job: Job, error: AppError): void {
    if (job.state === 'queued') job.lane.queue.remove(job);
    if (job.lane.queue.size === 0) this.active.delete(job.lane);
    const { handle } = job.trip;
    if (job.state === 'in-flight') this.#noteChange(job);
    job.reject(error);
    handle?.abort(error);
    this.#changed();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.#timer.set(Number.POSITIVE_INFINITY, 0);
    for (const lane of this.active) {
      for (const job of [...lane.queue.jobs()]) this.drop(job, cancelled(job, lane.key.operation));
    }
    for (const job of this.delayed.values()) {
      if (job.state === 'delayed') this.drop(job, cancelled(job, job.lane.key.operation));
    }
    const landed = this.flights.allLanded();
    for (const job of this.flights.jobs()) this.drop(job, cancelled(job, job.lane.key.operation));
    await landed;
    this.#deps.budget.flush();
  }

  #pass(): void {
    if (this.isStopped) return;
    const nowMs = this.nowMs();
    for (let job = this.delayed.popDue(nowMs); job !== null; job = this.delayed.popDue(nowMs)) {
      if (job.state === 'delayed') this.enqueue(job, true);
    }
    if (nowMs >= this.#storeRetryAtMs) this.#useStore(nowMs);
    this.#arm();
  }

  #useStore(nowMs: number): void {
    try {
      this.#others.look(nowMs);
      if (this.flights.extend(nowMs)) this.#flushAtMs = nowMs;
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
    const { why, untilMs } = this.gate(lane, nowMs);
    lane.wakeAtMs = untilMs;
    if (why === 'window' && untilMs - nowMs > LONG_WAIT_MS) this.#askForTime(lane, nowMs);
    return why === 'ready';
  }

  /** The wall clock says that more time passed than is proven: it may be right, so the service is asked. */
  #askForTime(lane: LaneState, nowMs: number): void {
    const { origin } = lane;
    if (nowMs - origin.timeAskedAtMs < ASK_EVERY_MS) return;
    if (this.#deps.clock.nowMs() - nowMs < UNSEEN_TIME_MS) return;
    origin.timeAskedAtMs = nowMs;
    // Whoever is asked may submit at once, and this may be the middle of a transaction.
    queueMicrotask(() => this.#settings.onTimeUnconfirmed(lane.key.origin, lane.key.tokenId));
  }

  #grant(lanes: LaneState[], isDurable: boolean): void {
    const granted = this.#recorded(lanes, isDurable);
    this.#flushAtMs = Number.POSITIVE_INFINITY;
    this.#sendAll(granted);
  }

  #sendAll(granted: readonly Job[]): void {
    for (const job of granted) {
      // Who was sent just now may have ended this one.
      if (this.isStopped) this.drop(job, cancelled(job, job.lane.key.operation));
      if (job.state === 'granted') this.#send(job);
      else this.#takeBack(job);
    }
  }

  /**
   * Permits for as many waiting requests of `lanes` as fit, as long as there are permits that were recorded
   * beforehand. What remains in `lanes` may send more, with a transaction. All of `lanes` were found ready just now.
   */
  #fromStock(lanes: LaneState[]): Job[] {
    const { budget } = this.#deps;
    const nowMs = budget.nowMs();
    const granted: Job[] = [];
    this.#isFresh = true;
    for (let lane = this.#next(lanes, nowMs); lane !== null; lane = this.#next(lanes, nowMs)) {
      const { limiter } = lane;
      if (mostSpare(limiter) === 0) break;
      const openUntilMs = nowMs + this.#settings.requestBoundMs;
      const permitId = budget.take(lane.id, openUntilMs, openUntilMs + limiter.horizonMs);
      if (permitId === null) break;
      const job = this.#take(lane, nowMs);
      job.trip.openUntilMs = openUntilMs;
      job.trip.permitId = permitId;
      limiter.start(permitId, nowMs);
      granted.push(job);
    }
    return granted;
  }

  /** The same with one transaction, which is over when this returns. Throws as `transact` does: none was granted then. */
  #recorded(lanes: LaneState[], isDurable: boolean): Job[] {
    const { budget } = this.#deps;
    const granted: Job[] = [];
    try {
      budget.transact(isDurable, (changes, writer) => {
        this.lanes.apply(changes);
        this.#isFresh = false;
        const nowMs = budget.nowMs();
        for (let lane = this.#next(lanes, nowMs); lane !== null; lane = this.#next(lanes, nowMs)) {
          const job = this.#take(lane, nowMs);
          job.trip.permitId = 0;
          granted.push(job);
          this.#record(job, writer, nowMs);
        }
      });
    } catch (thrown) {
      for (const job of granted.reverse()) this.#putBack(job);
      throw thrown;
    }
    return granted;
  }

  #record(job: Job, writer: LedgerWriter, nowMs: number): void {
    const { id, limiter } = job.lane;
    const { trip } = job;
    trip.openUntilMs = nowMs + this.#settings.requestBoundMs;
    const keepUntilMs = trip.openUntilMs + limiter.horizonMs;
    trip.permitId = writer.permit(id, trip.openUntilMs, keepUntilMs, mostSpare(limiter));
    if (limiter.start(trip.permitId, nowMs)) writer.saveLearned(id, JSON.stringify(limiter.state));
  }

  /** A request that got its permit and is not sent: it takes no place any more. */
  #undo(job: Job): void {
    const { limiter, origin } = job.lane;
    limiter.release(job.trip.permitId);
    origin.inFlight--;
    if (job.trip.isProbe) origin.breaker.abandonProbe();
  }

  #putBack(job: Job): void {
    this.#undo(job);
    // What was found out about its lane since then does not hold.
    job.lane.wakeAtMs = 0;
    this.enqueue(job, true);
  }

  /** The lane whose turn it is among `lanes`; those that cannot send any more leave the list. */
  #next(lanes: LaneState[], nowMs: number): LaneState | null {
    while (lanes.length > 0) {
      const lane = chooseLane(lanes, this.#turn + 1);
      if (this.#isFresh || (lane.queue.size > 0 && this.#isReady(lane, nowMs))) return lane;
      lanes.splice(lanes.indexOf(lane), 1);
    }
    return null;
  }

  #take(lane: LaneState, nowMs: number): Job {
    const job = lane.queue.shift();
    if (job === null) throw new RangeError('A lane without requests is not ready.');
    if (lane.queue.size === 0) this.active.delete(lane);
    lane.origin.inFlight++;
    job.state = 'granted';
    const trip = job.begin();
    trip.isProbe = lane.origin.breaker.decide(nowMs).kind === 'probe';
    if (trip.isProbe) lane.origin.breaker.startProbe();
    this.#turn++;
    lane.servedAtTurn = this.#turn;
    this.#isFresh = false;
    return job;
  }

  #takeBack(job: Job): void {
    this.#undo(job);
    this.#deps.budget.release(job.trip.permitId);
    this.#flushAtMs = Math.min(this.#flushAtMs, this.nowMs() + this.#flushAfterMs());
    this.plan();
  }

  #send(job: Job): void {
    const sentAtMs = this.nowMs();
    job.state = 'in-flight';
    const { trip } = job;
    trip.attempts++;
    trip.sentAtMs = sentAtMs;
    trip.queuedMs += sentAtMs - job.waitingSinceMs;
    this.flights.add(job, sentAtMs);
    job.send(this.#land);
    this.#changed();
  }

  readonly #land = (job: Job, result: Attempt<unknown>): void => {
    const flushAtMs = this.#flushAtMs;
    let mayFree = true;
    try {
      mayFree = this.#conclude(job, result, this.nowMs());
    } finally {
      this.flights.remove(job);
    }
    this.#changed();
    if (mayFree) this.plan();
    else if (this.#flushAtMs < flushAtMs) this.#arm();
  };

  /** Returns whether something may be sent now, or wait less long, that was not known before. */
  #conclude(job: Job, result: Attempt<unknown>, receivedAtMs: number): boolean {
    const { limiter, origin } = job.lane;
    const isOrdinary =
      result.kind === 'answered' &&
      result.status < 400 &&
      !waitsForAnswers(limiter.state) &&
      !origin.breaker.isOpen;
    job.lane.origin.inFlight--;
    const { trip } = job;
    trip.handle = null;
    trip.networkMs += receivedAtMs - trip.sentAtMs;
    job.waitingSinceMs = receivedAtMs;
    this.#noteChange(job);
    const hasNews = this.#others.hasNews(receivedAtMs);
    const isUrgent = this.#concludeAttempt(job, result, receivedAtMs);
    this.#flushAtMs = Math.min(this.#flushAtMs, receivedAtMs + (isUrgent ? 0 : this.#flushAfterMs()));
    return isUrgent || !isOrdinary || hasNews || !this.#areAllTimed();
  }

  /** Returns whether something was learned that other processes should read at once. */
  #concludeAttempt(job: Job, result: Attempt<unknown>, receivedAtMs: number): boolean {
    const { lane } = job;
    const isUrgent = this.lanes.conclude(job, result, receivedAtMs, this.#deps.random.next());
    this.#judgeOrigin(job, result, receivedAtMs);
    if (result.kind === 'answered' && result.status === 401) {
      // What was sent before somebody asked anew says nothing about the token as it is now.
      if (job.trip.sentAtMs >= this.askedAnewAtMs) this.#pauseToken(lane);
    }
    // A cancelled request has nobody left to tell.
    if (job.state === 'in-flight') this.#judgeJob(job, result, receivedAtMs);
    return isUrgent;
  }

  #judgeOrigin(job: Job, result: Attempt<unknown>, nowMs: number): void {
    const { logger, random } = this.#deps;
    const { origin } = job.lane;
    const wasProbe = job.trip.isProbe;
    job.trip.isProbe = false;
    const health = origin.judge(result, wasProbe, nowMs, random.next());
    if (health === 'unchanged') return;
    if (health === 'back') logger.info('service is back', { origin: origin.origin });
    if (health === 'probe-failed') job.trip.failedProbes++;
    if (health === 'down') logger.warn('service is down', { origin: origin.origin });
    if (health !== 'back') this.failInteractive();
  }

  /** Ends the waiting requests somebody looks at where they would wait for nothing. */
  failInteractive(): void {
    const waiting: Job[] = [];
    const note = (job: Job) => job.isInteractive && waiting.push(job);
    for (const job of this.delayed.values()) if (job.state === 'delayed') note(job);
    for (const lane of this.active) for (const job of lane.queue.interactiveJobs()) note(job);
    for (const job of waiting) {
      const error = this.refusal(job.lane);
      if (error !== null) this.drop(job, error);
    }
  }

  /** Once per token, however many requests are refused. */
  #pauseToken(lane: LaneState): void {
    const { origin, tokenId } = lane.key;
    if (!this.pauses.add('unauthorized', origin, tokenId)) return;
    this.#deps.logger.warn('token not accepted', { origin });
    this.failInteractive();
    this.#settings.onUnauthorized(origin, tokenId);
  }

  #judgeJob(job: Job, result: Attempt<unknown>, nowMs: number): void {
    // What nearly every answer is needs no judgement.
    if (result.kind === 'answered' && result.status < 400) {
      job.resolve(result.value, result.status);
      return;
    }
    const { lane } = job;
    if (result.kind === 'answered' && result.status === 429) job.trip.refusals++;
    const history = {
      attempts: job.trip.attempts - job.trip.refusals - job.trip.failedProbes,
      refusals: job.trip.refusals,
      isRepeatSafe: job.isRepeatSafe,
      operation: lane.key.operation,
    };
    const spend = () => lane.origin.quota.spend();
    const verdict = judge(result, history, this.#settings, this.#deps.random.next(), spend);
    if (verdict.kind === 'settle' && result.kind === 'answered') job.resolve(result.value, result.status);
    else if (verdict.kind === 'fail') job.reject(verdict.error);
    else if (verdict.kind === 'refused') this.enqueue(job, true);
    else if (verdict.kind === 'retry') {
      const refusal = job.isInteractive ? this.refusal(lane) : null;
      if (refusal === null) this.#delay(job, nowMs + verdict.delayMs);
      else job.reject(refusal);
    }
  }

  /** Each lane with something queued waits for a time that is known, and for nothing else. */
  #areAllTimed(): boolean {
    for (const { wakeAtMs } of this.active) if (!Number.isFinite(wakeAtMs)) return false;
    return true;
  }

  #noteChange(job: Job): void {
    if (job.shareKey === null) job.lane.origin.changedAtMs = this.nowMs();
  }

  /** How long others may go without what ended here. Who is alone writes it with the next permits. */
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
    // Without a recorded permit nothing may be sent: better an error than a request that waits for ever.
    for (const lane of this.active) for (const job of [...lane.queue.jobs()]) this.drop(job, error);
  }

  #arm(): void {
    if (this.isStopped) return;
    let atMs = Math.min(this.delayed.nextAtMs, this.#flushAtMs, this.flights.extendAtMs);
    for (const lane of this.active) atMs = Math.min(atMs, lane.wakeAtMs);
    this.#timer.set(Math.max(atMs, this.#storeRetryAtMs), this.nowMs());
  }
}
