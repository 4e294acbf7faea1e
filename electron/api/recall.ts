/**
 * Blocks a job's request while the job is paused or after another process has taken it over. Also blocks every request
 * once the connection is closed.
 */
import { type SendPermission, sendPermissionOf } from '../core/jobs/send-permission.ts';
import { AppError } from '../shared/errors.ts';

export class Recall {
  /** Cancels a waiting request. Combines the caller's signal and the recall. */
  readonly signal: AbortSignal | undefined;
  readonly #sendPermission: SendPermission | null;
  readonly #recalled = new AbortController();
  #isOnWire = false;
  #isOver = false;
  #pendingLook: NodeJS.Immediate | undefined;
  /** Must be called when the request is no longer needed. */
  readonly end: () => void;

  /**
   * `closing`: aborted once the connection is closed. It outlives the request, so the request listens to it instead of
   * combining signals.
   */
  constructor(given: AbortSignal | undefined, closing?: AbortSignal) {
    this.#sendPermission = sendPermissionOf(given);
    if (closing === undefined && this.#sendPermission === null) {
      this.signal = given;
      this.end = () => undefined;
      return;
    }
    const recalled = this.#recalled.signal;
    this.signal = given === undefined ? recalled : AbortSignal.any([given, recalled]);
    const close = () => this.#recalled.abort(closing?.reason);
    if (closing?.aborted === true) close();
    closing?.addEventListener('abort', close);
    const endListening = this.#sendPermission?.listen(() => this.#look());
    // The job was halted while the request was prepared. It could wait for ever for a token that is not accepted.
    this.#look();
    this.end = () => {
      this.#isOver = true;
      clearImmediate(this.#pendingLook);
      closing?.removeEventListener('abort', close);
      endListening?.();
    };
  }

  /**
   * The reason why the request must not be sent now; null if it may. Checked right before it is passed to the network.
   */
  blockingError(operation: string): AppError | null {
    if (this.#sendPermission === null || this.#sendPermission.isAllowed) return null;
    const reason = this.#sendPermission.isWithdrawn
      ? 'its job was halted'
      : 'another Spandeck (a window or a command line) has taken over its job';
    return new AppError('CANCELLED', `${operation} was not sent: ${reason}.`, {
      operation,
      outcome: 'unsent',
    });
  }

  /**
   * A request in flight is not recalled, but its retry is blocked once the scheduler has its answer. A cancelled
   * request ends while it is in flight, and is not retried.
   */
  async whileOnWire<T>(work: () => Promise<T>): Promise<T> {
    this.#isOnWire = true;
    try {
      return await work();
    } finally {
      this.#isOnWire = false;
      if (!this.#isOver && this.#sendPermission?.isWithdrawn === true)
        this.#pendingLook = setImmediate(() => this.#look());
    }
  }

  #look(): void {
    if (this.#sendPermission?.isWithdrawn === true && !this.#isOnWire) this.#recalled.abort();
  }
}
