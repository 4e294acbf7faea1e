/** Groups the items of one turn of the event loop, so that all are written together. */

interface Entry<Item> {
  item: Item;
  resolve: () => void;
  reject: (problem: unknown) => void;
}

/**
 * Writes the items of one turn as a group. Items that arrive while a group is being written form the next group, so a
 * slow disk makes groups larger automatically.
 */
export class TurnGroup<Item> {
  readonly #write: (items: readonly Item[]) => void;
  readonly #reachDisk: () => Promise<void>;
  #entries: Entry<Item>[] = [];
  #isWaiting = false;

  /**
   * `write` writes all items, or none if it throws. `reachDisk` resolves when everything written would survive a power
   * failure.
   */
  constructor(
    write: (items: readonly Item[]) => void,
    reachDisk: () => Promise<void> = async () => undefined,
  ) {
    this.#write = write;
    this.#reachDisk = reachDisk;
  }

  /**
   * Resolves when the item is on disk. Rejects with an error of `write` that concerns only this item, or with an error
   * of `reachDisk`.
   */
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

  /** Returns the entries that were written. */
  #writeAll(entries: readonly Entry<Item>[]): readonly Entry<Item>[] {
    try {
      this.#write(entries.map(({ item }) => item));
      return entries;
    } catch (problem) {
      // If writing the group fails, each item is tried alone, because the others may succeed.
      if (entries.length > 1) return entries.flatMap((entry) => this.#writeAll([entry]));
      entries[0]?.reject(problem);
      return [];
    }
  }
}
