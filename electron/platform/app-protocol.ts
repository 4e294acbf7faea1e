import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { protocol } from 'electron';
import { CONTENT_SECURITY_POLICY } from './content-security-policy.ts';
import { APP_SCHEME, CONTENT_TYPES, rendererFile } from './renderer-files.ts';

/** Must run before the application is ready. */
export function declareAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: APP_SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
}

/** Serves the built renderer, and nothing outside its folder, as app://spandeck/. */
export function serveApp(rendererDir: string): void {
  protocol.handle(APP_SCHEME, (request) => answer(rendererDir, request.url));
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
