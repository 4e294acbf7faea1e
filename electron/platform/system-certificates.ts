/** The certificate authorities that the system trusts in addition to the built-in ones, usually those of a company. */
import { Worker } from 'node:worker_threads';
import { scriptPath } from '../shared/script-path.ts';
import * as z from '../shared/zod.ts';

const certificates = z.array(z.string());
let reading: Promise<readonly string[]> | null = null;

/**
 * Reads the authorities once, in a thread, as PEM texts. Rejects with the system's error; the next call then tries
 * again.
 */
export function systemCertificates(): Promise<readonly string[]> {
  reading ??= read().catch((problem: unknown) => {
    reading = null;
    throw problem;
  });
  return reading;
}

async function read(): Promise<readonly string[]> {
  const script = new URL(scriptPath('./system-certificates-worker.ts', import.meta.url), import.meta.url);
  const thread = new Worker(script, { name: 'system certificates' });
  const answer = Promise.withResolvers<unknown>();
  // Until there is an answer, the listener keeps the program from ending.
  thread.once('message', answer.resolve);
  thread.once('error', answer.reject);
  thread.once('exit', () => answer.reject(new Error('the thread ended without an answer')));
  return certificates.parse(await answer.promise);
}
