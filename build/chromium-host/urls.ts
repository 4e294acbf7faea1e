/**
 * Maps custom schemes, which Chromium itself does not support: `app://bundle/x` becomes
 * `https://bundle.app.app.invalid/x`, a secure origin of its own that no DNS server resolves.
 */
const SUFFIX = '.app.invalid';

/** Schemes that main serves, because they have a handler or were registered as privileged. */
export const servedSchemes = new Set<string>();

/** The URL in Chromium's form. */
export function toChromium(url: string): string {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(url);
  const [, scheme = '', host = '', rest = ''] = match ?? [];
  if (!servedSchemes.has(scheme.toLowerCase())) return url;
  return `https://${host}.${scheme.toLowerCase()}${SUFFIX}${rest.startsWith('/') ? rest : `/${rest}`}`;
}

/** The URL in the app's form. */
export function toApp(url: string): string {
  const match = /^https:\/\/([^/?#]+)\.([a-z0-9+-]+)\.app\.invalid(?::\d+)?((?:[/?#].*)?)$/is.exec(url);
  const [, host = '', scheme = '', rest = ''] = match ?? [];
  return match !== null && servedSchemes.has(scheme) ? `${scheme}://${host}${rest}` : url;
}

/** Electron's `origin` of a URL. */
export function originOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const parsed = new URL(url);
  return parsed.origin === 'null' && parsed.host !== ''
    ? `${parsed.protocol}//${parsed.host}`
    : parsed.origin;
}
