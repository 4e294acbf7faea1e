/**
 * Reads of stores that other processes may write at the same time. A store that no process has open is read without
 * locks, so the result is used only if the store was the same before and after the read. Otherwise everything is opened
 * and read again.
 */
import { stateOfStore } from '../../db/untouched-file.ts';
import { AppError, toAppError } from '../../shared/errors.ts';

interface SteadyReadsDeps {
  /** Files of all stores that a read may use. */
  stores: () => readonly string[];
  /** Closes everything that was opened, and opens it again. Called while no read is running. */
  reopen: () => Promise<void>;
}

type States = ReadonlyMap<string, string>;

/** Maximum attempts. An application that starts or ends during a read costs one attempt, a command two. */
const MAX_READS = 6;
/** Errors that can result from a store that changes while it is read, or whose writer was killed. */
const OF_STORES: ReadonlySet<string> = new Set(['STORE_DAMAGED', 'STORE_FAILED', 'INTERNAL']);
/** Errors of the request itself, which another read would not change. */
const OF_CALLER: ReadonlySet<string> = new Set(['FORBIDDEN', 'CANCELLED']);

export class SteadyReads {
  readonly #deps: SteadyReadsDeps;
  /** State of each store when it was first read after the last opening. */
  readonly #opened = new Map<string, string>();
  #running = 0;
  #isStale = false;
  #reopening: Promise<void> | null = null;
  #onIdle: (() => void) | null = null;

  /** Create the object before any store is opened. */
  constructor(deps: SteadyReadsDeps) {
    this.#deps = deps;
    this.#look();
  }

  /**
   * Runs a read, again if stores change meanwhile. Several reads may run at once. Throws TIMEOUT if stores change
   * during each attempt.
   */
  async read<T>(work: () => Promise<T>): Promise<T> {
    for (let count = 1; ; count += 1) {
      const before = await this.#enter();
      const [read] = await Promise.allSettled([work()]);
      this.#leave();
      const failure = read.status === 'rejected' ? toAppError(read.reason) : null;
      const isSteady = !this.#differs(before, this.#states());
      if (!isSteady) this.#isStale = true;
      if (read.status === 'fulfilled' && isSteady) return read.value;
      if (failure !== null && OF_CALLER.has(failure.code)) throw failure;
      // If a killed writer left an index half written, a lock of this process may prevent its repair until the stores
      // are opened again.
      const isWorthAnother = !isSteady || (count === 1 && failure !== null && OF_STORES.has(failure.code));
      if (failure !== null && !isWorthAnother) throw failure;
      if (count === MAX_READS)
        throw new AppError(
          'TIMEOUT',
          `Expected stores that stay as they are during a read, but other Spandeck processes opened or closed them during each of ${MAX_READS}.`,
          { nextStep: 'Ask again in a moment, or for less.' },
        );
      this.#isStale = true;
    }
  }

  async #enter(): Promise<States> {
    for (;;) {
      if (this.#reopening === null) {
        const now = this.#states();
        if (!this.#isStale && !this.#differs(now, this.#opened)) {
          for (const [file, state] of now) this.#opened.set(file, state);
          this.#running += 1;
          return now;
        }
        this.#reopening = this.#reopen().finally(() => {
          this.#reopening = null;
        });
      }
      await this.#reopening;
    }
  }

  #leave(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#onIdle?.();
  }

  async #reopen(): Promise<void> {
    this.#isStale = true;
    if (this.#running > 0)
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    this.#onIdle = null;
    this.#opened.clear();
    this.#look();
    await this.#deps.reopen();
    this.#isStale = false;
  }

  #look(): void {
    for (const [file, state] of this.#states()) this.#opened.set(file, state);
  }

  #states(): States {
    return new Map(this.#deps.stores().map((file) => [file, stateOfStore(file)]));
  }

  /** Whether a store has different states in the two maps. */
  #differs(one: States, other: States): boolean {
    return [...one].some(([file, state]) => (other.get(file) ?? state) !== state);
  }
}
