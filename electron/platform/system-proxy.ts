/** The system's proxy settings, including PAC files, as Electron reads them. */
import { session } from 'electron';

/**
 * A function that returns the proxies for a URL in the form of a PAC result, e.g. `PROXY proxy.example.com:3128;
 * DIRECT`. Null if the runtime has none; then only the environment and the connection decide.
 */
export function systemProxy(): ((url: string) => Promise<string>) | null {
  const asked: object = session.defaultSession;
  if (!('resolveProxy' in asked) || typeof asked.resolveProxy !== 'function') return null;
  const resolve: (url: string) => unknown = asked.resolveProxy.bind(asked);
  return async (url) => String(await resolve(url));
}
