/** What the handlers of every area get, and the names of those an area has. */
import type { BrowserWindow } from 'electron';
import type { Engine } from '../engine/engine.ts';
import type { Session } from '../engine/session.ts';
import type { AppLock } from '../platform/app-lock.ts';
import type { DragOut } from '../platform/drag-out.ts';
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
  /** Folder of the log files. */
  logsDir: string;
  /** The window painted the content of its first view. */
  onReady: (view: string) => void;
  /** Full paths of files that were opened from outside the window, once. */
  takeOpened: () => string[];
  /** Files that a person chose. */
  onFiles: (paths: readonly string[]) => void;
  /** Why the window was loaded again, once. */
  takeCrash: () => WindowCrash | null;
  /** The run before this one, where it did not end in order; once. */
  takeBrokenRun: () => BrokenRun | null;
  /** What was found wrong with the stored data at the start; once. */
  takeNotice: () => string | null;
}

export type HandlersOf<Area extends string> = Pick<Handlers, Extract<keyof Handlers, `${Area}:${string}`>>;

type ActionHandlers<C extends ActionChannel> = {
  [A in ActionOn<C>]: (
    argument: Extract<ParsedArgs<C>, { action: A }>,
  ) => ActionAnswers[C][A] | Promise<ActionAnswers[C][A]>;
};
type AnyAnswer<C extends ActionChannel> = ActionAnswers[C][ActionOn<C>];

/** The handler of a channel whose argument says by its `action` what is done: one entry for each. */
export function byAction<C extends ActionChannel>(
  handlers: ActionHandlers<C>,
): (argument: ParsedArgs<C>) => AnyAnswer<C> | Promise<AnyAnswer<C>> {
  // Found by the action of the argument that it is handed.
  const any = handlers as unknown as Record<string, (argument: ParsedArgs<C>) => AnyAnswer<C>>;
  return (argument) => {
    const handle = any[argument.action];
    if (handle === undefined) throw new AppError('INTERNAL', `There is no action "${argument.action}".`);
    return handle(argument);
  };
}

/** The session for what a person asked for by name, so that a token that was refused is tried once more. */
export async function askedAgain(engine: Engine, connectionId: string): Promise<Session> {
  const session = await engine.session(connectionId);
  await session.askAgain();
  return session;
}
