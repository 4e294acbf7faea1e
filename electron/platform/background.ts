/** Handles closing the window and quitting while jobs are running. */
import type { ShowTray, TrayIcon } from './tray.ts';

/** The person's choice; `ask` until there is one. */
export type WhenClosed = 'ask' | 'background' | 'quit';
export type ClosingAnswer = 'background' | 'quit' | 'cancel';

interface BackgroundDeps {
  /** Shows an icon while the window is hidden; null if the runtime has no icons, so that closing quits. */
  showTray: ShowTray | null;
  /** Hides the window and returns a function that shows it; null if the runtime cannot hide it. */
  hide: () => (() => void) | null;
  show: () => void;
  /** Number of jobs that send or wait to send. */
  running: () => number;
  choice: () => WhenClosed;
  keepChoice: (choice: WhenClosed) => void;
  askClosing: (running: number) => Promise<ClosingAnswer>;
  /** Asks the person; true to quit anyway. */
  askQuitting: (running: number) => Promise<boolean>;
  quit: () => void;
  /** Whether the application is quitting already, so that nothing is asked any more. */
  isClosing: () => boolean;
  /** Whether the system is macOS, where closing a window does not quit the application. */
  isMac: boolean;
}

interface Background {
  /** Handles the closing of the window by a person. */
  onClose(event: { preventDefault(): void }): void;
  /** Quits for a person; asks first if jobs would stop. */
  quit(): void;
  /** Handles a quit by the system. Returns true if jobs would stop; the person is then asked first. */
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
    // A failed dialog is ignored, because jobs resume at the next start.
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
      // Shows the window first, because a dialog of a hidden window would be hidden too.
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
      if (deps.isClosing()) return;
      event.preventDefault();
      const hide = deps.hide();
      if (deps.isMac && hide !== null) {
        hide();
        return;
      }
      const running = deps.running();
      if (hide === null || deps.showTray === null || running === 0 || deps.choice() === 'quit') {
        // The quit closes the window after its page has saved its changes.
        deps.quit();
        return;
      }
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
