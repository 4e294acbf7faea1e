import { detached } from '../shared/detached.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Quits in order on every termination signal, however many arrive. Electron's own handler takes only the first one, so
 * the second would kill the process with the stores open. Call it once the app is ready, after Electron has set its own
 * handler.
 */
export function quitOnSignals(source: Pick<NodeJS.Process, 'on'>, quit: () => void): void {
  for (const signal of SIGNALS) source.on(signal, quit);
}

/** The members of Electron's app that are used here. */
interface Quitting {
  on(event: 'before-quit', listener: (event: { preventDefault(): void }) => void): unknown;
  quit(): void;
}

interface QuitInOrder {
  /** True from the first accepted quit on. */
  isClosing(): boolean;
  /** Quits without asking. */
  quit(): void;
}

/**
 * Makes every quit wait until `close` has ended; `close` runs once, however often quitting is requested meanwhile. It
 * returns null while nothing is open yet, and the app then quits at once. `isClosing` is also true while `close` runs,
 * because a window that is closed by a quit must not ask for permission.
 *
 * A quit that does not come from `quit` comes from the system, e.g. from the Dock of macOS or its application switcher.
 * It is refused if `asksFirst` returns true; `asksFirst` then asks the person, and calls `quit` if they agree.
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
      // The process ends after a failure too. Without a window, it would prevent later starts from opening one.
      const end = closed.finally(() => {
        state = 'closed';
        app.quit();
      });
      detached('quitting', end);
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
