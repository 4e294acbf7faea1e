/**
 * Begins things at their wall time: also after sleep, and when the clock was set. One of these for each kind of thing;
 * what is planned lies in a store, so it outlives the process and is seen by every process of the folder.
 */

import type { Clock, Logger } from '../core/ports.ts';
import { toAppError } from '../shared/errors.ts';

/** A timer does not count the time a computer sleeps; so late, at most, is what was due meanwhile. */
const LOOK_EVERY_MS = 15_000;
/** A person waits beside a command: what another process did with its plan is said soon. */
const LOOK_AT_OWN_EVERY_MS = 2_000;
/** After a start that did not come about. */
const AGAIN_MS = 1_000;
/** After a start that failed. */
const AFTER_FAILURE_MS = 15_000;

export interface PlannedThing {
  id: string;
  /** Wall time. */
  startAtMs: number;
}

interface PlannedStartsDeps {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  /** As a line of the log names it, e.g. `upload`. */
  what: string;
  /** Everything of this kind that is to begin by itself, whoever planned it. Read anew each time. */
  planned: () => readonly PlannedThing[];
  /**
   * Begins one whose time has come, in one step with the claim of it: another process may look at the same moment.
   * What it leaves planned is tried again, after what it throws a while later.
   */
  begin: (id: string, nowMs: number) => void;
}

export class PlannedStarts {
  readonly #deps: PlannedStartsDeps;
  readonly #own = new Set<string>();
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Monotonic times before which one is not tried again: a clock that is set must not keep it from beginning. */
  readonly #notBefore = new Map<string, number>();
  #listener: () => void = () => undefined;
  /** What was planned at the last look, to tell when it is another. */
  #known = '';
  #cancel: (() => void) | null = null;
  #looksAfterAll = false;
  #isStopped = false;

  constructor(deps: PlannedStartsDeps) {
    this.#deps = deps;
  }

  /** Calls `listener`, the only one, after a look that found another plan; also one that another process made. */
  listen(listener: () => void): void {
    this.#listener = listener;
  }

  /** Everything of this kind that is to begin by itself, whoever planned it. */
  all(): readonly PlannedThing[] {
    return this.#deps.planned();
  }

  /** For the window. A command line looks after those it planned itself: see `changed`. */
  lookAfterAll(): void {
    this.#looksAfterAll = true;
    this.look();
  }

  /** A person did something with this one, here: its plan may be another. Begins what is due before it returns. */
  changed(id: string): void {
    this.#own.add(id);
    this.#notBefore.delete(id);
    this.look();
    this.#tell(id);
  }

  /** What stood in its way (no way to the service) may last: it is tried again after so long, or at `wake`. */
  putOff(id: string, delayMs: number): void {
    this.#notBefore.set(id, this.#deps.clock.monotonicMs() + delayMs);
    this.look();
    this.#listener();
  }

  /** What stood in the way may be gone. */
  wake(): void {
    this.#notBefore.clear();
    this.look();
  }

  /** Resolves when one that is to begin later has begun, or its plan was changed; false where there is no plan. */
  async wait(id: string): Promise<boolean> {
    if (this.#isStopped || !this.#planned().some((thing) => thing.id === id)) return false;
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
    for (const id of [...this.#waiting.keys()]) this.#tell(id);
  }

  /** Begins what is due, and comes back when the next one is. */
  look(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (this.#isStopped) return;
    const leftMs = this.#leftMs();
    if (leftMs > 0) {
      this.#wakeIn(leftMs);
    } else {
      this.#beginDue(this.#deps.clock.nowMs());
      this.#wakeIn(Math.max(AGAIN_MS, this.#leftMs()));
    }
    this.#tellOfChange();
  }

  /** Nobody hears of a store that cannot be read now: the next look may find it well again. */
  #lookAgain(): void {
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

  #tellOfChange(): void {
    const now = this.#deps.planned().map(({ id, startAtMs }) => `${id} ${startAtMs}`);
    if (now.join() === this.#known) return;
    this.#known = now.join();
    this.#listener();
  }

  #wakeIn(delayMs: number): void {
    // What was begun may have looked again meanwhile.
    this.#cancel?.();
    this.#cancel = null;
    // A command line may plan something at any time, and leave it to whoever looks after all.
    const waitMs = Math.min(this.#looksAfterAll ? LOOK_EVERY_MS : LOOK_AT_OWN_EVERY_MS, delayMs);
    if (this.#isStopped || (delayMs === Number.POSITIVE_INFINITY && !this.#looksAfterAll)) return;
    this.#cancel = this.#deps.clock.setTimer(() => this.#lookAgain(), waitMs, 'looking at planned starts');
  }

  #planned(): readonly PlannedThing[] {
    const all = this.#deps.planned();
    return this.#looksAfterAll ? all : all.filter(({ id }) => this.#own.has(id));
  }

  /** Until the next one is to begin; infinite where nothing is planned. */
  #leftMs(): number {
    const planned = this.#planned();
    // Another process may have begun it, or changed its plan.
    for (const id of [...this.#waiting.keys()]) {
      if (!planned.some((thing) => thing.id === id)) this.#tell(id);
    }
    return Math.min(...planned.map((thing) => this.#leftOf(thing)));
  }

  #leftOf({ id, startAtMs }: PlannedThing): number {
    const { clock } = this.#deps;
    const heldMs = (this.#notBefore.get(id) ?? clock.monotonicMs()) - clock.monotonicMs();
    return Math.max(startAtMs - clock.nowMs(), heldMs);
  }

  #beginDue(nowMs: number): void {
    for (const thing of this.#planned()) {
      if (this.#leftOf(thing) > 0) continue;
      const { id } = thing;
      try {
        this.#notBefore.delete(id);
        this.#deps.begin(id, nowMs);
      } catch (problem) {
        // It stays planned and is tried again; another process may have taken it meanwhile.
        this.#notBefore.set(id, this.#deps.clock.monotonicMs() + AFTER_FAILURE_MS);
        this.#deps.logger.warn(`${this.#deps.what} not started`, { id, code: toAppError(problem).code });
      }
      this.#tell(id);
    }
  }

  #tell(id: string): void {
    const waiting = this.#waiting.get(id) ?? [];
    this.#waiting.delete(id);
    for (const resolve of waiting) resolve();
  }
}
