/** Keeps to a share of each budget: in every window at most so many requests of what nobody waits for. */
import type { Clock } from '../core/ports.ts';
import { AppError } from '../shared/errors.ts';

/** Requests that are allowed in any interval of a length. */
export interface ShareWindow {
  count: number;
  lengthMs: number;
}

interface ShareDeps {
  clock: Clock;
  /** From 0 to 1. */
  share: () => number;
  /** The limits of an operation now; none where it has none. */
  windowsOf: (operation: string) => readonly ShareWindow[];
}

/** One request: under way, or when it was answered. A request counts until the window's length after its answer. */
interface Taken {
  endedAt: number | null;
}

export class BudgetShare {
  readonly #deps: ShareDeps;
  readonly #taken = new Map<string, Taken[]>();

  constructor(deps: ShareDeps) {
    this.#deps = deps;
  }

  /** How many requests of the share a window has. At least one: what is kept goes on, however slowly. */
  allowed({ count }: ShareWindow): number {
    return Math.max(1, Math.floor(count * this.#deps.share()));
  }

  /** Milliseconds until one more may be sent; null where only an answer makes room. */
  waitMs(operation: string): number | null {
    const windows = this.#deps.windowsOf(operation);
    const now = this.#deps.clock.monotonicMs();
    const longest = Math.max(0, ...windows.map(({ lengthMs }) => lengthMs));
    const taken = (this.#taken.get(operation) ?? []).filter(
      ({ endedAt }) => endedAt === null || now - endedAt < longest,
    );
    this.#taken.set(operation, taken);
    let waitMs = 0;
    for (const window of windows) {
      const inside = taken.filter(({ endedAt }) => endedAt === null || now - endedAt < window.lengthMs);
      const over = inside.length - this.allowed(window) + 1;
      if (over <= 0) continue;
      const ends = inside
        .flatMap(({ endedAt }) => (endedAt === null ? [] : [endedAt]))
        .toSorted((a, b) => a - b);
      const freed = ends[over - 1];
      if (freed === undefined) return null;
      waitMs = Math.max(waitMs, freed + window.lengthMs - now);
    }
    return waitMs;
  }

  /** Does the request once the share has room for it. Throws what it throws, and CANCELLED. */
  async run<T>(operation: string, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    for (;;) {
      if (signal.aborted) throw new AppError('CANCELLED', 'Stopped.', { outcome: 'unsent' });
      const waitMs = this.waitMs(operation);
      if (waitMs === 0) break;
      await this.#sleep(waitMs ?? SHORT_MS, signal);
    }
    const taken: Taken = { endedAt: null };
    const all = this.#taken.get(operation) ?? [];
    all.push(taken);
    this.#taken.set(operation, all);
    try {
      return await request();
    } finally {
      taken.endedAt = this.#deps.clock.monotonicMs();
    }
  }

  #sleep(waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#deps.clock.setTimer(end, Math.min(waitMs, LONGEST_MS));
      signal.addEventListener('abort', end, { once: true });
    });
  }
}

/** Where an answer is waited for, it is looked again after this. */
const SHORT_MS = 50;
/** A share that was raised meanwhile is seen after this. */
const LONGEST_MS = 5_000;
