/** Bytes that were read but do not make a whole row yet. */
export class ByteQueue {
  readonly #mostBytes: number;
  /** Used again and again: what is allocated for each piece of a file costs more than copying it. */
  #buffer: Buffer = Buffer.alloc(0);
  #held = 0;
  /** Bytes to wait for before the incomplete row is looked at again: doubling keeps long rows linear. */
  #wanted = 0;

  /** Never waits for more than `mostBytes` and one. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Takes a copy. True when it is worth looking at everything again. */
  add(bytes: Buffer): boolean {
    if (bytes.length === 0) return false;
    const length = this.#held + bytes.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(length * 2);
      this.#buffer.copy(larger, 0, 0, this.#held);
      this.#buffer = larger;
    }
    bytes.copy(this.#buffer, this.#held);
    this.#held = length;
    return this.#held >= this.#wanted;
  }

  /** Holds until the next change. */
  all(): Buffer {
    return this.#buffer.subarray(0, this.#held);
  }

  /** What lies before `from` in the last `all()` is done with. */
  keepFrom(from: number): void {
    this.#buffer.copyWithin(0, from, this.#held);
    this.#held -= from;
    this.#wanted = Math.min(this.#held * 2, this.#mostBytes + 1);
  }
}
