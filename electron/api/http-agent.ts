/** The sockets of one connection: time limits, certificate authorities, proxy. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { getCACertificates } from 'node:tls';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { AppError } from '../shared/errors.ts';

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

/** Opens no socket yet. Throws INVALID_ARGUMENT for a CA file that cannot be used. */
export function createAgent(
  extraCaFile: string | null,
  proxy: string | null,
  limits: HttpLimits,
): Dispatcher {
  const ca = extraCaFile === null ? {} : { ca: [...getCACertificates('default'), readCa(extraCaFile)] };
  const common = {
    connections: limits.connections,
    // One request at a time on a socket, over HTTP/1.1: whether a request may have left is then certain.
    pipelining: 1,
    allowH2: false,
    headersTimeout: limits.silenceTimeoutMs,
    bodyTimeout: limits.silenceTimeoutMs,
    connectTimeout: limits.connectTimeoutMs,
  };
  if (proxy === null) return new Agent({ ...common, connect: { timeout: limits.connectTimeoutMs, ...ca } });
  return new ProxyAgent({
    ...common,
    uri: proxy,
    requestTls: { timeout: limits.connectTimeoutMs, ...ca },
    proxyTls: ca,
  });
}

function readCa(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (problem) {
    const message = `The certificate authority file ${basename(file)} cannot be read. Choose it again in the connection.`;
    throw new AppError('INVALID_ARGUMENT', message, { file: basename(file) }, problem);
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    const message = `${basename(file)} holds no certificate. Expected a PEM file with BEGIN CERTIFICATE lines.`;
    throw new AppError('INVALID_ARGUMENT', message, { file: basename(file) });
  }
  return text;
}
