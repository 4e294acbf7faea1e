/** `ipcMain`: handlers by channel, and the events that are passed to them. */
import { HostEmitter } from './unsupported.ts';
import type { WebContents } from './web-contents.ts';
import type { WebFrameMain } from './web-frame-main.ts';

/** First argument of an `ipcMain.handle` handler. */
export interface IpcMainInvokeEvent {
  readonly type: 'frame';
  readonly sender: WebContents;
  readonly senderFrame: WebFrameMain | null;
  readonly frameId: number;
  readonly processId: number;
}

/** First argument of an `ipcMain.on` listener. */
export interface IpcMainEvent extends IpcMainInvokeEvent {
  readonly reply: (channel: string, ...args: unknown[]) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: as in Electron's types; each handler parses its arguments.
type Handler = (event: IpcMainInvokeEvent, ...args: any[]) => unknown;

export class IpcMain extends HostEmitter {
  readonly #handlers = new Map<string, Handler>();

  handle(channel: string, listener: Handler): void {
    if (this.#handlers.has(channel))
      throw new Error(`Attempted to register a second handler for '${channel}'`);
    this.#handlers.set(channel, listener);
  }

  handleOnce(channel: string, listener: Handler): void {
    this.handle(channel, (event, ...args: unknown[]) => {
      this.removeHandler(channel);
      return listener(event, ...args);
    });
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel);
  }

  /** The handler of a channel, for the connection to the pages; not part of Electron's API. */
  static handlerOf(ipc: IpcMain, channel: string): Handler | undefined {
    return ipc.#handlers.get(channel);
  }
}

export const ipcMain = new IpcMain();
