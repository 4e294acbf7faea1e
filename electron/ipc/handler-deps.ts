/** The dependencies of all handlers, and the channel names of each area. */
import type { BrowserWindow } from 'electron';
import type { Engine } from '../engine/engine.ts';
import type { Session } from '../engine/session.ts';
import type { AppLock } from '../platform/app-lock.ts';
import type { DragOut } from '../platform/drag-out.ts';
import type { PrintPdf } from '../platform/print-pdf.ts';
import type { WindowLock } from '../platform/window-lock.ts';
import type {
  ActionAnswers,
  ActionChannel,
  ActionOn,
  BrokenRun,
  ParsedArgs,
  WindowCrash,
} from '../shared/contract.ts';
import { AppError } from '../shared/errors.ts';
import type { Handlers } from './register.ts';

export interface HandlerDeps {
  engine: Engine;
  lock: AppLock;
  windowLock: WindowLock;
  window: () => BrowserWindow | null;
  dragOut: DragOut;
  printPdf: PrintPdf;
  /** Folder of the log files. */
  logsDir: string;
  /** Null if the system does not state it. */
  isOnBattery: () => boolean | null;
  /** Called when the window has painted the contents of its first view. */
  onReady: (view: string) => void;
  /** Called when the page has stored its pending changes, which `app:closing` asked for. */
  onSaved: () => void;
  /** Full paths of files opened from outside the window; each is returned once. */
  takeOpened: () => string[];
  /** Called with the files that a person chose. */
  onFiles: (paths: readonly string[]) => void;
  /** Why the window was reloaded; returned only once. */
  takeCrash: () => WindowCrash | null;
  /** The previous run if it ended abnormally; returned only once. */
  takeBrokenRun: () => BrokenRun | null;
  /** Problems of the stored data that were found at the start; returned only once. */
  takeNotice: () => string | null;
}

export type HandlersOf<Area extends string> = Pick<Handlers, Extract<keyof Handlers, `${Area}:${string}`>>;

type ActionHandlers<C extends ActionChannel> = {
  [A in ActionOn<C>]: (
    argument: Extract<ParsedArgs<C>, { action: A }>,
  ) => ActionAnswers[C][A] | Promise<ActionAnswers[C][A]>;
};
type AnyAnswer<C extends ActionChannel> = ActionAnswers[C][ActionOn<C>];

/** The handler of a channel whose argument has an `action`, with one entry for each action. */
export function byAction<C extends ActionChannel>(
  handlers: ActionHandlers<C>,
): (argument: ParsedArgs<C>) => AnyAnswer<C> | Promise<AnyAnswer<C>> {
  // Safe cast: the handler is looked up by the action of the same argument.
  const any = handlers as unknown as Record<string, (argument: ParsedArgs<C>) => AnyAnswer<C>>;
  return (argument) => {
    const handle = any[argument.action];
    if (handle === undefined) throw new AppError('INTERNAL', `There is no action "${argument.action}".`);
    return handle(argument);
  };
}

/** The session for an action that a person requested, so that a rejected token is tried once more. */
export async function askedAgain(engine: Engine, connectionId: string): Promise<Session> {
  const session = await engine.session(connectionId);
  await session.askAgain();
  // The keychain may have asked a person for minutes, and the connection may have been saved or closed meanwhile.
  return engine.session(connectionId);
}
