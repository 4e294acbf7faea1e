/** The batches of one upload that are in flight, and how many there may be at once. */
import type { Clock } from '../core/ports.ts';
import type { SendCallbacks } from './job-sender.ts';
import type { ReadyBatch } from './stored-batches.ts';

/** A batch in flight, from when it is taken up until its outcome is written. */
interface InFlightBatch {
  rows: number;
  isNew: boolean;
  /** `leaving`: being written as `sending`. `answered`: acknowledged, and the outcome is being written. */
  state: 'leaving' | 'queued' | 'sent' | 'answered';
  settled: Promise<void>;
}

interface InFlightOptions {
  clock: Clock;
  /** Maximum number of requests in flight while none fails. */
  most: number;
  /** Called when a batch makes progress. */
  onNews: () => void;
}

/** A request that leaves the queue within this time did not have to wait for a rate limit. */
const AT_ONCE_MS = 50;

export class InFlightBatches {
  readonly #options: InFlightOptions;
  readonly #all = new Set<InFlightBatch>();
  /** Limit on requests in flight. It grows while all requests succeed, and drops to one after a failure. */
  #width = 1;
  /**
   * Limit on requests in the queue. It grows while none of them has to wait there, and drops to one if rate limits make
   * them wait.
   */
  #depth = 1;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Batches that are being written as `sending`, in the order in which they were taken up. */
  get leaving(): readonly Pick<InFlightBatch, 'rows' | 'isNew'>[] {
    return [...this.#all].filter(({ state }) => state === 'leaving');
  }

  /** Rows of each batch that is not acknowledged yet. */
  get undecided(): number[] {
    return [...this.#all].filter(({ state }) => state !== 'answered').map(({ rows }) => rows);
  }

  /**
   * While a request waits for the service's limits, no other is started, because its outcome would also be unknown if
   * the program were killed. An acknowledged batch no longer counts, although it is not on disk yet, because it is
   * written together with the next one.
   */
  get hasRoom(): boolean {
    const waiting = [...this.#all].filter(({ state }) => state === 'leaving' || state === 'queued');
    return this.undecided.length < this.#width && waiting.length < this.#depth;
  }

  /**
   * `send` resolves to whether the batch was acknowledged. `onSettled` gets this result, and whether the request was
   * written as `sending`.
   */
  launch(
    { batch, isNew }: Pick<ReadyBatch, 'batch' | 'isNew'>,
    send: (callbacks: Omit<SendCallbacks, 'isWanted'>) => Promise<boolean>,
    onSettled: (isFine: boolean, hasLeft: boolean) => void,
  ): void {
    const { clock, most, onNews } = this.#options;
    let queuedAtMs = 0;
    const settled = send({
      onWritten: () => {
        sent.state = 'queued';
        queuedAtMs = clock.monotonicMs();
        onNews();
      },
      onSend: () => {
        // The duration of a retry, e.g. after a 429, shows nothing about the queue.
        if (sent.state !== 'queued') return;
        sent.state = 'sent';
        const isAtOnce = clock.monotonicMs() - queuedAtMs <= AT_ONCE_MS;
        this.#depth = isAtOnce ? Math.min(this.#depth + 1, most) : 1;
        onNews();
      },
      onAnswer: () => {
        sent.state = 'answered';
        this.#width = Math.min(this.#width * 2, most);
        onNews();
      },
    }).then((isFine) => {
      if (!isFine) this.#width = 1;
      this.#all.delete(sent);
      onSettled(isFine, sent.state !== 'leaving');
      onNews();
    });
    const sent: InFlightBatch = { rows: batch.rows, isNew, state: 'leaving', settled };
    this.#all.add(sent);
  }

  /** Waits until all outcomes are written. */
  async settle(): Promise<void> {
    while (this.#all.size > 0) await Promise.all([...this.#all].map(({ settled }) => settled));
  }
}
