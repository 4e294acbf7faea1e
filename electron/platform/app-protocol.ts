import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { protocol } from 'electron';

export const APP_SCHEME = 'app';
export const APP_ORIGIN = 'app://spandeck';

/** Nothing from outside, no inline script or style, no frames, no plug-ins. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/** Must run before the application is ready. */
export function declareAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves the built renderer, and nothing outside its folder, as app://spandeck/. */
export function serveApp(rendererDir: string): void {
  protocol.handle(APP_SCHEME, (request) => answer(rendererDir, request.url));
}

/** The file behind an app:// address, or null where the address leaves the renderer folder or names no known type. */
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

async function answer(rendererDir: string, url: string): Promise<Response> {
  const headers = { 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'X-Content-Type-Options': 'nosniff' };
  const file = rendererFile(rendererDir, url);
  if (file === null) return new Response('Not found', { status: 404, headers });
  try {
    const body = await readFile(file);
    return new Response(new Uint8Array(body), {
      headers: { ...headers, 'Content-Type': CONTENT_TYPES[extname(file)] ?? 'application/octet-stream' },
    });
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
    if (code === 'ENOENT' || code === 'EISDIR') return new Response('Not found', { status: 404, headers });
    throw thrown;
  }
}
