/**
 * A growable list of numbers whose memory is reused after `clear`, so that filling it for each row creates no garbage.
 */
export class NumberList {
  #items = new Float64Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** 0 if the index is out of range. */
  at(index: number): number {
    return this.#items[index] ?? 0;
  }

  /** Makes room for this many more numbers. */
  expand(count: number): void {
    if (this.#length + count <= this.#items.length) return;
    const larger = new Float64Array(Math.max(this.#items.length * 2, this.#length + count));
    larger.set(this.#items);
    this.#items = larger;
  }

  push(value: number): void {
    if (this.#length === this.#items.length) this.expand(1);
    this.#items[this.#length] = value;
    this.#length += 1;
  }

  /** The numbers as bytes in memory order. Valid until the next change. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#items.buffer, 0, this.#length * Float64Array.BYTES_PER_ELEMENT);
  }

  /** Loads numbers from the bytes of another list. */
  load(bytes: Uint8Array): void {
    const length = bytes.length / Float64Array.BYTES_PER_ELEMENT;
    if (this.#items.length < length) this.#items = new Float64Array(length * 2);
    new Uint8Array(this.#items.buffer).set(bytes);
    this.#length = length;
  }

  clear(): void {
    this.#length = 0;
  }
}
