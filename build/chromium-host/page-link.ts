/**
 * The connection between main and one page: messages arrive through a binding of the isolated world, and answers are
 * sent by CDP.
 */
import * as fs from 'node:fs';
import type { CdpResult, CdpSession } from './cdp.ts';
import { codecSource, decode, encode, nodeBytes } from './codec.ts';
import { objectAt, textAt } from './events.ts';
import { type BridgeSettings, installBridge, type PageMessage } from './page/bridge.ts';
import { installMainWorld, makeMainWorldLink, makeWire } from './page/main-world.ts';
import { installWindowManners } from './page/window-manners.ts';

const WORLD = 'Electron Isolated Context';
const BINDING = '__chromiumHost';
const FILE_TOKEN = 'chromium-host-file:';
/** A random name that no script of the page can guess, for events between the worlds. */
const secret = (): string => `h${crypto.randomUUID().replaceAll('-', '')}`;

/** Facts about the process that the preload script can read. */
interface PreloadOptions {
  /** Path of the script; without one, only the behaviour of windows is installed. */
  readonly preload: string | undefined;
  readonly argv: readonly string[];
}

/** The script for the isolated world: the bridge, then the preload in a function, as Electron runs it. */
function isolatedSource(channel: string, options: PreloadOptions): string {
  const settings: BridgeSettings = {
    binding: BINDING,
    channel,
    fileToken: FILE_TOKEN,
    versions: { ...process.versions } as Record<string, string>,
    platform: process.platform,
    arch: process.arch,
    argv: options.argv,
  };
  const preload = options.preload === undefined ? '' : fs.readFileSync(options.preload, 'utf8');
  // The preload is part of the text, because the page's Content-Security-Policy forbids eval here too.
  return `(() => {
if (top !== window) return;
${codecSource}
const makeWire = ${String(makeWire)};
const settings = ${JSON.stringify(settings)};
const bridge = (${String(installBridge)})(settings, (name) => (${String(makeMainWorldLink)})(name, makeWire));
(${String(installWindowManners)})(bridge.post);
const require = (name) => {
  if (name === 'electron' || name === 'electron/renderer') return bridge.module;
  throw new Error('module not found: ' + name);
};
const process = { platform: settings.platform, arch: settings.arch, versions: settings.versions, argv: settings.argv,
  type: 'renderer', sandboxed: true, contextIsolated: true, env: {} };
const module = { exports: {} };
(function (exports, require, module, process, global) {
${preload}
})(module.exports, require, module, process, globalThis);
})();`;
}

const mainWorldSource = (channel: string): string =>
  `if (top === window) (${String(installMainWorld)})(${JSON.stringify(channel)}, ${String(makeWire)});`;

/** A message from the page, with its decoded body. */
export interface ReceivedMessage extends PageMessage {
  readonly body: unknown;
  /**
   * The document that sent the message. An answer must not reach the next document, whose message numbers start again.
   */
  readonly contextId: number;
}

export class PageLink {
  readonly #session: CdpSession;
  readonly #frameId: string;
  readonly #onMessage: (message: ReceivedMessage) => void;
  #contextId: number | undefined;

  constructor(session: CdpSession, frameId: string, onMessage: (message: ReceivedMessage) => void) {
    this.#session = session;
    this.#frameId = frameId;
    this.#onMessage = onMessage;
    session.on('Runtime.executionContextCreated', (params: CdpResult) => {
      const context = objectAt(params, 'context');
      if (context['name'] !== WORLD || objectAt(context, 'auxData')['frameId'] !== this.#frameId) return;
      this.#contextId = context['id'] as number;
    });
    session.on('Runtime.executionContextDestroyed', (params: CdpResult) => {
      if (params['executionContextId'] === this.#contextId) this.#contextId = undefined;
    });
    session.on('Runtime.executionContextsCleared', () => {
      this.#contextId = undefined;
    });
    session.on('Runtime.bindingCalled', (params: CdpResult) => {
      if (params['name'] !== BINDING) return;
      this.#receive(textAt(params, 'payload'), params['executionContextId'] as number).catch(
        (error: unknown) => {
          process.stderr.write(`message from the page: ${String(error)}\n`);
        },
      );
    });
  }

  /** Installs bridge and preload for every document that this page will show. */
  async install(options: PreloadOptions): Promise<void> {
    const channel = secret();
    const session = this.#session;
    await Promise.all([
      session.send('Runtime.enable'),
      session.send('Runtime.addBinding', { name: BINDING, executionContextName: WORLD }),
      session.send('Page.addScriptToEvaluateOnNewDocument', { source: mainWorldSource(channel) }),
      session.send('Page.addScriptToEvaluateOnNewDocument', {
        source: isolatedSource(channel, options),
        worldName: WORLD,
      }),
    ]);
  }

  async #receive(payload: string, contextId: number): Promise<void> {
    const end = payload.indexOf('\n');
    const header = JSON.parse(payload.slice(0, end)) as PageMessage;
    const text = payload.slice(end + 1);
    const body = decode(text, nodeBytes);
    const value = text.includes(FILE_TOKEN) ? await this.#withPaths(body, contextId) : body;
    this.#onMessage({ ...header, body: value, contextId });
  }

  /**
   * Replaces each file token in texts, arrays and plain objects by the path of the file ('' for a file that a script
   * created).
   */
  async #withPaths(value: unknown, contextId: number): Promise<unknown> {
    if (typeof value === 'string')
      return value.startsWith(FILE_TOKEN) ? this.#pathOf(value, contextId) : value;
    if (Array.isArray(value)) return Promise.all(value.map((item) => this.#withPaths(item, contextId)));
    if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
      return value;
    const entries = Object.entries(value).map(async ([key, item]) => [
      key,
      await this.#withPaths(item, contextId),
    ]);
    return Object.fromEntries(await Promise.all(entries));
  }

  async #pathOf(token: string, contextId: number): Promise<string> {
    const { result } = await this.#session.send('Runtime.callFunctionOn', {
      functionDeclaration: `(token) => globalThis[Symbol.for('chromium-host')].file(token)`,
      executionContextId: contextId,
      arguments: [{ value: token }],
    });
    const { objectId } = result as { objectId?: string };
    if (objectId === undefined) return '';
    const { path } = await this.#session.send('DOM.getFileInfo', { objectId });
    return String(path);
  }

  #deliver(contextId: number, header: object, body: string): void {
    this.#session.notify('Runtime.callFunctionOn', {
      functionDeclaration: `(header, body) => globalThis[Symbol.for('chromium-host')].receive(header, body)`,
      executionContextId: contextId,
      arguments: [{ value: header }, { value: body }],
    });
  }

  /** Sends an event to the preload's `ipcRenderer`; it is lost if there is no document, as in Electron. */
  send(channel: string, args: readonly unknown[]): void {
    const body = encode(args, nodeBytes);
    if (this.#contextId !== undefined) this.#deliver(this.#contextId, { kind: 'event', channel }, body);
  }

  /** Answers an `invoke`. */
  reply(to: ReceivedMessage, value: unknown): void {
    this.#deliver(to.contextId, { kind: 'reply', id: to.id }, encode(value, nodeBytes));
  }

  /** Rejects an `invoke`: as in Electron, only the message is transferred. */
  refuse(to: ReceivedMessage, error: unknown): void {
    const message = `Error invoking remote method '${to.channel}': ${String(error)}`;
    this.#deliver(to.contextId, { kind: 'reply', id: to.id, isError: true }, encode(message, nodeBytes));
  }
}
