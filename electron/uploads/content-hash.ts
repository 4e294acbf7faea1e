/** Hash of exactly the bytes of the file that a batch was built from. It is computed while they are read. */
import { createHash, type Hash } from 'node:crypto';

export class ContentHash {
  readonly #keptBytes: number;
  #pieces: { offset: number; bytes: Buffer }[] = [];
  #hash: Hash = createHash('sha256');
  #from = 0;
  #to = 0;
  readonly #onDropped: (bytes: Buffer) => void;

  /**
   * `keptBytes`: number of bytes to keep; no row may start further back. `onDropped`: gets bytes that are no longer
   * needed.
   */
  constructor(keptBytes: number, onDropped: (bytes: Buffer) => void = () => undefined) {
    this.#keptBytes = keptBytes;
    this.#onDropped = onDropped;
  }

  /** Ignores bytes that were already added. */
  addBytes(bytes: Buffer, offset: number): void {
    this.#flush();
    const last = this.#pieces.at(-1);
    const known = last === undefined ? 0 : Math.max(last.offset + last.bytes.length - offset, 0);
    if (known < bytes.length) this.#pieces.push({ offset: offset + known, bytes: bytes.subarray(known) });
    const oldest = offset + bytes.length - this.#keptBytes;
    while ((this.#pieces[0]?.offset ?? oldest) + (this.#pieces[0]?.bytes.length ?? 0) < oldest)
      this.#pieces.shift();
  }

  /** Adds a row of the batch. Rows come in file order. */
  addRow(byteStart: number, byteEnd: number): void {
    if (byteStart !== this.#to) {
      this.#flush();
      this.#from = byteStart;
    }
    this.#to = byteEnd;
  }

  /** Drops bytes before `offset`; no later row starts there. */
  dropBefore(offset: number): void {
    while (
      this.#pieces.length > 0 &&
      (this.#pieces[0]?.offset ?? 0) + (this.#pieces[0]?.bytes.length ?? 0) <= offset
    ) {
      this.#flush();
      const dropped = this.#pieces.shift();
      if (dropped !== undefined) this.#onDropped(dropped.bytes);
    }
  }

  /** Returns the hash of the rows added since the last call. */
  cut(): string {
    this.#flush();
    const digest = this.#hash.digest('hex');
    this.#hash = createHash('sha256');
    return digest;
  }

  #flush(): void {
    for (const { offset, bytes } of this.#pieces) {
      const start = Math.max(this.#from - offset, 0);
      const end = Math.min(this.#to - offset, bytes.length);
      if (start < end) this.#hash.update(bytes.subarray(start, end));
    }
    this.#from = this.#to;
  }
}
