/** Runs tasks with the same key in call order, each after the end of the previous one. */
export class Queues {
  readonly #last = new Map<string, Promise<void>>();

  /** Begins at once if nothing runs. Resolves or rejects as `work` does; failed work does not stop the next one. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#last.get(key)?.then(work) ?? work();
    const end: Promise<void> = running.then(
      () => this.#leave(key, end),
      () => this.#leave(key, end),
    );
    this.#last.set(key, end);
    return running;
  }

  /** Resolves at the end of all work submitted until now; null if there is none. Never rejects. */
  busy(key: string): Promise<void> | null {
    return this.#last.get(key) ?? null;
  }

  /** Resolves at the end of all work, of every key, submitted until now. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#last.values());
  }

  #leave(key: string, end: Promise<void>): void {
    if (this.#last.get(key) === end) this.#last.delete(key);
  }
}
