/**
 * One connection's way over the wire. The Authorization header is put on here and nowhere else, and only for the
 * connection's own origin: redirects come back as answers and are never followed.
 */
import type { Dispatcher } from 'undici';
import type { Clock } from '../core/ports.ts';
import { AppError } from '../shared/errors.ts';
import { type BaseUrl, parseProxyUrl } from './base-url.ts';
import type { Method } from './endpoints.ts';
import { createAgent, DEFAULT_LIMITS, type HttpLimits } from './http-agent.ts';
import { cancelledError, type FailureContext, networkError, timeoutError } from './http-errors.ts';
import { holdsToken, maskInAnswer } from './token-mask.ts';

export interface HttpRequest {
  method: Method;
  /** Encoded path below the base URL with its query, e.g. `/v3/applications?limit=10`. */
  target: string;
  /** Method and path template; for messages. */
  operation: string;
  /** JSON text. */
  body?: string;
  signal?: AbortSignal;
  /** Milliseconds from send to the end of the answer. */
  timeoutMs?: number;
}

export interface HttpAnswer {
  kind: 'answered';
  status: number;
  /** Names in lower case; a repeated header is joined with commas. */
  headers: Record<string, string>;
  text: string;
  sizeBytes: number;
}

export interface HttpFailure {
  kind: 'failed';
  outcome: 'unsent' | 'unknown';
  error: AppError;
}

export interface HttpClient {
  /** Resolves for every status and every failure; never rejects. */
  send(request: HttpRequest): Promise<HttpAnswer | HttpFailure>;
  /** Ends open sockets. */
  close(): Promise<void>;
}

export interface HttpClientOptions {
  baseUrl: BaseUrl;
  /** Called for each request; null fails with NO_TOKEN. The value is never kept. */
  token: () => string | null;
  /** Why there is none, where something stands in the way of it. */
  whyNoToken?: () => AppError | null;
  proxyUrl: string | null;
  /** PEM file with certificate authorities besides the built-in ones. */
  extraCaFile: string | null;
  clock: Clock;
  userAgent: string;
  limits?: Partial<HttpLimits>;
}

/** Opens no socket yet. Throws INVALID_ARGUMENT for a proxy address or CA file that cannot be used. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const proxy = options.proxyUrl === null ? null : parseProxyUrl(options.proxyUrl);
  const agent = createAgent(options.extraCaFile, proxy, limits);
  return {
    send: (request) => send(agent, options, limits, proxy, request),
    close: () => agent.destroy(),
  };
}

/** What happened to one request so far. */
interface Progress {
  wasStarted: boolean;
  stoppedBy: 'nobody' | 'caller' | 'time';
}

async function send(
  agent: Dispatcher,
  options: HttpClientOptions,
  limits: HttpLimits,
  proxy: string | null,
  request: HttpRequest,
): Promise<HttpAnswer | HttpFailure> {
  const timeoutMs = request.timeoutMs ?? limits.totalTimeoutMs;
  const token = options.token();
  if (token === null) return noToken(request.operation, options.whyNoToken?.() ?? null);
  if (holdsToken(request.target, token)) return tokenInTarget(request.operation);
  const progress: Progress = { wasStarted: false, stoppedBy: 'nobody' };
  const stop = new AbortController();
  const onAbort = () => {
    if (progress.stoppedBy === 'nobody') progress.stoppedBy = 'caller';
    stop.abort();
  };
  if (request.signal?.aborted === true) onAbort();
  request.signal?.addEventListener('abort', onAbort, { once: true });
  const cancelTimer = options.clock.setTimer(() => {
    if (progress.stoppedBy === 'nobody') progress.stoppedBy = 'time';
    stop.abort();
  }, timeoutMs);
  const context = (): FailureContext => ({
    operation: request.operation,
    host: new URL(options.baseUrl.origin).host,
    proxy: proxy === null ? null : new URL(proxy).host,
    wasStarted: progress.wasStarted,
  });
  try {
    const answer = await exchange(agent, options, token, request, stop.signal, progress);
    return withoutToken(await readBody(answer, limits.maxAnswerBytes, request.operation), token);
  } catch (problem) {
    return failure(problem, progress, request.operation, timeoutMs, context());
  } finally {
    cancelTimer();
    request.signal?.removeEventListener('abort', onAbort);
  }
}

function noToken(operation: string, why: AppError | null): HttpFailure {
  const message = `${operation} was not sent: there is no access token for this connection. ${why?.message ?? 'Enter one.'}`;
  const error = new AppError('NO_TOKEN', message, { operation, outcome: 'unsent' }, why ?? undefined);
  return { kind: 'failed', outcome: 'unsent', error };
}

/** Addresses end up in the logs of proxies and servers. */
function tokenInTarget(operation: string): HttpFailure {
  const message = `${operation} was not sent: the access token stands in the path or query. Take it out there; it is sent in a header.`;
  const error = new AppError('INVALID_ARGUMENT', message, { operation, outcome: 'unsent' });
  return { kind: 'failed', outcome: 'unsent', error };
}

function failure(
  problem: unknown,
  progress: Progress,
  operation: string,
  timeoutMs: number,
  context: FailureContext,
): HttpFailure {
  const outcome = progress.wasStarted ? 'unknown' : 'unsent';
  if (problem instanceof AppError) return { kind: 'failed', outcome, error: problem };
  if (progress.stoppedBy === 'caller') {
    return { kind: 'failed', outcome, error: cancelledError(operation, progress.wasStarted) };
  }
  if (progress.stoppedBy === 'time') {
    return { kind: 'failed', outcome, error: timeoutError(operation, timeoutMs, progress.wasStarted) };
  }
  return { kind: 'failed', outcome, error: networkError(problem, context) };
}

function exchange(
  agent: Dispatcher,
  options: HttpClientOptions,
  token: string,
  request: HttpRequest,
  signal: AbortSignal,
  progress: Progress,
): Promise<Dispatcher.ResponseData> {
  // `onRequestStart` comes right before the first byte is written to a connected socket.
  const watched = agent.compose(
    (dispatch) => (opts, handler) => dispatch(opts, watchStart(handler, progress)),
  );
  return watched.request({
    origin: options.baseUrl.origin,
    path: `${options.baseUrl.basePath}${request.target}`,
    method: request.method,
    headers: {
      accept: 'application/json',
      'user-agent': options.userAgent,
      authorization: `Bearer ${token}`,
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    signal,
    ...(request.body === undefined ? {} : { body: request.body }),
  });
}

function watchStart(handler: Dispatcher.DispatchHandler, progress: Progress): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => {
      progress.wasStarted = true;
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (controller, status, headers, socket) =>
      handler.onRequestUpgrade?.(controller, status, headers, socket),
    onResponseStart: (controller, status, headers, text) =>
      handler.onResponseStart?.(controller, status, headers, text),
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}

/** A service that echoes what it was sent must not carry the token into a message, a row or the log. */
function withoutToken(answer: HttpAnswer, token: string): HttpAnswer {
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, maskInAnswer(value, token)]);
  return { ...answer, headers: Object.fromEntries(headers), text: maskInAnswer(answer.text, token) };
}

async function readBody(
  answer: Dispatcher.ResponseData,
  maxBytes: number,
  operation: string,
): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer.body) {
    const part = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    sizeBytes += part.length;
    if (sizeBytes > maxBytes) {
      // Leaving the loop destroys the stream and with it the socket.
      const message = `${operation}: the answer is larger than ${Math.round(maxBytes / 1_048_576)} MB. Ask for a smaller page.`;
      throw new AppError('ANSWER_INVALID', message, {
        operation,
        status: answer.statusCode,
        outcome: 'unknown',
      });
    }
    chunks.push(part);
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) headers[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return { kind: 'answered', status: answer.statusCode, headers, text, sizeBytes };
}
