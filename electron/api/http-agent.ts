/** The sockets of one connection: time limits, certificate authorities, proxy. */
import { basename } from 'node:path';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import { AppError } from '../shared/errors.ts';
import { MAX_HEADER_BYTES } from './http-errors.ts';
import { readSmallFile } from './small-file.ts';
import { connectThroughSocks, isSocks } from './socks.ts';

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

/** What this computer shows a service that asks who it is: the bytes of a file, and what opens it. */
interface ClientCertificate {
  file: string;
  bytes: Buffer;
  passphrase: string | null;
}

/**
 * Opens no socket yet. `authorities` are PEM texts that are trusted besides the built-in ones; `proxy` may hold a user
 * name and a password. Throws INVALID_ARGUMENT for a client certificate that does not open.
 */
export async function createAgent(
  authorities: readonly string[],
  certificate: ClientCertificate | null,
  proxy: string | null,
  limits: HttpLimits,
): Promise<Dispatcher> {
  // Loaded with the first request: what is stored is read without it.
  const { Agent, buildConnector, ProxyAgent } = await import('undici');
  // Said for each: what NODE_TLS_REJECT_UNAUTHORIZED says is not asked.
  const tls = { ...secureContext(authorities, certificate), rejectUnauthorized: true };
  const timeout = limits.connectTimeoutMs;
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
  if (proxy === null) return new Agent({ ...common, connect: { timeout, ...tls } });
  if (isSocks(proxy)) {
    const encrypt = buildConnector({ allowH2: false, timeout, ...tls });
    return new Agent({ ...common, connect: throughSocks(proxy, encrypt, timeout) });
  }
  // The certificate is for the service: a proxy never sees it.
  const proxyTls = { ...secureContext(authorities, null), rejectUnauthorized: true };
  return new ProxyAgent({ ...common, uri: proxy, requestTls: { timeout, ...tls }, proxyTls });
}

function throughSocks(
  proxy: string,
  encrypt: buildConnector.connector,
  timeoutMs: number,
): buildConnector.connector {
  return (options, callback) => {
    const isEncrypted = options.protocol === 'https:';
    const port = options.port === '' ? (isEncrypted ? 443 : 80) : Number(options.port);
    connectThroughSocks(proxy, { host: options.hostname, port }, timeoutMs).then(
      (socket) => {
        if (isEncrypted) encrypt({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (problem: Error) => callback(problem, null),
    );
  };
}

function secureContext(
  authorities: readonly string[],
  certificate: ClientCertificate | null,
): { secureContext?: SecureContext } {
  if (authorities.length === 0 && certificate === null) return {};
  // Made once: a list of authorities takes tens of milliseconds to read, and each socket would read it anew.
  const trust = authorities.length === 0 ? {} : { ca: [...getCACertificates('default'), ...authorities] };
  if (certificate === null) return { secureContext: createSecureContext(trust) };
  const { file, bytes, passphrase } = certificate;
  const isPem = bytes.includes('-----BEGIN ');
  const own = isPem ? { cert: bytes, key: bytes } : { pfx: bytes };
  try {
    const opened = { ...own, ...(passphrase === null ? {} : { passphrase }) };
    return { secureContext: createSecureContext({ ...trust, ...opened }) };
  } catch (problem) {
    throw unusableCertificate(file, problem);
  }
}

function unusableCertificate(file: string, problem: unknown): AppError {
  const name = basename(file);
  const message = `${name} cannot be used as the client certificate. Expected a PKCS #12 file, or a PEM file with a certificate and its private key, of at most 1 MB, and the passphrase that opens it. Choose it again in the connection.`;
  return new AppError('INVALID_ARGUMENT', message, { file: name, outcome: 'unsent' }, problem);
}

/** The bytes of the file with the client certificate. Rejects with INVALID_ARGUMENT in the same words whatever is wrong. */
export async function readClientCertificate(file: string): Promise<Buffer> {
  try {
    return await readSmallFile(file, MAX_CA_BYTES);
  } catch (problem) {
    throw unusableCertificate(file, problem);
  }
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
