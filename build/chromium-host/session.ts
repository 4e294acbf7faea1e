/** `protocol` and `session`: serving the app's scheme, and permissions of pages. */
import { type BeforeRequestListener, network, type SchemeHandler } from './network.ts';
import { HostEmitter, HostObject } from './unsupported.ts';
import { servedSchemes } from './urls.ts';

/** Types as in Electron's documentation. The stand-in treats every registered scheme as standard and secure. */
export interface CustomScheme {
  scheme: string;
  privileges?: {
    standard?: boolean;
    secure?: boolean;
    supportFetchAPI?: boolean;
    stream?: boolean;
    codeCache?: boolean;
  };
}

let isReady = false;

/** Called once at startup; after that, no more schemes can be registered. */
export function markReady(): void {
  isReady = true;
}

export class Protocol extends HostObject {
  registerSchemesAsPrivileged(schemes: CustomScheme[]): void {
    if (isReady) throw new Error('protocol.registerSchemesAsPrivileged should be called before app is ready');
    for (const { scheme, privileges } of schemes) {
      if (privileges?.standard !== true || privileges.secure !== true) {
        throw new Error(
          `The Chromium host serves standard, secure schemes only; "${scheme}" is registered as less.`,
        );
      }
      servedSchemes.add(scheme);
    }
  }

  handle(scheme: string, handler: SchemeHandler): void {
    if (!servedSchemes.has(scheme)) throw new Error(`Register "${scheme}" as privileged first.`);
    if (network.handlers.has(scheme)) throw new Error(`Failed to register protocol: ${scheme}`);
    network.handlers.set(scheme, handler);
  }

  unhandle(scheme: string): void {
    network.handlers.delete(scheme);
  }

  isProtocolHandled(scheme: string): boolean {
    return network.handlers.has(scheme);
  }
}

export class WebRequest extends HostObject {
  onBeforeRequest(listener: BeforeRequestListener | null): void;
  onBeforeRequest(filter: { urls: string[] }, listener: BeforeRequestListener | null): void;
  onBeforeRequest(
    first: { urls: string[] } | BeforeRequestListener | null,
    second?: BeforeRequestListener | null,
  ): void {
    const isFiltered = first !== null && typeof first === 'object';
    if (isFiltered && first.urls.some((pattern) => pattern !== '<all_urls>' && pattern !== '*://*/*')) {
      throw new Error('The Chromium host knows the filter <all_urls> only.');
    }
    const listener = isFiltered ? second : first;
    network.beforeRequest = listener ?? undefined;
  }
}

/** Exists only to match Electron: Chromium denies all permissions itself, so handlers are never called. */
export type PermissionHandler = (...args: never[]) => unknown;

export class Session extends HostEmitter {
  readonly protocol = protocol;
  readonly webRequest = new WebRequest();
  #proxyRules = '';
  readonly #handlers: { request?: PermissionHandler | null; check?: PermissionHandler | null } = {};

  // biome-ignore lint/suspicious/noExplicitAny: Electron's handlers differ in their parameters; none is called here.
  setPermissionRequestHandler(handler: ((...args: any[]) => void) | null): void {
    this.#handlers.request = handler;
  }

  // biome-ignore lint/suspicious/noExplicitAny: Electron's handlers differ in their parameters; none is called here.
  setPermissionCheckHandler(handler: ((...args: any[]) => boolean) | null): void {
    this.#handlers.check = handler;
  }

  /** Rules such as `proxy.example.com:3128`; empty for a direct connection. */
  async setProxy({ proxyRules = '' }: { proxyRules?: string }): Promise<void> {
    this.#proxyRules = proxyRules;
  }

  /** The proxies in the form of a PAC result. The desktop's settings are not read; only `setProxy` has an effect. */
  async resolveProxy(_url: string): Promise<string> {
    return this.#proxyRules === '' ? 'DIRECT' : `PROXY ${this.#proxyRules}`;
  }

  /** Does nothing: there is no spell checker, and so no download of dictionaries. */
  setSpellCheckerEnabled(isEnabled: boolean): void {
    if (isEnabled) throw new Error('The Chromium host has no spell checker.');
  }
}

export const protocol: Protocol = new Protocol();
const defaultSession = new Session();
export const session = { defaultSession };
