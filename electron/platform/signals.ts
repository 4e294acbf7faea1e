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

/**
 * Every quit waits until `close` has ended, which runs once however often a quit is asked for meanwhile. `close` gives
 * null while nothing is open yet, and the app then quits at once. `isClosing` is true from the first quit on, also for
 * what `close` itself calls: a window that is closed by a quit must not ask whether it may.
 */
export function quitInOrder(app: Quitting, close: () => Promise<void> | null): { isClosing(): boolean } {
  let state: 'open' | 'closing' | 'closed' = 'open';
  app.on('before-quit', (event) => {
    if (state === 'closed') return;
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
  return { isClosing: () => state !== 'open' };
}
