/** What the handlers of every area get, and the names of those an area has. */
import type { BrowserWindow } from 'electron';
import type { Engine } from '../engine/engine.ts';
import type { Session } from '../engine/session.ts';
import type { WindowCrash } from '../shared/contract.ts';
import type { Handlers } from './register.ts';

export interface HandlerDeps {
  engine: Engine;
  window: () => BrowserWindow | null;
  /** The window painted the content of its first view. */
  onReady: (view: string) => void;
  /** Why the window was loaded again, once. */
  takeCrash: () => WindowCrash | null;
}

export type HandlersOf<Area extends string> = Pick<Handlers, Extract<keyof Handlers, `${Area}:${string}`>>;

/** The session for what a person asked for by name, so that a token that was refused is tried once more. */
export async function askedAgain(engine: Engine, connectionId: string): Promise<Session> {
  const session = await engine.session(connectionId);
  await session.askAgain();
  return session;
}
