/** Aborts one request when its caller cancels it or its time is up, and records the cause. */
import type { Clock } from '../core/ports.ts';

export class RequestAbort {
  readonly timeoutMs: number;
  by: 'nobody' | 'caller' | 'time' = 'nobody';
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #cancel: AbortSignal | undefined;
  readonly #onCancel = () => this.#stop('caller');
  #cancelTimer: () => void = () => undefined;
  #hasEnded = false;

  constructor(clock: Clock, timeoutMs: number, cancel: AbortSignal | undefined) {
    this.#clock = clock;
    this.timeoutMs = timeoutMs;
    this.#cancel = cancel;
    if (cancel?.aborted === true) this.#onCancel();
    cancel?.addEventListener('abort', this.#onCancel, { once: true });
    this.#restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Yields the same chunks. Each requested chunk restarts the timer, so that the request is aborted only if sending
   * stops.
   */
  async *restartedBy(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#restart();
      yield chunk;
    }
    this.#restart();
  }

  /** Must be called when the request has ended. */
  end(): void {
    this.#hasEnded = true;
    this.#cancelTimer();
    this.#cancel?.removeEventListener('abort', this.#onCancel);
  }

  #stop(by: 'caller' | 'time'): void {
    if (this.by === 'nobody') this.by = by;
    this.#controller.abort();
  }

  #restart(): void {
    this.#cancelTimer();
    // A chunk of the body may still be requested after the answer has arrived.
    if (this.#hasEnded) return;
    this.#cancelTimer = this.#clock.setTimer(
      () => this.#stop('time'),
      this.timeoutMs,
      'ending a request at its time limit',
    );
  }
}
