export interface Waiter {
  /** Ends the current wait. */
  wake(): void;
  /** Resolves at the next `wake`, or when the signal is aborted. */
  next(): Promise<void>;
  /** Stops listening to the signal. */
  end(): void;
}

/** Uses one listener on the signal for any number of waits, because a signal keeps all listeners that were added. */
export function createWaiter(signal: AbortSignal): Waiter {
  let resolveNext: () => void = () => undefined;
  const wake = () => resolveNext();
  signal.addEventListener('abort', wake, { once: true });
  return {
    wake,
    next: () =>
      new Promise<void>((resolve) => {
        resolveNext = resolve;
        if (signal.aborted) resolve();
      }),
    end: () => signal.removeEventListener('abort', wake),
  };
}
