/** Waits for what a rig hears. */
export class Notices {
  #listeners: (() => void)[] = [];

  /** Something was heard. */
  heard(): void {
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /** Looks at once and after each notice, until something is found. */
  async until<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }
}
