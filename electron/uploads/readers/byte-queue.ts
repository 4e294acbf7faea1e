/** Bytes that were read but do not make a whole row yet. */
export class ByteQueue {
  readonly #mostBytes: number;
  #pieces: Buffer[] = [];
  #held = 0;
  /** Bytes to wait for before the incomplete row is looked at again: doubling keeps long rows linear. */
  #wanted = 0;
  #joined: Buffer = Buffer.alloc(0);

  /** Never waits for more than `mostBytes` and one. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** True when it is worth looking at everything again. */
  add(bytes: Buffer): boolean {
    if (bytes.length === 0) return false;
    this.#pieces.push(bytes);
    this.#held += bytes.length;
    return this.#held >= this.#wanted;
  }

  all(): Buffer {
    this.#joined =
      this.#pieces.length === 1 ? (this.#pieces[0] ?? this.#joined) : Buffer.concat(this.#pieces);
    return this.#joined;
  }

  /** What lies before `from` in the last `all()` is done with. */
  keepFrom(from: number): void {
    // A copy: what is left must not keep the whole piece in memory.
    const rest = Buffer.from(this.#joined.subarray(from));
    this.#joined = Buffer.alloc(0);
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#held = rest.length;
    this.#wanted = Math.min(rest.length * 2, this.#mostBytes + 1);
  }
}
