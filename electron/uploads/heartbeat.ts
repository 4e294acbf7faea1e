/** Shows how far a packed file has been read. The host can see it even when the reading thread does not respond. */
import { createReadStream, type ReadStream } from 'node:fs';

const [BEATS, SOURCE_BYTES] = [0, 1];

export class Heartbeat {
  /** The memory that is passed to the other thread. */
  readonly shared: SharedArrayBuffer;
  readonly #counts: Float64Array;
  readonly #held = new Set<object>();

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.shared = shared;
    this.#counts = new Float64Array(shared);
  }

  /** A number that changes whenever there is progress. */
  get beats(): number {
    return this.#counts[BEATS] ?? 0;
  }

  /** Offset in the source up to which bytes were read. */
  get sourceBytes(): number {
    return this.#counts[SOURCE_BYTES] ?? 0;
  }

  /** Reports progress, e.g. a row. */
  beat(): void {
    this.#counts[BEATS] = this.beats + 1;
  }

  readUntil(sourceBytes: number): void {
    this.#counts[SOURCE_BYTES] = sourceBytes;
    this.beat();
  }

  /** Streams a file from its beginning. The reader must take the stream in the same turn of the event loop. */
  stream(path: string): ReadStream {
    this.readUntil(0);
    const stream = createReadStream(path);
    return stream.on('data', () => this.readUntil(stream.bytesRead));
  }

  /**
   * Keeps an open file referenced until it is released. If a library waits forever, nothing else references its files,
   * and garbage collection would close them, which is an error.
   */
  hold(file: object): () => void {
    this.#held.add(file);
    return () => this.#held.delete(file);
  }
}
