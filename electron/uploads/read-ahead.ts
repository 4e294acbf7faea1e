/** Batches that the reading thread cuts before they are needed: no request waits for the file. */
import { type AppError, toAppError } from '../shared/errors.ts';
import type { BatchLimits, CutBatch } from './worker/batch-producer.ts';
import type { UploadWorker } from './worker/worker-client.ts';

interface ReadAheadOptions {
  call: UploadWorker['call'];
  /** A batch is there, or none will come any more. */
  onNews: () => void;
}

const MOST_BATCHES = 6;
/** Of all bodies that are ready, or will be: large batches need no queue. */
const MOST_BYTES = 4_000_000;

/** Reads on where the thread has opened the file; where it is opened anew, a new one is made. */
export class ReadAhead {
  readonly #options: ReadAheadOptions;
  readonly #ready: CutBatch[] = [];
  /** Most rows of each batch that was asked for and is not there yet. */
  readonly #asked: number[] = [];
  /** Of the last body; before there is one, it may be as large as any. */
  #bodyBytes = MOST_BYTES;
  #isAtEnd = false;
  #failure: AppError | null = null;

  constructor(options: ReadAheadOptions) {
    this.#options = options;
  }

  /** Rows of each batch that is ready or asked for, in the order of the file. */
  get sizes(): readonly number[] {
    return [...this.#ready.map(({ span }) => span.rows), ...this.#asked];
  }

  get hasRoom(): boolean {
    if (this.#isAtEnd || this.#failure !== null) return false;
    const count = this.#ready.length + this.#asked.length;
    return count === 0 || (count < MOST_BATCHES && count * this.#bodyBytes < MOST_BYTES);
  }

  /** The file has no further rows, and every batch was taken. */
  get isOver(): boolean {
    return this.#isAtEnd && this.#ready.length === 0;
  }

  ask(limits: BatchLimits): void {
    this.#asked.push(limits.maxRows);
    this.#options.call('next', { limits }).then(
      (cut) => this.#take(cut),
      (problem: unknown) => {
        this.#asked.length = 0;
        this.#failure ??= toAppError(problem);
        this.#options.onNews();
      },
    );
  }

  #take(cut: CutBatch | null): void {
    // Rows would be missing in between.
    if (this.#failure !== null) return;
    this.#asked.shift();
    if (cut === null) this.#isAtEnd = true;
    else {
      this.#bodyBytes = cut.body.length;
      this.#ready.push(cut);
    }
    this.#options.onNews();
  }

  /** The next batch, or null where none is ready. Throws what reading throws, once those before it were taken. */
  next(): CutBatch | null {
    const cut = this.#ready.shift() ?? null;
    if (cut === null && this.#failure !== null) throw this.#failure;
    return cut;
  }
}
