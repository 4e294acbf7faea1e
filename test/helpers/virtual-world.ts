/** Virtual time for code with promises: events run one at a time, and all effects of one end before the next. */
import type { Clock, Logger, Random } from '../../electron/core/ports.ts';
import { DelayHeap } from '../../electron/scheduler/delay-heap.ts';

interface Event {
  run: (() => void) | null;
}

export const START_MS = Date.UTC(2025, 10, 3, 9, 0, 0, 250);

/** Mulberry32, which gives the same numbers for the same seed. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { next, uuid: () => `00000000-0000-4000-8000-${Math.floor(next() * 1e12)}` };
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const realSetImmediate = globalThis.setImmediate;
/** Resolves when all pending promise callbacks have run. */
export const settled = () => new Promise<void>((resolve) => realSetImmediate(resolve));

export class VirtualWorld {
  readonly #events = new DelayHeap<Event>();
  #tie = 0;
  /** True time in ms, which passes for everything. */
  trueMs = 0;
  /** Error of this computer's wall clock in ms. */
  wallErrorMs = 0;
  #sleep: { fromMs: number; untilMs: number } | null = null;
  #sleptMs = 0;

  /** Makes this computer sleep: its monotonic clock and its timers stand still, while everything else continues. */
  sleep(forMs: number): void {
    const fromMs = this.isAsleep ? (this.#sleep?.fromMs ?? this.trueMs) : this.trueMs;
    this.#sleep = { fromMs, untilMs: Math.max(this.#sleep?.untilMs ?? 0, this.trueMs + forMs) };
  }

  get isAsleep(): boolean {
    if (this.#sleep !== null && this.trueMs >= this.#sleep.untilMs) {
      this.#sleptMs += this.#sleep.untilMs - this.#sleep.fromMs;
      this.#sleep = null;
    }
    return this.#sleep !== null;
  }

  /** Time in ms during which this computer was awake. */
  get monotonicMs(): number {
    return (this.isAsleep ? (this.#sleep?.fromMs ?? this.trueMs) : this.trueMs) - this.#sleptMs;
  }

  /** Runs at once, or as soon as this computer wakes. */
  whenAwake(run: () => void): void {
    if (this.isAsleep) this.at(this.#sleep?.untilMs ?? this.trueMs, () => this.whenAwake(run));
    else run();
  }

  at(trueMs: number, run: () => void): () => void {
    const event: Event = { run };
    // A heap does not preserve the order of equal entries, so a tiny increment makes them different.
    this.#tie = (this.#tie + 1) % 1_000;
    this.#events.push(Math.max(this.trueMs, trueMs) + this.#tie * 1e-7, event);
    return () => {
      event.run = null;
    };
  }

  after(delayMs: number, run: () => void): () => void {
    return this.at(this.trueMs + delayMs, run);
  }

  /** Runs events until none is left, or until true time would exceed `untilMs`. */
  async run(untilMs = Number.POSITIVE_INFINITY): Promise<void> {
    await settled();
    while (this.#events.size > 0 && this.#events.nextAtMs <= untilMs) {
      const atMs = this.#events.nextAtMs;
      const event = this.#events.popDue(atMs);
      const run = event?.run ?? null;
      if (run === null) continue;
      this.trueMs = Math.max(this.trueMs, atMs);
      run();
      await settled();
    }
    if (Number.isFinite(untilMs)) this.trueMs = Math.max(this.trueMs, untilMs);
  }

  /** The clock of one process. `kill` ends its timers. */
  process(): Clock & { kill: () => void } {
    let isAlive = true;
    const cancels = new Set<() => void>();
    return {
      nowMs: () => START_MS + this.trueMs + this.wallErrorMs,
      monotonicMs: () => this.monotonicMs,
      setTimer: (callback, delayMs) => {
        if (!isAlive) return () => undefined;
        const dueMs = this.monotonicMs + Math.max(0, delayMs);
        let stop: () => void = () => undefined;
        const cancel = () => {
          cancels.delete(cancel);
          stop();
        };
        const wait = () => {
          stop = this.after(Math.max(0, dueMs - this.monotonicMs), () => {
            // Time while the computer sleeps does not count.
            if (this.isAsleep || this.monotonicMs < dueMs - 1e-6) this.whenAwake(wait);
            else {
              cancels.delete(cancel);
              callback();
            }
          });
        };
        wait();
        cancels.add(cancel);
        return cancel;
      },
      kill: () => {
        isAlive = false;
        for (const cancel of [...cancels]) cancel();
      },
    };
  }
}
