/** The system's proxy settings, including PAC files, as Electron reads them. */
import { session } from 'electron';

/**
 * Returns an answer like a PAC file, e.g. `PROXY proxy.example.com:3128; DIRECT`. Null if the runtime does not know:
 * only the environment and the connection then decide.
 */
export function systemProxy(): ((url: string) => Promise<string>) | null {
  const asked: object = session.defaultSession;
  if (!('resolveProxy' in asked) || typeof asked.resolveProxy !== 'function') return null;
  const resolve: (url: string) => unknown = asked.resolveProxy.bind(asked);
  return async (url) => String(await resolve(url));
}
