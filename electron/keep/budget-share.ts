/** Limits background reading to a share of each budget, by a maximum number of its requests in every window. */
import type { Clock } from '../core/ports.ts';
import { AppError } from '../shared/errors.ts';

/** At most `count` requests in any interval of this length. */
export interface ShareWindow {
  count: number;
  lengthMs: number;
}

interface ShareDeps {
  clock: Clock;
  /** The share, from 0 to 1. */
  share: () => number;
  /** The current limits of an operation; empty if it has none. */
  windowsOf: (operation: string) => readonly ShareWindow[];
}

/** One request with the time of its answer, or in flight. It counts until one window length after its answer. */
interface Taken {
  endedAt: number | null;
}

export class BudgetShare {
  readonly #deps: ShareDeps;
  readonly #taken = new Map<string, Taken[]>();

  constructor(deps: ShareDeps) {
    this.#deps = deps;
  }

  /** Number of requests that the share allows in a window. At least one, so that reading always makes progress. */
  allowed({ count }: ShareWindow): number {
    return Math.max(1, Math.floor(count * this.#deps.share()));
  }

  /** Milliseconds until another request may be sent; null if only an answer makes room. */
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

  /** Runs the request once the share has room for it. Throws the errors of the request, and CANCELLED. */
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
      const cancel = this.#deps.clock.setTimer(
        end,
        Math.min(waitMs, LONGEST_MS),
        'letting kept entries be read',
      );
      signal.addEventListener('abort', end, { once: true });
    });
  }
}

/** Polling interval while waiting for an answer. */
const SHORT_MS = 50;
/** Maximum delay before an increased share takes effect. */
const LONGEST_MS = 5_000;
