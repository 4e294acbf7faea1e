const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Every signal to end quits in order, however many come: Electron's own handler takes the first one only, and the
 * second then ends the process with the stores open. Call once the app is ready, after Electron has set its own.
 */
export function quitOnSignals(source: Pick<NodeJS.Process, 'on'>, quit: () => void): void {
  for (const signal of SIGNALS) source.on(signal, quit);
}

/** What this needs of Electron's app. */
interface Quitting {
  on(event: 'before-quit', listener: (event: { preventDefault(): void }) => void): unknown;
  quit(): void;
}

interface QuitInOrder {
  /** True from the first quit on that is not refused. */
  isClosing(): boolean;
  /** Quits without a question. */
  quit(): void;
}

/**
 * Every quit waits until `close` has ended, which runs once however often a quit is asked for meanwhile. `close` gives
 * null while nothing is open yet, and the app then quits at once. `isClosing` is true also for what `close` itself
 * calls: a window that is closed by a quit must not ask whether it may.
 *
 * A quit that does not come from `quit` is one of the system: the Dock of macOS and its application switcher. It is
 * refused where `asksFirst` gives true, which asks the person and calls `quit` if they agree.
 */
export function quitInOrder(
  app: Quitting,
  close: () => Promise<void> | null,
  asksFirst: () => boolean,
): QuitInOrder {
  let state: 'open' | 'closing' | 'closed' = 'open';
  let isAgreed = false;
  app.on('before-quit', (event) => {
    if (state === 'closed') return;
    if (state === 'open' && !isAgreed && asksFirst()) {
      event.preventDefault();
      return;
    }
    if (state === 'open') {
      state = 'closing';
      const closed = close();
      if (closed === null) {
        state = 'open';
        return;
      }
      void closed.then(() => {
        state = 'closed';
        app.quit();
      });
    }
    event.preventDefault();
  });
  return {
    isClosing: () => state !== 'open',
    quit: () => {
      isAgreed = true;
      app.quit();
    },
  };
}
