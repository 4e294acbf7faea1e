/** Positions in lists whose rows changed after they were indexed, with a lookup in logarithmic time. Pure. */

export type ChangedRange = readonly [generationId: number, from: number, to: number];

export class ChangedRanges {
  /** Ranges by generation, in order and without overlap. The end of each is exclusive. */
  readonly #ranges = new Map<number, [from: number, to: number][]>();
  /** The first range that was not read; all positions from it on count as changed. */
  #unread: readonly [generationId: number, from: number] | null = null;

  /**
   * `ranges` are in the order of generations and, within each, of their first positions. `mayRead` is called before
   * each range; false ends the reading.
   */
  constructor(ranges: Iterable<ChangedRange>, mayRead: () => boolean) {
    for (const [generationId, from, to] of ranges) {
      if (!mayRead()) {
        this.#unread = [generationId, from];
        return;
      }
      const own = this.#ranges.get(generationId) ?? [];
      const last = own.at(-1);
      if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
      else if (to > from) own.push([from, to]);
      this.#ranges.set(generationId, own);
    }
  }

  /** Whether some ranges were not read, so that all of their rows count as changed. */
  get isCut(): boolean {
    return this.#unread !== null;
  }

  has(generationId: number, position: number): boolean {
    if (this.#unread !== null) {
      const [generation, from] = this.#unread;
      if (generationId > generation || (generationId === generation && position >= from)) return true;
    }
    const own = this.#ranges.get(generationId) ?? [];
    let [low, high] = [0, own.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((own[middle]?.[1] ?? 0) > position) high = middle;
      else low = middle + 1;
    }
    return (own[low]?.[0] ?? Number.POSITIVE_INFINITY) <= position;
  }
}
