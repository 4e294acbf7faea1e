/** Items waiting for a point in time, earliest first. */
export class DelayHeap<T> {
  readonly #items: { atMs: number; value: T }[] = [];

  get size(): number {
    return this.#items.length;
  }

  get nextAtMs(): number {
    return this.#items[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  push(atMs: number, value: T): void {
    const items = this.#items;
    const item = { atMs, value };
    let index = items.push(item) - 1;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = items[parentIndex];
      if (parent === undefined || parent.atMs <= atMs) break;
      items[index] = parent;
      index = parentIndex;
    }
    items[index] = item;
  }

  /** Removes and returns the earliest item if it is due. */
  popDue(nowMs: number): T | null {
    const items = this.#items;
    const top = items[0];
    if (top === undefined || top.atMs > nowMs) return null;
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.#sink(last);
    return top.value;
  }

  *values(): Generator<T> {
    for (const item of this.#items) yield item.value;
  }

  #sink(item: { atMs: number; value: T }): void {
    const items = this.#items;
    let index = 0;
    for (;;) {
      const leftIndex = index * 2 + 1;
      const left = items[leftIndex];
      const right = items[leftIndex + 1];
      if (left === undefined) break;
      const isRight = right !== undefined && right.atMs < left.atMs;
      const child = isRight ? right : left;
      if (child.atMs >= item.atMs) break;
      items[index] = child;
      index = isRight ? leftIndex + 1 : leftIndex;
    }
    items[index] = item;
  }
}
