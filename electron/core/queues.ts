/** Runs work of one key in the order in which it was asked for, each after the end of the one before. */
export class Queues {
  readonly #last = new Map<string, Promise<void>>();

  /** Begins at once if nothing runs. Resolves or rejects as `work` does; work that failed does not stop the next one. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#last.get(key)?.then(work) ?? work();
    const end: Promise<void> = running.then(
      () => this.#leave(key, end),
      () => this.#leave(key, end),
    );
    this.#last.set(key, end);
    return running;
  }

  /** The end of all work that was asked for until now; null if there is none. Never rejects. */
  busy(key: string): Promise<void> | null {
    return this.#last.get(key) ?? null;
  }

  #leave(key: string, end: Promise<void>): void {
    if (this.#last.get(key) === end) this.#last.delete(key);
  }
}
