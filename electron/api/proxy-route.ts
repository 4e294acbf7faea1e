/** Decides on the route of requests, direct or through a proxy, and names the source of the setting. Pure. */
import { BlockList, isIP } from 'node:net';
import { isLoopbackHost } from '../shared/address.ts';
import { AppError } from '../shared/errors.ts';
import { addressOf, isProxyUrl, parseProxyUrl } from './base-url.ts';

/** `loopback`: the service is a program on this computer. `none`: no proxy is configured. */
type RouteSource = 'connection' | 'environment' | 'system' | 'loopback' | 'none';

export interface Route {
  /** The proxy's address, with user name and password if known; null for a direct route. */
  proxy: string | null;
  source: RouteSource;
  /** The environment variable that decided; null for another source. */
  variable: string | null;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Value of a connection's proxy setting that overrides all other sources. */
const DIRECT = 'direct';

export const isDirect = (typed: string): boolean => typed.trim().toLowerCase() === DIRECT;

const DIRECTLY = { proxy: null, variable: null } as const;

function variableOf(
  environment: Environment,
  names: readonly string[],
): { name: string; value: string } | null {
  for (const name of names) {
    const value = environment[name]?.trim() ?? '';
    if (value !== '') return { name, value };
  }
  return null;
}

const either = (name: string): string[] => [name.toLowerCase(), name];

/**
 * Whether an entry of NO_PROXY matches this host. `example.com` and `.example.com` match the domain and its subdomains,
 * `10.0.0.0/8` a range of addresses, `host:port` only that port, `*` everything.
 */
function isExcepted(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const range = /^([0-9a-f.:]+)\/(\d{1,3})$/i.exec(entry);
  if (range !== null) return isInRange(host, range[1] ?? '', Number(range[2]));
  const withPort = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(entry);
  if (withPort !== null && withPort[3] !== port) return false;
  const name = (withPort?.[1] ?? withPort?.[2] ?? entry).replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
  return name !== '' && (host === name || host.endsWith(`.${name}`));
}

function isInRange(host: string, network: string, bits: number): boolean {
  const version = isIP(network);
  if (version === 0 || isIP(host) !== version || bits > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const range = new BlockList();
  range.addSubnet(network, bits, family);
  return range.check(host, family);
}

function fromEnvironment(url: URL, environment: Environment): Route | null {
  const isEncrypted = url.protocol === 'https:';
  const named = variableOf(environment, [
    ...either(isEncrypted ? 'HTTPS_PROXY' : 'HTTP_PROXY'),
    ...either('ALL_PROXY'),
  ]);
  if (named === null) return null;
  const exceptions = variableOf(environment, either('NO_PROXY'));
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port === '' ? (isEncrypted ? '443' : '80') : url.port;
  const entries = (exceptions?.value ?? '').toLowerCase().split(/[\s,]+/);
  if (exceptions !== null && entries.some((entry) => isExcepted(entry, host, port))) {
    return { proxy: null, source: 'environment', variable: exceptions.name };
  }
  return { proxy: addressIn(named), source: 'environment', variable: named.name };
}

/** The message does not repeat the variable, because it may contain a password. Throws PROXY_FAILED. */
function addressIn({ name, value }: { name: string; value: string }): string {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !isProxyUrl(url)) {
    throw unusable(
      `The variable ${name} does not name a proxy that can be used. Expected http://host:port or socks5://host:port`,
    );
  }
  return url.href;
}

/** The first usable entry of the system's answer, e.g. `PROXY proxy.example.com:3128; DIRECT`. Throws PROXY_FAILED. */
function fromSystem(answer: string): Route {
  const entries = answer
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  for (const entry of entries) {
    const [kind = '', address = ''] = entry.split(/\s+/);
    if (kind.toUpperCase() === 'DIRECT') return { ...DIRECTLY, source: 'none' };
    const scheme = { PROXY: 'http', HTTP: 'http', HTTPS: 'https', SOCKS5: 'socks5' }[kind.toUpperCase()];
    if (scheme !== undefined && URL.canParse(`${scheme}://${address}`)) {
      return { proxy: addressOf(new URL(`${scheme}://${address}`)), source: 'system', variable: null };
    }
  }
  if (entries.length === 0) return { ...DIRECTLY, source: 'none' };
  throw unusable(
    `The proxy settings of the system answered “${answer}”. Expected an http or a SOCKS 5 proxy`,
  );
}

function unusable(text: string): AppError {
  return new AppError('PROXY_FAILED', `${text}.`, {
    outcome: 'unsent',
    nextStep: `Enter a proxy in the connection, or “${DIRECT}” to use none.`,
  });
}

/**
 * The route to `origin`: from the connection, otherwise from the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and
 * NO_PROXY, in upper or lower case), otherwise from the system. Requests to this computer use a proxy only if the
 * connection itself names one. Throws INVALID_ARGUMENT for an invalid proxy of the connection, PROXY_FAILED for another
 * unusable proxy.
 */
export async function findRoute(
  origin: string,
  ofConnection: string | null,
  environment: Environment,
  askSystem: ((url: string) => Promise<string>) | null,
): Promise<Route> {
  if (ofConnection !== null && isDirect(ofConnection)) return { ...DIRECTLY, source: 'connection' };
  if (ofConnection !== null) {
    return { proxy: parseProxyUrl(ofConnection), source: 'connection', variable: null };
  }
  const url = new URL(origin);
  if (isLoopbackHost(url.hostname)) return { ...DIRECTLY, source: 'loopback' };
  const named = fromEnvironment(url, environment);
  if (named !== null) return named;
  return askSystem === null ? { ...DIRECTLY, source: 'none' } : fromSystem(await askSystem(origin));
}

/**
 * One line for a person, such as `Through proxy.example.com:3128: as set in HTTPS_PROXY`. Never contains a password.
 */
export function routeText({ proxy, source, variable }: Route): string {
  const route = proxy === null ? 'Directly' : `Through ${new URL(proxy).host}`;
  const reasons = {
    connection: 'as set in the connection',
    environment: `as set in ${variable ?? 'the environment'}`,
    system: 'as set in the system',
    loopback: 'it runs on this computer',
    none: 'no proxy is set',
  };
  return `${route}: ${reasons[source]}`;
}
