/** The proxy settings of the system, a PAC file among them, as Electron reads them. */
import { session } from 'electron';

/**
 * Answers as a PAC file does, e.g. `PROXY proxy.example.com:3128; DIRECT`. Null where the runtime cannot tell: the
 * environment and the connection then decide alone.
 */
export function systemProxy(): ((url: string) => Promise<string>) | null {
  const asked: object = session.defaultSession;
  if (!('resolveProxy' in asked) || typeof asked.resolveProxy !== 'function') return null;
  const resolve: (url: string) => unknown = asked.resolveProxy.bind(asked);
  return async (url) => String(await resolve(url));
}
