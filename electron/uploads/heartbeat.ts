/** How far the reading of a packed file is: its host sees it even while the reading thread does not answer. */
import { createReadStream, type ReadStream } from 'node:fs';

const [BEATS, SOURCE_BYTES] = [0, 1];

export class Heartbeat {
  /** Given to the other thread. */
  readonly shared: SharedArrayBuffer;
  readonly #counts: Float64Array;
  readonly #held = new Set<object>();

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.shared = shared;
    this.#counts = new Float64Array(shared);
  }

  /** Changes whenever the work gets further. */
  get beats(): number {
    return this.#counts[BEATS] ?? 0;
  }

  /** The end of what was read of the source. */
  get sourceBytes(): number {
    return this.#counts[SOURCE_BYTES] ?? 0;
  }

  /** The work got further, e.g. by a row. */
  beat(): void {
    this.#counts[BEATS] = this.beats + 1;
  }

  readUntil(sourceBytes: number): void {
    this.#counts[SOURCE_BYTES] = sourceBytes;
    this.beat();
  }

  /** The bytes of a file from its beginning, for a reader that is given the stream in this same turn. */
  stream(path: string): ReadStream {
    this.readUntil(0);
    const stream = createReadStream(path);
    return stream.on('data', () => this.readUntil(stream.bytesRead));
  }

  /**
   * Keeps an open file until it is released. Where a library waits for what never comes, nothing else holds the files
   * of that work, and they would be closed by garbage collection, which is an error.
   */
  hold(file: object): () => void {
    this.#held.add(file);
    return () => this.#held.delete(file);
  }
}
