/** Bytes that were read and do not form a complete row yet. */
export class ByteQueue {
  readonly #mostBytes: number;
  /** Reused, because allocating for each chunk of a file costs more than copying it. */
  #buffer: Buffer = Buffer.alloc(0);
  #held = 0;
  /**
   * Bytes to wait for before the incomplete row is scanned again. Doubled each time, so that long rows are read in
   * linear time.
   */
  #wanted = 0;

  /** Never waits for more than `mostBytes + 1` bytes. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Copies the bytes. True if there are enough bytes to scan the incomplete row again. */
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

  /** Valid until the next change. */
  all(): Buffer {
    return this.#buffer.subarray(0, this.#held);
  }

  /** Drops the part before `from` of the last `all()`. */
  keepFrom(from: number): void {
    this.#buffer.copyWithin(0, from, this.#held);
    this.#held -= from;
    this.#wanted = Math.min(this.#held * 2, this.#mostBytes + 1);
  }
}
