interface Listening {
  cancels: Set<() => void>;
  listener: () => void;
}

/**
 * Uses one listener for each cancel signal, however many requests share it. All requests of a bulk action have one
 * signal.
 */
export class CancelSignals {
  readonly #bySignal = new WeakMap<AbortSignal, Listening>();

  /** Calls `cancel` when `signal` is aborted. Returns a function that stops listening. */
  listen(signal: AbortSignal, cancel: () => void): () => void {
    const listening = this.#bySignal.get(signal) ?? this.#begin(signal);
    const { cancels, listener } = listening;
    cancels.add(cancel);
    return () => {
      cancels.delete(cancel);
      if (cancels.size > 0 || this.#bySignal.get(signal) !== listening) return;
      this.#bySignal.delete(signal);
      signal.removeEventListener('abort', listener);
    };
  }

  #begin(signal: AbortSignal): Listening {
    const cancels = new Set<() => void>();
    const listener = () => {
      this.#bySignal.delete(signal);
      for (const cancel of [...cancels]) cancel();
    };
    const listening = { cancels, listener };
    this.#bySignal.set(signal, listening);
    signal.addEventListener('abort', listener, { once: true });
    return listening;
  }
}
