/** What happens when a person closes the window or quits while jobs run. */
import type { ShowTray, TrayIcon } from './tray.ts';

/** `ask` until a person has said once what they want. */
export type WhenClosed = 'ask' | 'background' | 'quit';
export type ClosingAnswer = 'background' | 'quit' | 'cancel';

interface BackgroundDeps {
  /** Shows an icon while the window is out of sight; null where the runtime has none: closing then quits. */
  showTray: ShowTray | null;
  /** Null where the runtime cannot. */
  hide: () => (() => void) | null;
  show: () => void;
  /** Jobs that are sending or waiting to. */
  running: () => number;
  choice: () => WhenClosed;
  keepChoice: (choice: WhenClosed) => void;
  askClosing: (running: number) => Promise<ClosingAnswer>;
  /** True to quit all the same. */
  askQuitting: (running: number) => Promise<boolean>;
  quit: () => void;
  /** The application is on its way out: nothing is asked any more. */
  isClosing: () => boolean;
  /** There a window is closed and its application goes on. */
  isMac: boolean;
}

interface Background {
  /** Of a window that a person closes. */
  onClose(event: { preventDefault(): void }): void;
  /** A person asks to quit: asked only if work would stop. */
  quit(): void;
  /** Of a quit that the system begins: true where work would stop, and the person is asked before it goes on. */
  asksFirst(): boolean;
  /** Back in sight. */
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
    // A question that cannot be put stops nobody: the work goes on at the next start.
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
      // A question that belongs to a hidden window would be hidden with it.
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
