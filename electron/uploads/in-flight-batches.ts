/** The requests of one upload that are on their way, and how many of them may be at once. */
import type { Clock } from '../core/ports.ts';
import type { Departure } from './job-sender.ts';
import type { ReadyBatch } from './stored-batches.ts';

/** What is on its way, from when it is taken up until its outcome is written. */
interface Flight {
  rows: number;
  isNew: boolean;
  /** `leaving`: it is being written as `sending`. `answered`: acknowledged, which is being written. */
  state: 'leaving' | 'queued' | 'sent' | 'answered';
  landed: Promise<void>;
}

interface FlightsOptions {
  clock: Clock;
  /** So many at once where all goes well. */
  most: number;
  /** One of them got further. */
  onNews: () => void;
}

/** A request that leaves the queue within so long did not wait for a limit. */
const AT_ONCE_MS = 50;

export class Flights {
  readonly #options: FlightsOptions;
  readonly #all = new Set<Flight>();
  /** Requests that may be on their way at once: more while all goes well, one after trouble. */
  #width = 1;
  /** So many of them may be in the queue: more while none of them waits there, one where limits make them wait. */
  #depth = 1;

  constructor(options: FlightsOptions) {
    this.#options = options;
  }

  get areLanded(): boolean {
    return this.#all.size === 0;
  }

  /** Being written as `sending`, in the order in which they were taken up. */
  get leaving(): readonly Pick<Flight, 'rows' | 'isNew'>[] {
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

  /** `send` answers whether it was acknowledged; `onLanded` hears that, and whether it left at all. */
  launch(
    { batch, isNew }: Pick<ReadyBatch, 'batch' | 'isNew'>,
    send: (departure: Omit<Departure, 'isWanted'>) => Promise<boolean>,
    onLanded: (isFine: boolean, hasLeft: boolean) => void,
  ): void {
    const { clock, most, onNews } = this.#options;
    let queuedAtMs = 0;
    const landed = send({
      onWritten: () => {
        flight.state = 'queued';
        queuedAtMs = clock.monotonicMs();
        onNews();
      },
      onSend: () => {
        // Sent again after a 429 or the like, it tells nothing of the queue.
        if (flight.state !== 'queued') return;
        flight.state = 'sent';
        const isAtOnce = clock.monotonicMs() - queuedAtMs <= AT_ONCE_MS;
        this.#depth = isAtOnce ? Math.min(this.#depth + 1, most) : 1;
        onNews();
      },
      onAnswer: () => {
        flight.state = 'answered';
        this.#width = Math.min(this.#width + 1, most);
        onNews();
      },
    }).then((isFine) => {
      if (!isFine) this.#width = 1;
      this.#all.delete(flight);
      onLanded(isFine, flight.state !== 'leaving');
      onNews();
    });
    const flight: Flight = { rows: batch.rows, isNew, state: 'leaving', landed };
    this.#all.add(flight);
  }

  /** Waits until the outcome of each is written. */
  async land(): Promise<void> {
    while (this.#all.size > 0) await Promise.all([...this.#all].map(({ landed }) => landed));
  }
}
