/** The transport of one connection to its service: the proxy and the trusted certificate authorities. */
import { basename } from 'node:path';
import type { Dispatcher } from 'undici';
import { numberText } from '../shared/count-text.ts';
import type { ConnectionDraft, SecretKind } from '../shared/model.ts';
import type { BaseUrl } from './base-url.ts';
import { createAgent, type HttpLimits, readAuthorities, readClientCertificate } from './http-agent.ts';
import { isUntrusted } from './http-errors.ts';
import { type Environment, findRoute, type Route, routeText } from './proxy-route.ts';

/** The computer's network settings. */
export interface Surroundings {
  environment: Environment;
  /** Returns the system's proxy settings in the form of a PAC file's answer; null if they cannot be read. */
  systemProxy: ((url: string) => Promise<string>) | null;
  /** PEM texts of authorities that the system trusts in addition to the built-in ones. */
  systemCertificates: () => Promise<readonly string[]>;
}

/** Credentials of this computer other than the token. */
export interface Credentials {
  /** User name for the connection's proxy; null if it needs none. */
  proxyUser: string | null;
  /** PKCS #12 or PEM file with a certificate and its private key. */
  clientCertFile: string | null;
  /**
   * The password of the proxy or the passphrase of the file; null if there is none. May query the keychain, and fail.
   */
  secret: (kind: SecretKind) => Promise<string | null>;
}

/** The credentials of a saved or typed connection. */
export function credentialsOf(
  { proxyUser, clientCertFile }: Pick<ConnectionDraft, 'proxyUser' | 'clientCertFile'>,
  secret: Credentials['secret'],
): Credentials {
  return { proxyUser: proxyUser ?? null, clientCertFile: clientCertFile ?? null, secret };
}

interface TransportOptions {
  baseUrl: BaseUrl;
  proxyUrl: string | null;
  extraCaFile: string | null;
  credentials?: Credentials;
  surroundings?: Surroundings;
}

export interface HttpTransport {
  /**
   * Runs `exchange`. Retries it once if it failed before anything was sent (`isUnsent`) and the failure changes the
   * route: an authority that is not built in is trusted if the system trusts it, and the proxy is looked up again,
   * because a laptop changes networks.
   */
  use<T>(exchange: (agent: Dispatcher) => Promise<T>, isUnsent: () => boolean): Promise<T>;
  /** Call after a wake-up or network change. The next exchange looks up the proxy again. */
  doubt(): void;
  /** Host and port of the proxy of the last exchange, or null. */
  proxyHost(): string | null;
  /** Whether the proxy of the last exchange is reached over TLS; false without a proxy. */
  isProxyEncrypted(): boolean;
  describe(): string;
  close(): Promise<void>;
}

const NO_SURROUNDINGS: Surroundings = {
  environment: {},
  systemProxy: null,
  systemCertificates: async () => [],
};

const NO_CREDENTIALS: Credentials = { proxyUser: null, clientCertFile: null, secret: async () => null };

interface Opened {
  agent: Dispatcher;
  route: Route;
}

/** Creates the transport without opening a socket or a file. */
export function createHttpTransport(options: TransportOptions, limits: HttpLimits): HttpTransport {
  const {
    baseUrl,
    proxyUrl,
    extraCaFile,
    credentials = NO_CREDENTIALS,
    surroundings = NO_SURROUNDINGS,
  } = options;
  let opening: Promise<Opened> | null = null;
  let route: Route | null = null;
  /** The system's authorities; empty until they were needed. */
  let ofSystem: readonly string[] = [];
  const left: Dispatcher[] = [];
  let isDoubtful = false;
  let isClosed = false;

  const lookUp = () =>
    findRoute(baseUrl.origin, proxyUrl, surroundings.environment, surroundings.systemProxy);
  const open = async (): Promise<Opened> => {
    const found = await lookUp();
    route = found;
    const own = extraCaFile === null ? [] : [await readAuthorities(extraCaFile)];
    const { clientCertFile } = credentials;
    const certificate =
      clientCertFile === null
        ? null
        : {
            file: clientCertFile,
            bytes: await readClientCertificate(clientCertFile),
            passphrase: await credentials.secret('certificate'),
          };
    const proxy = await withLogin(found, credentials);
    return { agent: await createAgent([...own, ...ofSystem], certificate, proxy, limits), route: found };
  };
  const find = async (): Promise<Opened> => {
    if (isDoubtful && opening !== null) {
      isDoubtful = false;
      await recheck(await opening.catch(() => null));
    }
    opening ??= open();
    const mine = opening;
    try {
      const opened = await mine;
      if (isClosed) await opened.agent.destroy();
      return opened;
    } catch (problem) {
      if (opening === mine) opening = null;
      throw problem;
    }
  };

  /** Looks up the proxy again. Returns whether the current route now differs from `tried`. */
  const recheck = async (tried: Opened | null): Promise<boolean> => {
    if (tried === null) return false;
    // If the lookup fails, the failure of the exchange is reported.
    const found = await lookUp().catch(() => null);
    const now = opening === null ? null : await opening.catch(() => null);
    if (now !== null && now !== tried) return true;
    if (found === null || found.proxy === tried.route.proxy) return false;
    opening = null;
    // Not closed yet, because other requests may still be using it.
    left.push(tried.agent);
    return true;
  };

  /** Trusts the system's authorities from now on. Returns false if that cannot help the failed exchange. */
  const trustSystem = async (tried: Opened): Promise<boolean> => {
    // If they cannot be read, the rejected certificate is reported.
    const found = await surroundings.systemCertificates().catch(() => []);
    if (found.length === 0) return false;
    if (ofSystem.length === 0) {
      ofSystem = found;
      opening = null;
      // Not closed yet, because other requests may still be using it.
      left.push(tried.agent);
    }
    return (await find()) !== tried;
  };

  return {
    use: async (exchange, isUnsent) => {
      const opened = await find();
      try {
        return await exchange(opened.agent);
      } catch (problem) {
        if (!isUnsent() || isClosed) throw problem;
        const isOther = await (isUntrusted(problem) ? trustSystem(opened) : recheck(opened));
        if (!isOther) throw problem;
        return exchange((await find()).agent);
      }
    },
    doubt: () => {
      isDoubtful = true;
    },
    proxyHost: () => hostOf(route),
    isProxyEncrypted: () => route?.proxy?.startsWith('https:') ?? false,
    describe: () =>
      route === null
        ? ''
        : `${routeText(route)}. ${trustText(baseUrl, extraCaFile !== null, ofSystem.length)}${certificateText(baseUrl, credentials)}`,
    close: async () => {
      isClosed = true;
      await Promise.allSettled(left.map((agent) => agent.destroy()));
      if (opening !== null) await Promise.allSettled([find()]);
    },
  };
}

/** User name and password are sent only to the connection's own proxy, never to one from another source. */
async function withLogin({ proxy, source }: Route, credentials: Credentials): Promise<string | null> {
  if (proxy === null || source !== 'connection' || credentials.proxyUser === null) return proxy;
  const url = new URL(proxy);
  // Percent-encoded, so that a percent sign in the name or password is preserved.
  url.username = encodeURIComponent(credentials.proxyUser);
  url.password = encodeURIComponent((await credentials.secret('proxy')) ?? '');
  return url.href;
}

function certificateText({ isEncrypted }: BaseUrl, { clientCertFile }: Credentials): string {
  if (clientCertFile === null || !isEncrypted) return '';
  return ` The client certificate ${basename(clientCertFile)} is shown to the service if it asks.`;
}

function hostOf(route: Route | null): string | null {
  const proxy = route?.proxy ?? null;
  return proxy === null ? null : new URL(proxy).host;
}

function trustText({ isEncrypted }: BaseUrl, hasFile: boolean, ofSystem: number): string {
  if (!isEncrypted) return 'Not encrypted.';
  const parts = [
    'the built-in authorities',
    ...(hasFile ? ['the file of the connection'] : []),
    ...(ofSystem > 0 ? [`${numberText(ofSystem)} of the system`] : []),
  ];
  return `Certificates are checked against ${parts.join(', ')}.`;
}
