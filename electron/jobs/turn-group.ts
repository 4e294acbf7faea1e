/** Gathers what one turn of the event loop brings, so that all of it is written in one go. */

interface Entry<Item> {
  item: Item;
  resolve: () => void;
  reject: (problem: unknown) => void;
}

/**
 * The disk takes its time, and other work goes on meanwhile: what arrives until it has answered is the next group, so a
 * slow disk makes groups large by itself.
 */
export class TurnGroup<Item> {
  readonly #write: (items: readonly Item[]) => void;
  readonly #reachDisk: () => Promise<void>;
  #entries: Entry<Item>[] = [];
  #isWaiting = false;

  /**
   * `write` writes all of them or, where it throws, none. `reachDisk` resolves when all that was written would survive a
   * power cut.
   */
  constructor(
    write: (items: readonly Item[]) => void,
    reachDisk: () => Promise<void> = async () => undefined,
  ) {
    this.#write = write;
    this.#reachDisk = reachDisk;
  }

  /** Resolves once it is on the disk; rejects with what `write` throws for it alone, and with what `reachDisk` throws. */
  add(item: Item): Promise<void> {
    if (this.#entries.length === 0 && !this.#isWaiting) this.#flushSoon();
    return new Promise((resolve, reject) => {
      this.#entries.push({ item, resolve, reject });
    });
  }

  #flushSoon(): void {
    this.#isWaiting = true;
    setImmediate(() => {
      this.#flush().finally(() => {
        this.#isWaiting = false;
        if (this.#entries.length > 0) this.#flushSoon();
      });
    });
  }

  /** Never rejects. */
  async #flush(): Promise<void> {
    const entries = this.#entries;
    this.#entries = [];
    const written = this.#writeAll(entries);
    if (written.length === 0) return;
    try {
      await this.#reachDisk();
    } catch (problem) {
      for (const { reject } of written) reject(problem);
      return;
    }
    for (const { resolve } of written) resolve();
  }

  /** Answers those that were written. */
  #writeAll(entries: readonly Entry<Item>[]): readonly Entry<Item>[] {
    try {
      this.#write(entries.map(({ item }) => item));
      return entries;
    } catch (problem) {
      // What one of them cannot do the others may.
      if (entries.length > 1) return entries.flatMap((entry) => this.#writeAll([entry]));
      entries[0]?.reject(problem);
      return [];
    }
  }
}
