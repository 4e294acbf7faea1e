/** The sockets of one connection: time limits, certificate authorities, proxy. */
import { basename } from 'node:path';
import type { SecureContext } from 'node:tls';
import type { buildConnector, Dispatcher } from 'undici';
import { AppError } from '../shared/errors.ts';
import { MAX_HEADER_BYTES } from './http-errors.ts';
import { readSmallFile } from './small-file.ts';
import { connectThroughSocks, isSocks } from './socks.ts';

export interface HttpLimits {
  connectTimeoutMs: number;
  /**
   * Maximum time from the last byte of the request to the first byte of the answer, and between two chunks of the
   * answer.
   */
  silenceTimeoutMs: number;
  /** Maximum time for the whole exchange. While a file is sent, counted from its last sent chunk. */
  totalTimeoutMs: number;
  maxAnswerBytes: number;
  connections: number;
}

export const DEFAULT_LIMITS: HttpLimits = {
  connectTimeoutMs: 10_000,
  silenceTimeoutMs: 100_000,
  totalTimeoutMs: 120_000,
  maxAnswerBytes: 64 * 1_024 * 1_024,
  // Equals the scheduler's maximum in flight, so that a request with a permit never waits here.
  connections: 24,
};

/** The limits of a connection for which a person has set the answer timeout. */
export function waitLimits(answerTimeoutS: number | undefined): Partial<HttpLimits> {
  if (answerTimeoutS === undefined) return {};
  return { silenceTimeoutMs: answerTimeoutS * 1_000, totalTimeoutMs: answerTimeoutS * 1_000 };
}

/** Maximum size of a file with authorities: four times the size of all authorities of a system. */
const MAX_CA_BYTES = 1_048_576;

/** The client certificate shown to the service, as the bytes of a file and its passphrase. */
interface ClientCertificate {
  file: string;
  bytes: Buffer;
  passphrase: string | null;
}

/**
 * Creates the agent without opening a socket. `authorities`: PEM texts trusted in addition to the built-in ones.
 * `proxy`: may contain a user name and a password. Throws INVALID_ARGUMENT for a client certificate that cannot be
 * opened.
 */
export async function createAgent(
  authorities: readonly string[],
  certificate: ClientCertificate | null,
  proxy: string | null,
  limits: HttpLimits,
): Promise<Dispatcher> {
  // Loaded with the first request, because stored data can be read without it.
  const { Agent, buildConnector, ProxyAgent } = await import('undici');
  // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED is ignored.
  const tls = { ...(await secureContext(authorities, certificate)), rejectUnauthorized: true };
  const timeout = limits.connectTimeoutMs;
  const common = {
    connections: limits.connections,
    // One request at a time on a socket, over HTTP/1.1, so that it is certain whether a request may have been sent.
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
  // The certificate is only for the service and is never shown to a proxy.
  const proxyTls = { ...(await secureContext(authorities, null)), rejectUnauthorized: true };
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

async function secureContext(
  authorities: readonly string[],
  certificate: ClientCertificate | null,
): Promise<{ secureContext?: SecureContext }> {
  if (authorities.length === 0 && certificate === null) return {};
  const { createSecureContext, getCACertificates } = await import('node:tls');
  // Created once, because parsing a list of authorities takes tens of milliseconds and each socket would parse it
  // again.
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

/** Reads the client certificate file. Rejects with INVALID_ARGUMENT, with the same message for every cause. */
export async function readClientCertificate(file: string): Promise<Buffer> {
  try {
    return await readSmallFile(file, MAX_CA_BYTES);
  } catch (problem) {
    throw unusableCertificate(file, problem);
  }
}

/**
 * Reads a PEM file. Rejects with INVALID_ARGUMENT, with the same message for every cause, because the page must not
 * learn which paths exist or what they contain.
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
