/** Batches that the reading thread builds in advance, so that no request waits for the file. */
import { type AppError, toAppError } from '../shared/errors.ts';
import type { BatchLimits, CutBatch } from './worker/batch-producer.ts';
import type { UploadWorker } from './worker/worker-client.ts';

interface ReadAheadOptions {
  call: UploadWorker['call'];
  /** Called when a batch is ready, or when there will be no more. */
  onNews: () => void;
}

const MAX_BATCHES = 8;
/** Size limit for all bodies that are ready or requested, so that few large batches are built in advance. */
const MAX_BYTES = 4_000_000;

/**
 * Continues reading at the place where the thread opened the file. A file that is opened again needs a new instance.
 */
export class ReadAhead {
  readonly #options: ReadAheadOptions;
  readonly #ready: CutBatch[] = [];
  /** Row limit of each batch that was requested and has not arrived yet. */
  readonly #asked: number[] = [];
  /** Size of the last body; before the first one, the largest possible size. */
  #bodyBytes = MAX_BYTES;
  #isAtEnd = false;
  #failure: AppError | null = null;

  constructor(options: ReadAheadOptions) {
    this.#options = options;
  }

  /** Rows of each batch that is ready or requested, in file order. */
  get sizes(): readonly number[] {
    return [...this.#ready.map(({ span }) => span.rows), ...this.#asked];
  }

  /**
   * Requests batches until the limits are reached, but only once half of the space is free. One message to the thread
   * then requests several, because waking it is expensive. `limitsOfNext`: the limits of the next batch; null if there
   * is none.
   */
  fill(limitsOfNext: () => BatchLimits | null): void {
    if (this.#isAtEnd || this.#failure !== null) return;
    const room = Math.max(1, Math.min(MAX_BATCHES, Math.ceil(MAX_BYTES / this.#bodyBytes)));
    if (this.#count > room / 2) return;
    while (this.#count < room) {
      const limits = limitsOfNext();
      if (limits === null) return;
      this.#ask(limits);
    }
  }

  get #count(): number {
    return this.#ready.length + this.#asked.length;
  }

  /** True if the file has no further rows and every batch was taken. */
  get isOver(): boolean {
    return this.#isAtEnd && this.#ready.length === 0;
  }

  #ask(limits: BatchLimits): void {
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
    // A batch after the failed one is ignored, because it would leave a gap.
    if (this.#failure !== null) return;
    this.#asked.shift();
    if (cut === null) this.#isAtEnd = true;
    else {
      this.#bodyBytes = cut.body.length;
      this.#ready.push(cut);
    }
    this.#options.onNews();
  }

  /** The next batch, or null if none is ready. Throws read errors once the batches before them were taken. */
  next(): CutBatch | null {
    const cut = this.#ready.shift() ?? null;
    if (cut === null && this.#failure !== null) throw this.#failure;
    return cut;
  }
}
