import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { CONTENT_SECURITY_POLICY } from './content-security-policy.ts';
import { CONTENT_TYPES, rendererFile } from './renderer-files.ts';

/** Codes of errors that mean that no such file exists: the path is missing, is a folder, or leads through a file. */
const ABSENT = new Set<unknown>(['ENOENT', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG']);

/**
 * The answer to a request for an app:// address. Every answer, including "not found", has the page's security policy.
 */
export async function answerApp(rendererDir: string, url: string): Promise<Response> {
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
    if (ABSENT.has(code)) return new Response('Not found', { status: 404, headers });
    throw thrown;
  }
}
