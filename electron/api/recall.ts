/** Keeps a request of a job back while the job is held, or after another process has taken it over, and every request once the connection is closed. */
import { type Departure, departureOf } from '../core/jobs/departure.ts';
import { AppError } from '../shared/errors.ts';

export class Recall {
  /** Ends the request where it waits: that of the caller, and the recall. */
  readonly signal: AbortSignal | undefined;
  readonly #departure: Departure | null;
  readonly #recalled = new AbortController();
  #isOnWire = false;
  /** The caller needs it no more. */
  readonly end: () => void;

  /** `closing`: aborted once the connection is closed. It outlives the request, so it is listened to, not joined. */
  constructor(given: AbortSignal | undefined, closing?: AbortSignal) {
    this.#departure = departureOf(given);
    if (closing === undefined && this.#departure === null) {
      this.signal = given;
      this.end = () => undefined;
      return;
    }
    const recalled = this.#recalled.signal;
    this.signal = given === undefined ? recalled : AbortSignal.any([given, recalled]);
    const close = () => this.#recalled.abort(closing?.reason);
    if (closing?.aborted === true) close();
    closing?.addEventListener('abort', close);
    const endListening = this.#departure?.listen(() => this.#look());
    this.end = () => {
      closing?.removeEventListener('abort', close);
      endListening?.();
    };
  }

  /** Why it must not be sent now; null where it may. To be asked right before it is handed to the network. */
  refusal(operation: string): AppError | null {
    if (this.#departure === null || this.#departure.isAllowed) return null;
    const why = this.#departure.isWithdrawn
      ? 'its job was halted'
      : 'another Spandeck (a window or a command line) has taken over its job';
    return new AppError('CANCELLED', `${operation} was not sent: ${why}.`, { operation, outcome: 'unsent' });
  }

  /** What is on the wire is not called back; if it is to be sent again, it is, once the scheduler has its answer. */
  async whileOnWire<T>(work: () => Promise<T>): Promise<T> {
    this.#isOnWire = true;
    try {
      return await work();
    } finally {
      this.#isOnWire = false;
      if (this.#departure?.isWithdrawn === true) setImmediate(() => this.#look());
    }
  }

  #look(): void {
    if (this.#departure?.isWithdrawn === true && !this.#isOnWire) this.#recalled.abort();
  }
}
