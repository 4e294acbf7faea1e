/**
 * Gives permits and sends: one pass looks at every lane that has something waiting, records the permits in one
 * transaction and sends in the same tick. Nothing here waits; one timer wakes it for whatever comes first.
 */
import type { Attempt } from '../core/attempt.ts';
import { waitsForAnswers } from '../core/learned-state.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import { DelayHeap } from './delay-heap.ts';
import { Flights } from './flights.ts';
import { type Gate, gateOf } from './gate.ts';
import { Granting } from './granting.ts';
import { cancelled, type Job, type LaneState } from './job.ts';
import { askForTime, concludeAttempt } from './landing.ts';
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

export class Dispatcher {
  readonly lanes: Lanes;
  readonly pauses = new Pauses();
  readonly delayed = new DelayHeap<Job>();
  readonly flights: Flights;
  /** Lanes with something queued. */
  readonly active = new Set<LaneState>();
  readonly deps: SchedulerDeps;
  readonly settings: SchedulerSettings;
  readonly changed: () => void;
  readonly #timer: WakeTimer;
  readonly #others: OthersWatch;
  readonly #granting = new Granting(this);
  #isPassPlanned = false;
  #flushAtMs = Number.POSITIVE_INFINITY;
  #storeRetryAtMs: number;
  #storeFailures = 0;
  isStopped = false;
  /** When a token that was not accepted was last to be tried again. */
  askedAnewAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SchedulerDeps, settings: SchedulerSettings, changed: () => void) {
    this.deps = deps;
    this.settings = settings;
    this.changed = changed;
    this.#storeRetryAtMs = deps.budget.readyAtMs;
    this.lanes = new Lanes(deps);
    this.#others = new OthersWatch(deps, this.lanes);
    this.flights = new Flights(deps.budget, settings.requestBoundMs);
    this.#timer = new WakeTimer(deps.clock, () => this.#pass());
  }

  nowMs(): number {
    return this.deps.budget.nowMs();
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

  delay(job: Job, untilMs: number): void {
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
    return gateOf(lane, this.#granting.turn, this.settings.maxInFlight, nowMs);
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
    this.changed();
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
    this.deps.budget.flush();
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
        if (this.isReady(lane, nowMs)) (lane.limiter.isDurable ? durable : ready).push(lane);
      }
      if (ready.length > 0) this.#sendAll(this.#granting.fromStock(ready));
      if (ready.length > 0) this.#grant(ready, false);
      if (durable.length > 0) this.#grant(durable, true);
      if (nowMs >= this.#flushAtMs) {
        this.deps.budget.flush();
        this.#flushAtMs = Number.POSITIVE_INFINITY;
      }
      this.#storeFailures = 0;
    } catch (thrown) {
      this.#storeFailed(toAppError(thrown));
    }
  }

  isReady(lane: LaneState, nowMs: number): boolean {
    const { why, untilMs } = this.gate(lane, nowMs);
    lane.wakeAtMs = untilMs;
    if (why === 'window' && untilMs - nowMs > LONG_WAIT_MS) askForTime(this, lane, nowMs);
    return why === 'ready';
  }

  #grant(lanes: LaneState[], isDurable: boolean): void {
    const granted = this.#granting.recorded(lanes, isDurable);
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

  #takeBack(job: Job): void {
    this.#granting.undo(job);
    this.deps.budget.release(job.trip.permitId);
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
    this.changed();
  }

  readonly #land = (job: Job, result: Attempt<unknown>): void => {
    const flushAtMs = this.#flushAtMs;
    let mayFree = true;
    try {
      mayFree = this.#conclude(job, result, this.nowMs());
    } finally {
      this.flights.remove(job);
    }
    this.changed();
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
    const isUrgent = concludeAttempt(this, job, result, receivedAtMs);
    this.#flushAtMs = Math.min(this.#flushAtMs, receivedAtMs + (isUrgent ? 0 : this.#flushAfterMs()));
    return isUrgent || !isOrdinary || hasNews || !this.#areAllTimed();
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
    if (this.deps.budget.isShared) return FLUSH_AFTER_MS;
    return this.active.size > 0 ? FLUSH_BUSY_ALONE_MS : FLUSH_ALONE_MS;
  }

  #storeFailed(error: AppError): void {
    const nowMs = this.nowMs();
    this.#storeFailures++;
    this.#storeRetryAtMs = nowMs + STORE_RETRY_MS * 2 ** Math.min(5, this.#storeFailures);
    this.deps.logger.error('budget file failed', { code: error.code, failures: this.#storeFailures });
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
