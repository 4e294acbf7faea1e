/** The address a person types for a service, brought to one form, and the rules about what is accepted. */
import { isLoopbackHost, withScheme } from '../shared/address.ts';
import { AppError } from '../shared/errors.ts';

export interface BaseUrl {
  /** Without trailing slash and without `/v3`, e.g. `https://example.com/monitoring`. */
  href: string;
  /** Scheme, host and port: what a token belongs to. */
  origin: string;
  /** Path in front of `/v3`, without trailing slash; empty for most services. */
  basePath: string;
  isEncrypted: boolean;
  isLoopback: boolean;
}

function refuse(message: string): never {
  throw new AppError('INVALID_ARGUMENT', message);
}

/** Drops slashes and `/v3` from the end, however often they stand there. */
function withoutVersion(path: string): string {
  const parts = path.split('/');
  for (let last = parts.at(-1); last === '' || last?.toLowerCase() === 'v3'; last = parts.at(-1)) parts.pop();
  return parts.join('/');
}

/**
 * Parses a typed base URL: adds the scheme, drops `/v3` and slashes at the end. Throws INVALID_ARGUMENT for what
 * is not a web address or carries credentials, query or fragment, and INSECURE_URL for plain http to another
 * computer unless `allowsPlainHttp`.
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

/** Parses a proxy address, `http://host:port`. Throws INVALID_ARGUMENT; a password would lie readable on disk. */
export function parseProxyUrl(typed: string): string {
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(typed.trim()) ? typed.trim() : `http://${typed.trim()}`);
  } catch {
    return refuse('The proxy is not a web address. Expected http://host:port.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    refuse(`The proxy begins with ${url.protocol}// where http:// or https:// is expected.`);
  }
  if (url.username !== '' || url.password !== '') {
    refuse(
      'The proxy contains a user name or password. Use a local proxy that adds them; Spandeck does not store them.',
    );
  }
  return url.origin;
}
