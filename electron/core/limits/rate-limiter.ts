/**
 * Decides *grant* or *not before t* for one lane (token and endpoint). Pure: time is passed to each call.
 *
 * A request occupies every window from its send until one window length after its answer. The service counts it at some
 * instant between send and answer; so of any requests counted within one window length, all but the last occupied the
 * window when the last was granted. Keeping occupied slots at or below the limit is therefore correct for rolling,
 * fixed and bucket counting, whatever the latency and the service's clock.
 */
import type { PermitRecord } from './budget-ledger.ts';
import {
  initialState,
  type LearnedState,
  type LearnedWindow,
  merged,
  moveBack,
  parseLearned,
} from './learned-state.ts';
import { DAY_MS, type LimitCategory, type LimitWindow } from './limits.ts';
import { Occupancy } from './occupancy.ts';
import type { UnseenTime } from './service-clock.ts';
import { LONG_WINDOW_MS, leavesAtMs, marginMs, nextTryMs, occupiedSince } from './window-places.ts';

type Decision =
  | { kind: 'grant' }
  | {
      kind: 'wait';
      reason: 'window' | 'retry-after' | 'in-flight';
      /** Ledger time until which to wait; Infinity if only an answer can change it. */
      untilMs: number;
      window: LearnedWindow | null;
    };

interface WindowUse {
  count: number;
  lengthMs: number;
  used: number;
  foreign: number;
  /**
   * Ledger time at which the next occupied slot becomes free; null if no slot is occupied, or if only an answer frees
   * it.
   */
  freeAtMs: number | null;
}

/** Answer times are kept this much longer than they occupy a window, so that late answers can be evaluated. */
const KEEP_EXTRA_MS = 60_000;

const GRANT: Decision = { kind: 'grant' };

export class RateLimiter {
  readonly category: LimitCategory;
  state: LearnedState;
  /** The last stated policy and the windows derived from it. Cached, because most answers only repeat it. */
  taken: { stated: readonly LimitWindow[]; windows: readonly LearnedWindow[] } | null = null;
  readonly #done = new Occupancy();
  /** Open permits of this process. There are never many. */
  readonly #own: number[] = [];
  /** Permits of other processes, with the time until which each is assumed to be open. */
  readonly #others = new Map<number, number>();
  /** Ids only increase, so a higher one is new. */
  #newestId = Number.NEGATIVE_INFINITY;

  constructor(category: LimitCategory, learned: string | null, nowMs: number) {
    this.category = category;
    this.state = parseLearned(learned) ?? initialState(category, nowMs);
  }

  get inFlight(): number {
    return this.#own.length + this.#others.size;
  }

  get inFlightOfOthers(): number {
    return this.#others.size;
  }

  /** Time for which an answered request still matters. */
  get horizonMs(): number {
    let longest = 0;
    for (const window of this.state.windows) longest = Math.max(longest, window.lengthMs);
    return longest + marginMs(longest) + KEEP_EXTRA_MS;
  }

  /** True if a permit must survive a power cut. */
  get isDurable(): boolean {
    return this.state.windows.some((window) => window.lengthMs >= DAY_MS);
  }

  /** Applies a permit from the ledger, of another process or of an earlier run. */
  apply(permit: PermitRecord): void {
    if (this.#own.includes(permit.id)) return;
    // Nearly all permits are new or were open. Only one that was answered before must be searched.
    const isNew = permit.id > this.#newestId;
    if (isNew) this.#newestId = permit.id;
    else if (!this.#others.delete(permit.id)) this.#done.remove(permit.id);
    if (permit.isReleased) return;
    if (permit.doneAtMs !== null) this.#done.add(permit.id, permit.doneAtMs);
    else this.#others.set(permit.id, permit.openUntilMs);
  }

  /**
   * Starts a request. Returns true if other processes must learn with this permit that an announced reset was tried.
   */
  start(permitId: number, nowMs: number): boolean {
    let isTry = false;
    for (const window of this.state.windows) {
      if (!this.#mayTryReset(window, nowMs)) continue;
      window.triedResetMs = window.resetAtMs;
      isTry = true;
    }
    this.#own.push(permitId);
    this.#newestId = Math.max(this.#newestId, permitId);
    if (this.state.cap !== null) this.state.cap.left--;
    return isTry;
  }

  finish(permitId: number, nowMs: number): void {
    this.release(permitId);
    this.#done.add(permitId, nowMs);
  }

  /** Called if the request was certainly not sent. */
  release(permitId: number): void {
    const index = this.#own.indexOf(permitId);
    if (index === -1) return;
    const last = this.#own.pop();
    if (last !== undefined && index < this.#own.length) this.#own[index] = last;
  }

  /** Adopts the knowledge of another process. */
  adopt(learned: string | null): void {
    const theirs = parseLearned(learned);
    if (theirs !== null) this.state = merged(theirs, this.state);
  }

  /**
   * Handles lost permits: requests before `beforeMs` are unknown, so every window counts as full until they have left
   * it.
   */
  countAsUsed(beforeMs: number): void {
    for (const window of this.state.windows) {
      const untilMs = leavesAtMs(window, beforeMs);
      window.foreign = { count: window.count, resetAtMs: untilMs, untilMs, sentAtMs: beforeMs };
    }
  }

  /** Makes answers older because the service's clock proved that time passed unseen, see `ServiceClock`. */
  shiftDone({ untilMs, byMs }: UnseenTime): void {
    this.#done.shiftBack(untilMs, byMs);
  }

  /** Like `shiftDone`, for the learned state. */
  shiftState(unseen: UnseenTime): void {
    moveBack(this.state, unseen);
  }

  /** Number of our own requests that occupy a window at `atMs`. */
  ownUse(window: LearnedWindow, atMs: number): number {
    return this.inFlight + this.#done.countAfter(occupiedSince(window, atMs));
  }

  /** Number of answered requests that occupy a window at `atMs`. */
  answeredUse(window: LearnedWindow, atMs: number): number {
    return this.#done.countAfter(occupiedSince(window, atMs));
  }

  /** Number of answers that arrived after `timeMs`. */
  answeredSince(timeMs: number): number {
    return this.#done.countAfter(timeMs);
  }

  /** Stops counting the `count` oldest answered requests of a window, because the service no longer counts them. */
  freeOldest(window: LearnedWindow, count: number, nowMs: number): void {
    const since = occupiedSince(window, nowMs);
    const last = this.#done.timeAfter(since, count - 1);
    if (last === null) return;
    // If several requests were answered at the same instant, frees fewer rather than more than `count`.
    const isShared = this.#done.timeAfter(since, count) === last;
    window.freedUntilMs = isShared ? last - 0.001 : last;
  }

  decide(nowMs: number): Decision {
    this.#settleOthers(nowMs);
    const { state } = this;
    if (state.parkedUntilMs !== null) {
      if (nowMs < state.parkedUntilMs) return wait('retry-after', state.parkedUntilMs, null);
      state.parkedUntilMs = null;
      if (state.isWaitCut) state.isProbing = true;
      state.isWaitCut = false;
    }
    if (state.cap !== null) {
      if (nowMs >= state.cap.untilMs) {
        if (state.cap.isCut) state.isProbing = true;
        state.cap = null;
      } else if (state.cap.left <= 0) return wait('window', state.cap.untilMs, null);
    }
    if (this.inFlight >= this.inFlightLimit()) return wait('in-flight', Number.POSITIVE_INFINITY, null);
    let worst: Decision = GRANT;
    for (const window of state.windows) {
      const freeAtMs = Math.min(this.#freeAtMs(window, nowMs), nextTryMs(window, nowMs));
      if (freeAtMs <= nowMs || this.#mayTryReset(window, nowMs)) continue;
      if (worst.kind === 'wait' && freeAtMs <= worst.untilMs) continue;
      worst = wait(Number.isFinite(freeAtMs) ? 'window' : 'in-flight', freeAtMs, window);
    }
    return worst;
  }

  inFlightLimit(): number {
    if (this.state.isProbing) return 1;
    return this.state.inFlightLimit ?? Number.POSITIVE_INFINITY;
  }

  windowUse(nowMs: number): WindowUse[] {
    this.#settleOthers(nowMs);
    return this.state.windows.map((window) => {
      const since = occupiedSince(window, nowMs);
      const oldest = this.#done.timeAfter(since, 0);
      const foreign = this.#foreignUse(window, nowMs);
      const ownFreeMs = oldest === null ? Number.POSITIVE_INFINITY : leavesAtMs(window, oldest);
      const freeAtMs = Math.min(
        ownFreeMs,
        foreign > 0 ? (window.foreign?.resetAtMs ?? ownFreeMs) : ownFreeMs,
      );
      return {
        count: this.allowed(window),
        lengthMs: window.lengthMs,
        used: this.inFlight + this.#done.countAfter(since) + foreign,
        foreign,
        freeAtMs: Number.isFinite(freeAtMs) ? freeAtMs : null,
      };
    });
  }

  /**
   * The time at which each slot taken by an answered or foreign request becomes free, and how long a slot stays taken
   * after an answer.
   */
  occupied(window: LearnedWindow, nowMs: number): { holdMs: number; freeAtMs: number[] } {
    const holdMs = window.lengthMs + marginMs(window.lengthMs);
    const since = occupiedSince(window, nowMs);
    const freeAtMs: number[] = [];
    for (let rank = 0; ; rank++) {
      const answeredMs = this.#done.timeAfter(since, rank);
      if (answeredMs === null) break;
      freeAtMs.push(answeredMs + holdMs);
    }
    for (let count = this.#foreignUse(window, nowMs); count > 0; count--) {
      freeAtMs.push(window.foreign?.resetAtMs ?? nowMs);
    }
    return { holdMs, freeAtMs };
  }

  allowed(window: LearnedWindow): number {
    return window.isSoft ? window.count : Math.max(1, Math.floor(window.count * this.state.factor));
  }

  trim(nowMs: number): void {
    this.#done.trim(nowMs - this.horizonMs);
  }

  /** Ledger time from which one more request fits. If it fits now, `nowMs` or an earlier time. */
  #freeAtMs(window: LearnedWindow, nowMs: number): number {
    const since = occupiedSince(window, nowMs);
    const foreign = window.foreign === null ? 0 : this.#foreignUse(window, nowMs);
    const excess = this.inFlight + this.#done.countAfter(since) + foreign - this.allowed(window) + 1;
    if (excess <= 0) return nowMs;
    const withForeign = this.#leavesAtMs(window, since, excess - 1, nowMs);
    if (foreign === 0 || window.foreign === null) return withForeign;
    // Between the reset and the end of use by others, a request may be sent if none is in flight, because its answer
    // shows the current use.
    const foreignEndMs = nowMs < window.foreign.resetAtMs ? window.foreign.resetAtMs : window.foreign.untilMs;
    return Math.min(
      withForeign,
      Math.max(foreignEndMs, this.#leavesAtMs(window, since, excess - 1 - foreign, nowMs)),
    );
  }

  /** The time at which the answered requests up to `rank` (from 0) have left a window. */
  #leavesAtMs(window: LearnedWindow, since: number, rank: number, nowMs: number): number {
    if (rank < 0) return nowMs;
    const answeredMs = this.#done.timeAfter(since, rank);
    return answeredMs === null ? Number.POSITIVE_INFINITY : leavesAtMs(window, answeredMs);
  }

  #foreignUse(window: LearnedWindow, nowMs: number): number {
    const { foreign } = window;
    if (foreign === null) return 0;
    if (nowMs >= foreign.untilMs) {
      window.foreign = null;
      return 0;
    }
    return nowMs >= foreign.resetAtMs && this.inFlight === 0 ? 0 : foreign.count;
  }

  #mayTryReset(window: LearnedWindow, nowMs: number): boolean {
    return (
      window.lengthMs >= LONG_WINDOW_MS &&
      window.resetAtMs !== null &&
      nowMs >= window.resetAtMs &&
      window.triedResetMs !== window.resetAtMs &&
      this.inFlight === 0 &&
      // Requests sent after the reset still count.
      this.#done.countAfter(window.resetAtMs) < this.allowed(window)
    );
  }

  /** Permits of processes that sent no heartbeat until the permit's bound count as answered at that time. */
  #settleOthers(nowMs: number): void {
    for (const [id, openUntilMs] of this.#others) {
      if (openUntilMs > nowMs) continue;
      this.#others.delete(id);
      this.#done.add(id, openUntilMs);
    }
  }
}

function wait(
  reason: 'window' | 'retry-after' | 'in-flight',
  untilMs: number,
  window: LearnedWindow | null,
): Decision & { kind: 'wait' } {
  return { kind: 'wait', reason, untilMs, window };
}
