/** Normalizes the typed address of a service, and decides which addresses are accepted. */
import { isLoopbackHost, withoutVersion, withScheme } from '../shared/address.ts';
import { AppError } from '../shared/errors.ts';

export interface BaseUrl {
  /** The address without trailing slash and without `/v3`, e.g. `https://example.com/monitoring`. */
  href: string;
  /** Scheme, host and port: the origin to which a token belongs. */
  origin: string;
  /** Path before `/v3`, without trailing slash; empty for most services. */
  basePath: string;
  isEncrypted: boolean;
  isLoopback: boolean;
}

function refuse(message: string): never {
  throw new AppError('INVALID_ARGUMENT', message);
}

/**
 * Parses a typed base URL: adds the scheme, removes trailing `/v3` and slashes. Throws INVALID_ARGUMENT if it is not a
 * web address or has credentials, query or fragment, and INSECURE_URL for plain http to another computer unless
 * `allowsPlainHttp`.
 */
export function parseBaseUrl(typed: string, options: { allowsPlainHttp: boolean }): BaseUrl {
  const text = typed.trim();
  if (text === '')
    refuse('The base URL is empty. Expected the address of the service, e.g. https://example.com.');
  let url: URL;
  try {
    url = new URL(withScheme(text));
  } catch {
    return refuse('The base URL is not a web address. Expected something like https://example.com.');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    refuse(`The base URL begins with ${url.protocol}// where https:// is expected.`);
  }
  if (url.username !== '' || url.password !== '') {
    refuse(
      'The base URL contains a user name or password. Remove them; you enter the access token separately.',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    refuse('The base URL contains a query or fragment. Expected only scheme, host, port and path.');
  }
  const basePath = withoutVersion(url.pathname);
  const isEncrypted = url.protocol === 'https:';
  const isLoopback = isLoopbackHost(url.hostname);
  if (!isEncrypted && !isLoopback && !options.allowsPlainHttp) {
    throw new AppError('INSECURE_URL', `Plain http to ${url.host} would send the access token unencrypted.`, {
      nextStep: 'Use https://, or allow plain http for this connection, under Network.',
    });
  }
  return { href: `${url.origin}${basePath}`, origin: url.origin, basePath, isEncrypted, isLoopback };
}

/** `socks5h` usually means a SOCKS proxy that resolves names itself. Here every SOCKS proxy does. */
const PROXY_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'socks:', 'socks5:', 'socks5h:']);

/** Whether the scheme of this proxy address is supported. */
export const isProxyUrl = (url: URL): boolean => PROXY_SCHEMES.has(url.protocol) && url.hostname !== '';

/** Scheme, host and port, because `origin` is empty for schemes that browsers do not know. */
export const addressOf = (url: URL): string => `${url.protocol}//${url.host}`;

/**
 * Parses a proxy address such as `http://host:port` or `socks5://host:port`. Throws INVALID_ARGUMENT, also if it has a
 * password, which would be stored in plain text.
 */
export function parseProxyUrl(typed: string): string {
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(typed.trim()) ? typed.trim() : `http://${typed.trim()}`);
  } catch {
    return refuse('The proxy is not a web address. Expected http://host:port or socks5://host:port.');
  }
  if (!isProxyUrl(url)) {
    refuse(
      `The proxy begins with ${url.protocol}// where http://, https:// or socks5:// with a host is expected.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    refuse(
      'The proxy contains a user name or password. Enter them in their own fields: the password then goes into the keychain.',
    );
  }
  return addressOf(url);
}
