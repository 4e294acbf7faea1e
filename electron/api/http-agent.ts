/** The sockets of one connection: time limits, certificate authorities, proxy. */
import { basename } from 'node:path';
import { createSecureContext, getCACertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { AppError } from '../shared/errors.ts';
import { MAX_HEADER_BYTES } from './http-errors.ts';
import { readSmallFile } from './small-file.ts';

export interface HttpLimits {
  connectTimeoutMs: number;
  /** From the last byte of the request to the first of the answer, and between two parts of the answer. */
  silenceTimeoutMs: number;
  /** For the whole exchange; where a file is sent, from the last part of it that left on. */
  totalTimeoutMs: number;
  maxAnswerBytes: number;
  connections: number;
}

export const DEFAULT_LIMITS: HttpLimits = {
  connectTimeoutMs: 10_000,
  silenceTimeoutMs: 100_000,
  totalTimeoutMs: 120_000,
  maxAnswerBytes: 64 * 1_024 * 1_024,
  // As many as the scheduler has in flight: a request never waits here after its permit was given.
  connections: 24,
};

/** The limits of a connection for which a person has set how long an answer is waited for. */
export function waitLimits(answerTimeoutS: number | undefined): Partial<HttpLimits> {
  if (answerTimeoutS === undefined) return {};
  return { silenceTimeoutMs: answerTimeoutS * 1_000, totalTimeoutMs: answerTimeoutS * 1_000 };
}

/** All authorities of a system together take a quarter of it. */
const MAX_CA_BYTES = 1_048_576;

/**
 * Opens no socket yet. `authorities` are PEM texts that are trusted besides the built-in ones; `proxy` may hold a user
 * name and a password.
 */
export async function createAgent(
  authorities: readonly string[],
  proxy: string | null,
  limits: HttpLimits,
): Promise<Dispatcher> {
  // Loaded with the first request: what is stored is read without it.
  const { Agent, ProxyAgent } = await import('undici');
  // Made once: a list of authorities takes tens of milliseconds to read, and each socket would read it anew.
  const trust =
    authorities.length === 0
      ? {}
      : { secureContext: createSecureContext({ ca: [...getCACertificates('default'), ...authorities] }) };
  // Said for each: what NODE_TLS_REJECT_UNAUTHORIZED says is not asked.
  const tls = { ...trust, rejectUnauthorized: true };
  const common = {
    connections: limits.connections,
    // One request at a time on a socket, over HTTP/1.1: whether a request may have left is then certain.
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: limits.silenceTimeoutMs,
    bodyTimeout: limits.silenceTimeoutMs,
    connectTimeout: limits.connectTimeoutMs,
  };
  if (proxy === null) return new Agent({ ...common, connect: { timeout: limits.connectTimeoutMs, ...tls } });
  return new ProxyAgent({
    ...common,
    uri: proxy,
    requestTls: { timeout: limits.connectTimeoutMs, ...tls },
    proxyTls: tls,
  });
}

/**
 * The text of a PEM file. Rejects with INVALID_ARGUMENT in the same words whatever is wrong: the page is not to learn
 * which paths exist, or what lies there.
 */
export async function readAuthorities(file: string): Promise<string> {
  try {
    const text = (await readSmallFile(file, MAX_CA_BYTES)).toString('latin1');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
    throw new Error('no BEGIN CERTIFICATE line');
  } catch (problem) {
    const name = basename(file);
    const message = `${name} cannot be used as a certificate file. Expected a readable PEM file of at most 1 MB with BEGIN CERTIFICATE lines. Choose it again in the connection.`;
    throw new AppError('INVALID_ARGUMENT', message, { file: name, outcome: 'unsent' }, problem);
  }
}
