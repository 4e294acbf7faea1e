/** The batches of one upload that are in flight, and how many of them may be at once. */
import type { Clock } from '../core/ports.ts';
import type { Departure } from './job-sender.ts';
import type { ReadyBatch } from './stored-batches.ts';

/** What is on its way, from when it is taken up until its outcome is written. */
interface InFlightBatch {
  rows: number;
  isNew: boolean;
  /** `leaving`: it is being written as `sending`. `answered`: acknowledged, which is being written. */
  state: 'leaving' | 'queued' | 'sent' | 'answered';
  settled: Promise<void>;
}

interface InFlightOptions {
  clock: Clock;
  /** So many at once where all goes well. */
  most: number;
  /** One of them got further. */
  onNews: () => void;
}

/** A request that leaves the queue within so long did not wait for a limit. */
const AT_ONCE_MS = 50;

export class InFlightBatches {
  readonly #options: InFlightOptions;
  readonly #all = new Set<InFlightBatch>();
  /** Requests that may be on their way at once: more while all goes well, one after trouble. */
  #width = 1;
  /** So many of them may be in the queue: more while none of them waits there, one where limits make them wait. */
  #depth = 1;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Being written as `sending`, in the order in which they were taken up. */
  get leaving(): readonly Pick<InFlightBatch, 'rows' | 'isNew'>[] {
    return [...this.#all].filter(({ state }) => state === 'leaving');
  }

  /** Rows of each one that is not acknowledged yet. */
  get undecided(): number[] {
    return [...this.#all].filter(({ state }) => state !== 'answered').map(({ rows }) => rows);
  }

  /**
   * While one waits for the limits of the service, no other is begun: killed, its outcome would be unknown as well.
   * What is acknowledged has made room, although that is not on the disk yet: the next one is written with it.
   */
  get hasRoom(): boolean {
    const waiting = [...this.#all].filter(({ state }) => state === 'leaving' || state === 'queued');
    return this.undecided.length < this.#width && waiting.length < this.#depth;
  }

  /** `send` answers whether it was acknowledged; `onSettled` hears that, and whether it left at all. */
  launch(
    { batch, isNew }: Pick<ReadyBatch, 'batch' | 'isNew'>,
    send: (departure: Omit<Departure, 'isWanted'>) => Promise<boolean>,
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
        // Sent again after a 429 or the like, it tells nothing of the queue.
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

  /** Waits until the outcome of each is written. */
  async settle(): Promise<void> {
    while (this.#all.size > 0) await Promise.all([...this.#all].map(({ settled }) => settled));
  }
}
