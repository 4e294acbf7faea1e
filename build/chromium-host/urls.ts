/**
 * A custom scheme is out of reach for stock Chromium, so `app://bundle/x` lives there as
 * `https://bundle.app.app.invalid/x`: an origin of its own, secure, that no DNS can ever know.
 */
const SUFFIX = '.app.invalid';

/** Schemes that have a handler or were registered as privileged: they are served by main. */
export const servedSchemes = new Set<string>();

/** The URL as Chromium knows it. */
export function toChromium(url: string): string {
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(url);
  const [, scheme = '', host = '', rest = ''] = match ?? [];
  if (!servedSchemes.has(scheme.toLowerCase())) return url;
  return `https://${host}.${scheme.toLowerCase()}${SUFFIX}${rest.startsWith('/') ? rest : `/${rest}`}`;
}

/** The URL as the app knows it. */
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
