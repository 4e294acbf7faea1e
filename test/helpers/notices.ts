/** Waits for the events of a rig. */
export class Notices {
  #listeners: (() => void)[] = [];

  /** Reports an event. */
  heard(): void {
    for (const listener of this.#listeners.splice(0)) listener();
  }

  /** Checks at once, and after each event, until `find` returns something. */
  async until<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }
}
