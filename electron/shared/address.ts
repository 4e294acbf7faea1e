/** Rules for typed addresses, shared by window and main process. Pure. */

/**
 * Whether a host is `localhost`, in 127.0.0.0/8 or ::1, so that traffic does not leave the computer. A name below
 * `localhost` may resolve to any address through the hosts file or a name server, so it counts like any other name.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  return (
    name === 'localhost' ||
    name === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(name) ||
    /^::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}$/.test(name)
  );
}

/** Adds a missing scheme: http on loopback, where a certificate is rare; https everywhere else. */
export function withScheme(typed: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) return typed;
  const host = /^(\[[^\]]*\]|[^/:?#]*)/.exec(typed)?.[0] ?? '';
  return `${isLoopbackHost(host) ? 'http' : 'https'}://${typed}`;
}

/** Removes any number of trailing slashes and `/v3` from the path of a base URL. */
export function withoutVersion(path: string): string {
  const parts = path.split('/');
  for (let last = parts.at(-1); last === '' || last?.toLowerCase() === 'v3'; last = parts.at(-1)) parts.pop();
  return parts.join('/');
}
