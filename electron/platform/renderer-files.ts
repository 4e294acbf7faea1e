import { extname, join, normalize, sep } from 'node:path';

export const APP_SCHEME = 'app';
export const APP_ORIGIN = 'app://spandeck';

export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};

/** The file for an app:// address; null if the address is outside of the renderer's folder, or has no known type. */
export function rendererFile(rendererDir: string, url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null || `${parsed.protocol}//${parsed.host}` !== APP_ORIGIN) return null;
  let path: string;
  try {
    path = decodeURIComponent(parsed.pathname);
  } catch (thrown) {
    if (thrown instanceof URIError) return null;
    throw thrown;
  }
  if (path.includes('\0') || path.includes('\\')) return null;
  const file = normalize(join(rendererDir, path === '/' ? 'index.html' : path));
  if (!file.startsWith(rendererDir + sep) || CONTENT_TYPES[extname(file)] === undefined) return null;
  return file;
}

/**
 * Whether an address is that of the page itself, as requested by a reload. The window has a single page; any other path
 * of its origin would leave it without contents and without a way back.
 */
export function isOwnPage(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || `${parsed.protocol}//${parsed.host}` !== APP_ORIGIN) return false;
  return parsed.pathname === '/index.html' && parsed.search === '';
}
