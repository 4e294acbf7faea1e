/** Runs tasks with the same key one after the other, in call order. */
export class Queues {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Runs `work`, at once if nothing else runs under this key. Settles like `work`; a failure does not stop later work.
   */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#last.get(key)?.then(work) ?? work();
    const end: Promise<void> = running.then(
      () => this.#leave(key, end),
      () => this.#leave(key, end),
    );
    this.#last.set(key, end);
    return running;
  }

  /** Resolves when all work submitted until now has ended; null if there is none. Never rejects. */
  busy(key: string): Promise<void> | null {
    return this.#last.get(key) ?? null;
  }

  /** Resolves when all work of every key submitted until now has ended. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#last.values());
  }

  #leave(key: string, end: Promise<void>): void {
    if (this.#last.get(key) === end) this.#last.delete(key);
  }
}
