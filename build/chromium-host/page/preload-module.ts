/**
 * The module that `require('electron')` returns in a sandboxed preload, with everything that the stand-in supports.
 * Types only.
 */

/** First argument of an `ipcRenderer` listener. */
export interface IpcRendererEvent {
  readonly sender: IpcRenderer;
}

// biome-ignore lint/suspicious/noExplicitAny: as in Electron's types; the receiver parses its arguments.
export type IpcListener = (event: IpcRendererEvent, ...args: any[]) => void;

export interface IpcRenderer {
  // biome-ignore lint/suspicious/noExplicitAny: as in Electron's types; the receiver parses the result.
  invoke(channel: string, ...args: unknown[]): Promise<any>;
  send(channel: string, ...args: unknown[]): void;
  sendSync(channel: string, ...args: unknown[]): never;
  on(channel: string, listener: IpcListener): IpcRenderer;
  once(channel: string, listener: IpcListener): IpcRenderer;
  off(channel: string, listener: IpcListener): IpcRenderer;
  removeListener(channel: string, listener: IpcListener): IpcRenderer;
  removeAllListeners(channel: string): IpcRenderer;
}

export interface PreloadModule {
  readonly contextBridge: { exposeInMainWorld(key: string, api: unknown): void };
  readonly ipcRenderer: IpcRenderer;
  readonly webUtils: { getPathForFile(file: File): string };
}

export declare const contextBridge: PreloadModule['contextBridge'];
export declare const ipcRenderer: PreloadModule['ipcRenderer'];
export declare const webUtils: PreloadModule['webUtils'];
