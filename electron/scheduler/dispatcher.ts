/**
 * Gives permits and sends: one pass looks at every lane that has something waiting, records the permits in one
 * transaction and sends in the same tick. Nothing here waits; one timer wakes it for whatever comes first.
 */
import type { Attempt } from '../core/attempt.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import { chooseLane } from './choose-lane.ts';
import { DelayHeap } from './delay-heap.ts';
import { Flights } from './flights.ts';
import { type Gate, gateOf } from './gate.ts';
import { AttemptHandle, cancelled, type Job } from './job.ts';
import { askForTime, concludeAttempt } from './landing.ts';
import { type LaneState, Lanes } from './lanes.ts';
import { Pauses } from './pauses.ts';
import { refusalOf } from './refusal.ts';
import type { SchedulerDeps, SchedulerSettings } from './types.ts';
import { WakeTimer } from './wake-timer.ts';

const FLUSH_AFTER_MS = 75;
/** How often to look what other processes did. */
const LOOK_AT_OTHERS_MS = 25;
const LONG_WAIT_MS = 600_000;
/** A lane that sleeps longer is looked at again when something is added to it. */
const FAR_MS = 1_000;
const STORE_RETRY_MS = 100;
const STORE_TRIES = 5;

interface Grant {
  job: Job;
  permitId: number;
}

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
  #turn = 0;
  #isPassPlanned = false;
  #flushAtMs = Number.POSITIVE_INFINITY;
  #storeRetryAtMs = 0;
  #lookAtMs = 0;
  #storeFailures = 0;
  isStopped = false;

  constructor(deps: SchedulerDeps, settings: SchedulerSettings, changed: () => void) {
    this.deps = deps;
    this.settings = settings;
    this.changed = changed;
    this.lanes = new Lanes(deps.budget, deps.clock);
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
    if (queue.nextLevel !== before || queue.size === 1 || this.#isFar(job.lane.wakeAtMs)) this.plan();
  }

  #isFar(wakeAtMs: number): boolean {
    return Number.isFinite(wakeAtMs) && wakeAtMs - this.nowMs() > FAR_MS;
  }

  delay(job: Job, untilMs: number): void {
    job.state = 'delayed';
    job.retryAtMs = untilMs;
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
    try {
      this.lanes.apply(this.deps.budget.refresh());
    } catch (thrown) {
      // The picture is that of the last look; the next send says whether the file can be used.
      this.deps.logger.warn('budget file not read', { code: toAppError(thrown).code });
    }
  }

  /** Why a lane does not send now; `ready` when it does. `untilMs` is Infinity where no time is known. */
  gate(lane: LaneState, nowMs: number): Gate {
    if (this.pauses.reason(lane.key) !== null) return { why: 'paused', untilMs: Number.POSITIVE_INFINITY };
    return gateOf(lane, this.#turn, this.settings.maxInFlight, nowMs);
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
    const { handle } = job;
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
      // A grant reads what others did once more, in its transaction.
      if (nowMs >= this.#lookAtMs) {
        this.lanes.apply(this.deps.budget.refresh());
        this.#lookAtMs = nowMs + LOOK_AT_OTHERS_MS;
      }
      if (this.flights.extend(nowMs)) this.#flushAtMs = nowMs;
      const ready: LaneState[] = [];
      const durable: LaneState[] = [];
      for (const lane of this.active) {
        if (this.#isReady(lane, nowMs)) (lane.limiter.isDurable ? durable : ready).push(lane);
      }
      this.#grant(ready, false);
      this.#grant(durable, true);
      if (nowMs >= this.#flushAtMs) {
        this.#flushAtMs = Number.POSITIVE_INFINITY;
        this.deps.budget.flush();
      }
      this.#storeFailures = 0;
    } catch (thrown) {
      this.#storeFailed(toAppError(thrown));
    }
  }

  #isReady(lane: LaneState, nowMs: number): boolean {
    const { why, untilMs } = this.gate(lane, nowMs);
    lane.wakeAtMs = untilMs;
    if (why === 'window' && untilMs - nowMs > LONG_WAIT_MS) askForTime(this, lane, nowMs);
    return why === 'ready';
  }

  /** Permits for as many waiting requests as fit, recorded together; then all are sent. */
  #grant(lanes: LaneState[], isDurable: boolean): void {
    if (lanes.length === 0) return;
    const { budget } = this.deps;
    const grants: Grant[] = [];
    try {
      budget.transact(isDurable, (changes, writer) => {
        this.lanes.apply(changes);
        for (let job = this.#takeNext(lanes); job !== null; job = this.#takeNext(lanes)) {
          const { lane } = job;
          const nowMs = budget.nowMs();
          job.openUntilMs = nowMs + this.settings.requestBoundMs;
          const grant = { job, permitId: 0 };
          grants.push(grant);
          const keepUntilMs = job.openUntilMs + lane.limiter.horizonMs;
          grant.permitId = writer.permit(lane.id, job.openUntilMs, keepUntilMs);
          if (lane.limiter.start(grant.permitId, nowMs)) {
            writer.saveLearned(lane.id, JSON.stringify(lane.limiter.state));
          }
        }
      });
    } catch (thrown) {
      for (const { job, permitId } of grants.reverse()) {
        job.lane.limiter.release(permitId);
        job.lane.origin.inFlight--;
        if (job.isProbe) job.lane.origin.breaker.abandonProbe();
        this.enqueue(job, true);
      }
      throw thrown;
    }
    this.#flushAtMs = Number.POSITIVE_INFINITY;
    for (const grant of grants) this.#send(grant);
  }

  /** The lane whose turn it is among `lanes`; those that cannot send any more leave the list. */
  #takeNext(lanes: LaneState[]): Job | null {
    while (lanes.length > 0) {
      const lane = chooseLane(lanes, this.#turn + 1);
      const job = this.#take(lane);
      if (job !== null) {
        this.#turn++;
        lane.servedAtTurn = this.#turn;
        return job;
      }
      lanes.splice(lanes.indexOf(lane), 1);
    }
    return null;
  }

  #take(lane: LaneState): Job | null {
    const nowMs = this.nowMs();
    if (lane.queue.size === 0 || !this.#isReady(lane, nowMs)) return null;
    const job = lane.queue.shift();
    if (job === null) return null;
    if (lane.queue.size === 0) this.active.delete(lane);
    lane.origin.inFlight++;
    job.isProbe = lane.origin.breaker.decide(nowMs).kind === 'probe';
    if (job.isProbe) lane.origin.breaker.startProbe();
    return job;
  }

  #send(grant: Grant): void {
    const { job, permitId } = grant;
    const sentAtMs = this.nowMs();
    job.state = 'in-flight';
    job.permitId = permitId;
    job.attempts++;
    const handle = new AttemptHandle(job.attempts);
    job.handle = handle;
    job.queuedMs += sentAtMs - job.waitingSinceMs;
    const landing = job.send(handle, (result) => this.#land(job, permitId, sentAtMs, result));
    this.flights.add(job, landing, sentAtMs);
    this.changed();
  }

  #land(job: Job, permitId: number, sentAtMs: number, result: Attempt<unknown>): void {
    const receivedAtMs = this.nowMs();
    this.flights.remove(job);
    job.lane.origin.inFlight--;
    job.handle = null;
    job.networkMs += receivedAtMs - sentAtMs;
    job.waitingSinceMs = receivedAtMs;
    const isUrgent = concludeAttempt(this, job, permitId, result, { sentAtMs, receivedAtMs });
    this.#flushAtMs = Math.min(this.#flushAtMs, receivedAtMs + (isUrgent ? 0 : FLUSH_AFTER_MS));
    this.changed();
    this.plan();
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
    let atMs = Math.min(this.delayed.nextAtMs, this.#flushAtMs, this.flights.extendAtMs);
    for (const lane of this.active) atMs = Math.min(atMs, lane.wakeAtMs);
    this.#timer.set(Math.max(atMs, this.#storeRetryAtMs), this.nowMs());
  }
}
