/** Closing the window, or quitting, while jobs run. */
import type { ShowTray, TrayIcon } from './tray.ts';

/** `ask` until the person has chosen once. */
export type WhenClosed = 'ask' | 'background' | 'quit';
export type ClosingAnswer = 'background' | 'quit' | 'cancel';

interface BackgroundDeps {
  /** Shows an icon while the window is hidden; null if the runtime has none: closing then quits. */
  showTray: ShowTray | null;
  /** Null if the runtime cannot hide it. */
  hide: () => (() => void) | null;
  show: () => void;
  /** Number of jobs that are sending or waiting to send. */
  running: () => number;
  choice: () => WhenClosed;
  keepChoice: (choice: WhenClosed) => void;
  askClosing: (running: number) => Promise<ClosingAnswer>;
  /** True to quit anyway. */
  askQuitting: (running: number) => Promise<boolean>;
  quit: () => void;
  /** The application is already quitting: no more questions. */
  isClosing: () => boolean;
  /** On macOS closing a window does not quit the application. */
  isMac: boolean;
}

interface Background {
  /** Handles a window that the person closes. */
  onClose(event: { preventDefault(): void }): void;
  /** Handles a person's quit: asks only if work would stop. */
  quit(): void;
  /** Handles a quit by the system: true if work would stop; the person is then asked first. */
  asksFirst(): boolean;
  /** Shows the window again. */
  show(): void;
}

export function createBackground(deps: BackgroundDeps): Background {
  let tray: TrayIcon | null = null;
  let isAsking = false;

  const show = () => {
    tray?.remove();
    tray = null;
    deps.show();
  };
  const goBack = (hide: () => void) => {
    hide();
    tray ??= deps.showTray?.({ onOpen: show, onQuit: quit }) ?? null;
  };
  const ask = (work: () => Promise<void>) => {
    if (isAsking) return;
    isAsking = true;
    // A failed dialog must not block anybody: jobs resume at the next start.
    work()
      .catch(() => deps.quit())
      .finally(() => {
        isAsking = false;
      });
  };
  const quit = () => {
    const running = deps.running();
    if (running === 0 || deps.isClosing()) {
      deps.quit();
      return;
    }
    ask(async () => {
      // A dialog of a hidden window would be hidden with it.
      show();
      if (await deps.askQuitting(running)) deps.quit();
    });
  };

  return {
    show,
    quit,
    asksFirst: () => {
      if (!deps.isMac || deps.running() === 0) return false;
      quit();
      return true;
    },
    onClose: (event) => {
      const hide = deps.hide();
      if (deps.isClosing() || hide === null) return;
      if (deps.isMac) {
        event.preventDefault();
        hide();
        return;
      }
      const running = deps.running();
      if (deps.showTray === null || running === 0 || deps.choice() === 'quit') return;
      event.preventDefault();
      if (deps.choice() === 'background') {
        goBack(hide);
        return;
      }
      ask(async () => {
        const answer = await deps.askClosing(running);
        if (answer === 'cancel') return;
        deps.keepChoice(answer);
        if (answer === 'background') goBack(hide);
        else deps.quit();
      });
    },
  };
}
