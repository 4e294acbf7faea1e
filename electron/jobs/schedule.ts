/**
 * Starts jobs at their planned wall time, also after sleep and after the clock was changed. There is one instance for
 * each kind. Plans are in a store, so they outlive the process and are visible to every process on the folder.
 */

import type { Clock, Logger } from '../core/ports.ts';
import { toAppError } from '../shared/errors.ts';
import { pollWithin } from './shared-poll.ts';

/** Maximum delay of a start that became due during sleep, because timers do not count the time a computer sleeps. */
export const LOOK_EVERY_MS = 15_000;
/**
 * Interval of checks for a command line. A person is waiting there, so changes to its plan by another process must be
 * noticed soon.
 */
const LOOK_AT_OWN_EVERY_MS = 2_000;
/** Retry delay after a start that did not happen. */
const RETRY_DELAY_MS = 1_000;
/** Retry delay after a start that failed. */
const AFTER_FAILURE_MS = 15_000;
const WHAT = 'looking at planned starts';

export interface PlannedThing {
  id: string;
  /** Wall time of the start. */
  startAtMs: number;
}

interface PlannedStartsDeps {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  /** The kind's name in the log, e.g. `upload`. */
  what: string;
  /** All planned starts of this kind, made by any process. Read again each time. */
  planned: () => readonly PlannedThing[];
  /** Plans jobs anew that start too late by their rule. Returns whether there were any. Default: none. */
  correct?: (planned: readonly PlannedThing[]) => boolean;
  /**
   * Starts a job whose time has come, in one transaction with taking the lease, because another process may try at the
   * same moment. If it stays planned, it is tried again; after an error or a postponement, this takes longer.
   */
  begin: (id: string, nowMs: number) => 'postponed' | undefined;
}

export class PlannedStarts {
  readonly #deps: PlannedStartsDeps;
  readonly #own = new Set<string>();
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Monotonic times before which a start is not retried, so that changing the clock does not delay it. */
  readonly #notBefore = new Map<string, number>();
  #listener: () => void = () => undefined;
  /** The plans at the last check, to detect changes. */
  #known = '';
  #cancel: (() => void) | null = null;
  #startsAllDue = false;
  #isStopped = false;

  constructor(deps: PlannedStartsDeps) {
    this.#deps = deps;
  }

  /**
   * Registers the only listener. It is called after a check that found changed plans, including changes by another
   * process.
   */
  listen(listener: () => void): void {
    this.#listener = listener;
  }

  /** All planned starts of this kind, made by any process. */
  all(): readonly PlannedThing[] {
    return this.#deps.planned();
  }

  /**
   * Makes this process start every due job, as the window does. A command line starts only jobs that it planned itself:
   * see `changed`.
   */
  startAllDue(): void {
    this.#startsAllDue = true;
    this.look();
  }

  /** Called when a person changed this job here, and perhaps its plan. Starts due jobs before it returns. */
  changed(id: string): void {
    this.#own.add(id);
    this.#notBefore.delete(id);
    this.look();
    this.#notify(id);
  }

  /**
   * Postpones a start whose obstacle may last, e.g. an unreachable service. It is retried after `delayMs`, or at
   * `wake`.
   */
  postpone(id: string, delayMs: number): void {
    this.#notBefore.set(id, this.#deps.clock.monotonicMs() + delayMs);
    this.look();
    this.#listener();
  }

  /** Called when an obstacle may have disappeared. */
  wake(): void {
    this.#notBefore.clear();
    this.look();
  }

  /** Resolves when a planned start has happened or its plan was changed; to false if there is no plan. */
  async wait(id: string): Promise<boolean> {
    if (this.#isStopped || !this.#startedHere(this.#deps.planned()).some((thing) => thing.id === id))
      return false;
    await new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(id);
      if (waiting === undefined) this.#waiting.set(id, [resolve]);
      else waiting.push(resolve);
    });
    return true;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    this.#cancel = null;
    for (const id of [...this.#waiting.keys()]) this.#notify(id);
  }

  /** Checks after the current work. Used if a start was planned in the middle of it. */
  lookSoon(): void {
    this.#wakeIn(0);
  }

  /** Starts due jobs, and schedules the next check. */
  look(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (this.#isStopped) return;
    let all = this.#deps.planned();
    if (this.#deps.correct?.(this.#startedHere(all)) === true) all = this.#deps.planned();
    const leftMs = this.#leftMs(all);
    if (leftMs > 0) {
      this.#wakeIn(leftMs);
    } else {
      this.#beginDue(all, this.#deps.clock.nowMs());
      all = this.#deps.planned();
      this.#wakeIn(Math.max(RETRY_DELAY_MS, this.#leftMs(all)));
    }
    this.#notifyOfChange(all);
  }

  /** If the store cannot be read now, this is not reported, because the next check may succeed. */
  #scheduleCheck(): void {
    try {
      this.look();
    } catch (problem) {
      this.#deps.logger.warn('planned starts not looked at', {
        what: this.#deps.what,
        code: toAppError(problem).code,
      });
      this.#wakeIn(LOOK_EVERY_MS);
    }
  }

  #notifyOfChange(all: readonly PlannedThing[]): void {
    const now = all.map(({ id, startAtMs }) => `${id} ${startAtMs}`);
    if (now.join() === this.#known) return;
    this.#known = now.join();
    this.#listener();
  }

  #wakeIn(delayMs: number): void {
    // Starting a job may have scheduled another check meanwhile.
    this.#cancel?.();
    this.#cancel = null;
    // A window must keep checking, because a command line may plan a start at any time and leave it to the window.
    const waitMs = Math.min(this.#startsAllDue ? LOOK_EVERY_MS : LOOK_AT_OWN_EVERY_MS, delayMs);
    if (this.#isStopped || (delayMs === Number.POSITIVE_INFINITY && !this.#startsAllDue)) return;
    const look = () => this.#scheduleCheck();
    const { clock } = this.#deps;
    this.#cancel =
      waitMs === LOOK_EVERY_MS ? pollWithin(clock, waitMs, WHAT, look) : clock.setTimer(look, waitMs, WHAT);
  }

  /** The planned starts of this process. */
  #startedHere(all: readonly PlannedThing[]): readonly PlannedThing[] {
    return this.#startsAllDue ? all : all.filter(({ id }) => this.#own.has(id));
  }

  /** Time until the next start; infinite if none is planned. */
  #leftMs(all: readonly PlannedThing[]): number {
    const planned = this.#startedHere(all);
    // Another process may have started the job or changed its plan.
    for (const id of [...this.#waiting.keys()]) {
      if (!planned.some((thing) => thing.id === id)) this.#notify(id);
    }
    return Math.min(...planned.map((thing) => this.#leftOf(thing)));
  }

  #leftOf({ id, startAtMs }: PlannedThing): number {
    const { clock } = this.#deps;
    const heldMs = (this.#notBefore.get(id) ?? clock.monotonicMs()) - clock.monotonicMs();
    return Math.max(startAtMs - clock.nowMs(), heldMs);
  }

  #beginDue(all: readonly PlannedThing[], nowMs: number): void {
    for (const thing of this.#startedHere(all)) {
      if (this.#leftOf(thing) > 0) continue;
      const { id } = thing;
      try {
        this.#notBefore.delete(id);
        if (this.#deps.begin(id, nowMs) === 'postponed')
          this.#notBefore.set(id, this.#deps.clock.monotonicMs() + LOOK_EVERY_MS);
      } catch (problem) {
        // The start stays planned and is retried. Another process may have taken the job meanwhile.
        this.#notBefore.set(id, this.#deps.clock.monotonicMs() + AFTER_FAILURE_MS);
        this.#deps.logger.warn(`${this.#deps.what} not started`, { id, code: toAppError(problem).code });
      }
      this.#notify(id);
    }
  }

  #notify(id: string): void {
    const waiting = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const resolve of waiting) resolve();
  }
}
