/** Sends every request to the service. `RequestScheduler` describes its guarantees. */
import type { Lane } from '../core/limits/budget-ledger.ts';
import { forgotten } from '../core/limits/learned-state.ts';
import { PRIORITIES, type Priority } from '../core/priority.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { ChosenPriority, WaitingGroup } from '../shared/traffic-model.ts';
import { CancelSignals } from './cancel-signals.ts';
import { ChosenPriorities } from './chosen-priorities.ts';
import { Dispatcher } from './dispatcher.ts';
import { KEPT_FOR_VIEWS } from './gate.ts';
import { laneStatus } from './lane-status.ts';
import type { Cause } from './pauses.ts';
import { planAll } from './plan.ts';
import { cancelled, isInteractive, type LaneState, QueuedRequest, type Sharer } from './queued-request.ts';
import type {
  LaneStatus,
  Plan,
  RequestScheduler,
  RequestsToPlan,
  SchedulerDeps,
  SchedulerSettings,
  Sent,
  Submission,
} from './types.ts';
import { NONE_RETRYING, retryingByLane, waitingGroups } from './waiting.ts';

const NOTIFY_EVERY_MS = 100;

type Token = Pick<Lane, 'origin' | 'tokenId'>;

export const DEFAULT_SETTINGS: SchedulerSettings = {
  maxQueued: 200_000,
  maxInFlight: 24,
  maxAttempts: 4,
  maxRejections: 8,
  requestBoundMs: 300_000,
  onUnauthorized: () => undefined,
  onTimeUnconfirmed: () => undefined,
  onDown: () => undefined,
};

/** The caller owns the budget ledger and closes it after `stop`. */
export function createScheduler(deps: SchedulerDeps): RequestScheduler {
  return new Scheduler(deps);
}

class Scheduler implements RequestScheduler {
  readonly #deps: SchedulerDeps;
  readonly #settings: SchedulerSettings;
  readonly #dispatcher: Dispatcher;
  readonly #chosen = new ChosenPriorities();
  readonly #signals = new CancelSignals();
  readonly #listeners = new Set<() => void>();
  #cancelNotice: (() => void) | null = null;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#settings = { ...DEFAULT_SETTINGS, ...deps.settings };
    this.#dispatcher = new Dispatcher(deps, this.#settings, () => this.#changed());
  }

  submit<T>(submission: Submission<T>): Promise<Sent<T>> {
    return new Promise<Sent<T>>((resolve, reject) => {
      const { lane: key, signal } = submission;
      if (this.#dispatcher.isStopped || signal?.aborted === true) {
        reject(cancelled(null, key.operation));
        return;
      }
      let lane: LaneState;
      try {
        lane = this.#dispatcher.lanes.get(key);
      } catch (thrown) {
        reject(toAppError(thrown));
        return;
      }
      const request = this.#requestFor(lane, submission);
      if (request instanceof AppError) {
        reject(request);
        return;
      }
      const sharer: Sharer = {
        // The cast is safe, because a share key identifies one request, so all sharers expect the same type of answer.
        resolve: resolve as (sent: Sent<unknown>) => void,
        reject,
        detach: null,
        next: null,
      };
      request.share(sharer);
      if (signal !== undefined) {
        sharer.detach = this.#signals.listen(signal, () => this.#cancel(request, sharer));
      }
      this.#changed();
    });
  }

  choosePriority(token: Token, group: string, priority: ChosenPriority | null): void {
    const isOfToken = ({ key }: LaneState) => key.origin === token.origin && key.tokenId === token.tokenId;
    const waiting = [...this.#dispatcher.lanes.all()]
      .filter(isOfToken)
      .flatMap((lane) => [...lane.queue.heads()])
      .find((request) => request.group === group && !request.isInteractive);
    const target = this.#chosen.choose(token, group, priority, waiting ?? null);
    if (target === null) return;
    const isMoved = (from: Priority) => !isInteractive(from);
    for (const lane of this.#dispatcher.lanes.all()) {
      if (isOfToken(lane)) lane.queue.moveGroup(group, target, isMoved);
    }
    for (const request of this.#dispatcher.delayed.values()) {
      if (request.group !== group || request.state !== 'delayed') continue;
      if (isOfToken(request.lane) && isMoved(request.priority)) request.priority = target;
    }
    this.#dispatcher.failInteractive();
    this.#dispatcher.plan();
    this.#changed();
  }

  orderGroups(token: Token, kind: string, names: readonly string[] | null): void {
    this.#dispatcher.orders.set(token, kind, names);
    this.#dispatcher.plan();
    this.#changed();
  }

  groupOrder(token: Token, kind: string): string[] | null {
    return this.#dispatcher.orders.of(token, kind);
  }

  waiting(token: Token): WaitingGroup[] {
    return waitingGroups(this.#dispatcher, this.#chosen, token, (ms) => this.#toWall(ms));
  }

  forget(key: Lane): void {
    const { limiter, id } = this.#dispatcher.lanes.get(key);
    limiter.state = forgotten(limiter.state, limiter.category, this.#dispatcher.nowMs());
    this.#dispatcher.plan();
    this.#changed();
    this.#deps.budget.saveLearned(id, JSON.stringify(limiter.state));
    this.#deps.budget.flush();
  }

  pause(cause: Cause, origin?: string, tokenId?: string): void {
    this.#dispatcher.pauses.add(cause, origin, tokenId);
    this.#dispatcher.failInteractive();
    this.#changed();
  }

  resume(cause: Cause, origin?: string, tokenId?: string): void {
    this.#dispatcher.pauses.remove(cause, origin, tokenId);
    if (cause === 'unauthorized') this.#dispatcher.askedAnewAtMs = this.#dispatcher.nowMs();
    this.#dispatcher.plan();
    this.#changed();
  }

  pauseLanes(token: Token, operation: string | null): void {
    this.#dispatcher.pauses.setByHand(token, operation, true);
    this.#changed();
  }

  resumeLanes(token: Token, operation: string | null): void {
    this.#dispatcher.pauses.setByHand(token, operation, false);
    this.#dispatcher.plan();
    this.#changed();
  }

  areLanesPaused(token: Token): boolean {
    return this.#dispatcher.pauses.areAllByHand(token);
  }

  carryChoices(from: Token, to: Token, isShared: boolean): void {
    for (const choices of [this.#dispatcher.pauses, this.#dispatcher.orders, this.#chosen])
      choices.carry(from, to, isShared);
    this.#dispatcher.plan();
    this.#changed();
  }

  lastToken(origin: string): string | null {
    return this.#deps.budget.lastToken(origin);
  }

  status(): LaneStatus[] {
    this.#dispatcher.lookAtOthers();
    const nowMs = this.#dispatcher.nowMs();
    const retrying = retryingByLane(this.#dispatcher, nowMs);
    return [...this.#dispatcher.lanes.all()].map((lane) => {
      const gate = this.#dispatcher.gate(lane, nowMs);
      const waitsForOthers = gate.reason === 'in-flight' && lane.limiter.inFlightOfOthers > 0;
      return laneStatus(lane, gate, {
        pauses: this.#dispatcher.pauses,
        retrying: retrying.get(lane) ?? NONE_RETRYING,
        others: waitsForOthers ? this.#deps.budget.holdersOf(lane.id) : [],
        nowMs,
        toWall: (ms) => this.#toWall(ms),
      });
    });
  }

  plan(requests: readonly RequestsToPlan[], startAtMs: number | null = null): Plan {
    const nowMs = this.#dispatcher.nowMs();
    const fromMs = startAtMs === null ? nowMs : Math.max(nowMs, startAtMs - this.#toWall(0));
    const room = Math.max(1, this.#settings.maxInFlight - KEPT_FOR_VIEWS);
    return planAll(
      requests.map((one) => ({ ...one, lane: this.#dispatcher.lanes.get(one.lane) })),
      { nowMs, fromMs, room },
      (ms) => this.#toWall(ms),
    );
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  allowAttempts(most: number): void {
    this.#settings.maxAttempts = most;
  }

  async stop(): Promise<void> {
    this.#cancelNotice?.();
    this.#listeners.clear();
    await this.#dispatcher.stop();
  }

  #requestFor<T>(lane: LaneState, asked: Submission<T>): QueuedRequest | AppError {
    const priority = this.#chosen.of(lane.key, asked.group ?? '', asked.priority);
    const submission = priority === asked.priority ? asked : { ...asked, priority };
    const { shareKey } = submission;
    const shared = shareKey === undefined ? undefined : lane.reads.find(shareKey, lane.origin.changedAtMs);
    if (shared !== undefined) {
      const isWaiting = shared.state !== 'in-flight' && isInteractive(submission.priority);
      const blockingError = isWaiting ? this.#dispatcher.blockingError(lane, true) : null;
      if (blockingError !== null) return blockingError;
      this.#raise(shared, submission);
      return shared;
    }
    const request = new QueuedRequest(lane, submission, this.#dispatcher.nowMs());
    const blockingError = request.isInteractive ? this.#dispatcher.blockingError(lane, true) : null;
    if (blockingError !== null) return blockingError;
    if (this.#dispatcher.waiting >= this.#settings.maxQueued) {
      return new AppError(
        'QUEUE_FULL',
        `${this.#settings.maxQueued} requests are waiting already. Let some of them finish, then try again.`,
        { operation: lane.key.operation, outcome: 'unsent' },
      );
    }
    lane.reads.add(request);
    this.#dispatcher.enqueue(request);
    return request;
  }

  /** A shared request has the most urgent priority of all its callers. */
  #raise(request: QueuedRequest, submission: { priority: Priority; group?: string }): void {
    if (PRIORITIES.indexOf(submission.priority) >= PRIORITIES.indexOf(request.priority)) return;
    const isQueued = request.state === 'queued';
    if (isQueued) request.lane.queue.remove(request);
    request.priority = submission.priority;
    request.group = submission.group ?? '';
    if (isQueued) this.#dispatcher.enqueue(request);
  }

  #cancel(request: QueuedRequest, sharer: Sharer): void {
    if (!request.isWantedBy(sharer)) return;
    const error = cancelled(request, request.lane.key.operation);
    if (request.sharers?.next === null) {
      this.#dispatcher.drop(request, error);
      return;
    }
    request.unshare(sharer);
    sharer.reject(error);
  }

  #toWall(ledgerMs: number): number {
    return this.#deps.clock.nowMs() + ledgerMs - this.#dispatcher.nowMs();
  }

  #changed(): void {
    if (this.#cancelNotice !== null || this.#listeners.size === 0) return;
    this.#cancelNotice = this.#deps.clock.setTimer(
      () => {
        this.#cancelNotice = null;
        for (const listener of this.#listeners) listener();
      },
      NOTIFY_EVERY_MS,
      'telling of the queue',
    );
  }
}
