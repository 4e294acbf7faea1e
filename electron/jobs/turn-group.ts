/** Gathers what one turn of the event loop brings, so that all of it is written in one go. */

interface Entry<Item> {
  item: Item;
  resolve: () => void;
  reject: (problem: unknown) => void;
}

/** A commit waits for the disk: what arrives meanwhile is the next group, so a slow disk makes groups large by itself. */
export class TurnGroup<Item> {
  readonly #write: (items: readonly Item[]) => void;
  #entries: Entry<Item>[] = [];

  /** `write` writes all of them or, where it throws, none. */
  constructor(write: (items: readonly Item[]) => void) {
    this.#write = write;
  }

  /** Resolves once it is written; rejects with what `write` throws for it alone. */
  add(item: Item): Promise<void> {
    if (this.#entries.length === 0) setImmediate(() => this.#flush());
    return new Promise((resolve, reject) => {
      this.#entries.push({ item, resolve, reject });
    });
  }

  #flush(): void {
    const entries = this.#entries;
    this.#entries = [];
    try {
      this.#write(entries.map(({ item }) => item));
    } catch (problem) {
      if (entries.length === 1) entries[0]?.reject(problem);
      // What one of them cannot do the others may.
      else for (const entry of entries) this.#writeAlone(entry);
      return;
    }
    for (const { resolve } of entries) resolve();
  }

  #writeAlone({ item, resolve, reject }: Entry<Item>): void {
    try {
      this.#write([item]);
      resolve();
    } catch (problem) {
      reject(problem);
    }
  }
}
