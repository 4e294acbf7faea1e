/**
 * Runs in each window's isolated world before any script of the page. It provides the module of a sandboxed preload
 * (`require('electron')`), and the window behaviours in which Chromium and Electron differ.
 *
 * It is sent as source text, so it may use only its parameters, the codec's functions and the page's globals.
 */
import type { ByteText, decode as Decode, encode as Encode } from '../codec.ts';
import type { MainWorldLink } from './main-world.ts';
import type { IpcListener, IpcRenderer, PreloadModule } from './preload-module.ts';

declare const encode: typeof Encode;
declare const decode: typeof Decode;

/** Settings from the host. */
export interface BridgeSettings {
  /** Name of the binding, visible in the isolated world only. */
  readonly binding: string;
  /** Secret name of the DOM events between the two worlds. */
  readonly channel: string;
  readonly fileToken: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly platform: string;
  readonly arch: string;
  readonly argv: readonly string[];
}

/** Header of a message from the page; the body follows after a line feed. */
export interface PageMessage {
  readonly kind: 'invoke' | 'send' | 'navigate' | 'open' | 'key' | 'state';
  readonly href: string;
  readonly id?: number;
  readonly channel?: string;
}

/** The only way for the host into the isolated world. */
export interface HostDoor {
  receive(
    header: { kind: 'reply' | 'event'; id?: number; channel?: string; isError?: boolean },
    body: string,
  ): void;
  file(token: string): File | undefined;
}

/** Sends a message from the isolated world to main. */
export type Post = (header: Omit<PageMessage, 'href'>, body: unknown) => void;

/** Builds the preload's `electron` module and opens the host's entry. */
export function installBridge(
  settings: BridgeSettings,
  makeLink: (channel: string) => MainWorldLink,
): { post: Post; module: PreloadModule } {
  const send = (globalThis as unknown as Record<string, (text: string) => void>)[settings.binding];
  const bytes: ByteText = {
    toText: (data) => (data as unknown as { toBase64(): string }).toBase64(),
    fromText: (text) => (Uint8Array as unknown as { fromBase64(text: string): Uint8Array }).fromBase64(text),
  };
  const post: Post = (header, body) => {
    send?.(`${JSON.stringify({ ...header, href: location.href })}\n${encode(body, bytes)}`);
  };

  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const listeners = new Map<string, IpcListener[]>();
  let lastId = 0;
  const add = (channel: string, listener: IpcListener): void => {
    listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
  };
  const remove = (channel: string, listener: IpcListener): void => {
    listeners.set(
      channel,
      (listeners.get(channel) ?? []).filter((item) => item !== listener),
    );
  };
  const ipcRenderer: IpcRenderer = {
    invoke(channel: string, ...args: unknown[]): Promise<unknown> {
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        post({ kind: 'invoke', channel, id }, args);
        waiting.set(id, { resolve, reject });
      });
    },
    send(channel: string, ...args: unknown[]): void {
      post({ kind: 'send', channel }, args);
    },
    sendSync(): never {
      throw new Error('ipcRenderer.sendSync is not supported by the Chromium host.');
    },
    on(channel: string, listener: IpcListener) {
      add(channel, listener);
      return ipcRenderer;
    },
    once(channel: string, listener: IpcListener) {
      const wrapped: IpcListener = (event, ...args) => {
        remove(channel, wrapped);
        listener(event, ...args);
      };
      add(channel, wrapped);
      return ipcRenderer;
    },
    off(channel: string, listener: IpcListener) {
      remove(channel, listener);
      return ipcRenderer;
    },
    removeListener(channel: string, listener: IpcListener) {
      remove(channel, listener);
      return ipcRenderer;
    },
    removeAllListeners(channel: string) {
      listeners.delete(channel);
      return ipcRenderer;
    },
  };

  const files: File[] = [];
  const door: HostDoor = {
    receive(header, body) {
      const value = decode(body, bytes);
      if (header.kind === 'event') {
        const event = { sender: ipcRenderer, ports: [] };
        for (const listener of listeners.get(header.channel ?? '') ?? [])
          listener(event, ...(value as unknown[]));
        return;
      }
      const entry = waiting.get(header.id ?? 0);
      waiting.delete(header.id ?? 0);
      if (header.isError === true) entry?.reject(new Error(String(value)));
      else entry?.resolve(value);
    },
    file: (token) => files[Number(token.slice(settings.fileToken.length).split('.')[0])],
  };
  Object.defineProperty(globalThis, Symbol.for('chromium-host'), { value: door });

  const webUtils = {
    /** Electron knows the path at once; here a token stands for the path until a message transfers it to main. */
    getPathForFile(file: File): string {
      if (!(file instanceof File))
        throw new TypeError("Failed to execute 'getPathForFile': parameter 1 is not of type 'File'.");
      files.push(file);
      return `${settings.fileToken}${files.length - 1}.`;
    },
  };
  const link = makeLink(settings.channel);
  const contextBridge = {
    exposeInMainWorld(key: string, api: unknown): void {
      link.expose(key, api);
    },
  };
  link.onOpen((url) => post({ kind: 'open' }, { url, frameName: '', disposition: 'new-window' }));
  return { post, module: { contextBridge, ipcRenderer, webUtils } };
}
