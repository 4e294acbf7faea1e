/**
 * The HTTP transport of one connection. The Authorization header is added only here, and only for the connection's own
 * origin. Redirects are returned as answers and never followed.
 */
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { IdleEnd } from '../core/idle-end.ts';
import type { Clock } from '../core/ports.ts';
import { AppError } from '../shared/errors.ts';
import { AnswerBody, type BodyContext, type LargeBody } from './answer-body.ts';
import { endAnswerThread } from './answer-thread.ts';
import { type BaseUrl, parseProxyUrl } from './base-url.ts';
import type { Method } from './endpoints.ts';
import type { OpenPart } from './file-part.ts';
import { DEFAULT_LIMITS, type HttpLimits } from './http-agent.ts';
import { cancelledError, type FailureContext, networkError, timeoutError } from './http-errors.ts';
import {
  type Credentials,
  createHttpTransport,
  type HttpTransport,
  type Surroundings,
} from './http-transport.ts';
import type { StreamedBody } from './multipart.ts';
import { isDirect } from './proxy-route.ts';
import { endReceiveThread } from './receive-thread.ts';
import { RequestAbort } from './request-abort.ts';
import { holdsToken, maskInAnswer } from './token-mask.ts';

/** Idle time after which the threads for large answers end. */
const THREADS_IDLE_MS = 60_000;

/** JSON text, the same as UTF-8 bytes, or a body that is read while it is sent. */
export type RequestBody = string | Uint8Array | StreamedBody;

/** A body that is read while it is sent. */
export function isStreamed(body: RequestBody | null | undefined): body is StreamedBody {
  return typeof body === 'object' && body !== null && !(body instanceof Uint8Array);
}

export interface HttpRequest {
  method: Method;
  /** Encoded path below the base URL with its query, e.g. `/v3/applications?limit=10`. */
  target: string;
  /** Method and path template, for messages. */
  operation: string;
  body?: RequestBody;
  signal?: AbortSignal;
  /** Maximum time in milliseconds from send to the end of the answer; for a streamed body, from its last sent chunk. */
  timeoutMs?: number;
  /** Called when the system has taken all bytes of a large body. Its memory is not read any more. */
  onBodyTaken?: () => void;
}

export interface HttpAnswer {
  kind: 'answered';
  status: number;
  /** Names in lower case; a repeated header is joined with commas. */
  headers: Record<string, string>;
  /** The text of the body; empty if it is large. */
  text: string;
  /** False if the body has bytes that are not valid UTF-8. They appear in `text` as �. */
  isUtf8: boolean;
  /** The body of a success that is too large to be read on the main thread. The caller must release its share. */
  large: LargeBody | null;
  sizeBytes: number;
}

export interface HttpFailure {
  kind: 'failed';
  outcome: 'unsent' | 'unknown';
  error: AppError;
}

export interface HttpClient {
  /** Resolves for every status and every failure. Never rejects. */
  send(request: HttpRequest): Promise<HttpAnswer | HttpFailure>;
  /** Text for people about the network route and the trusted authorities, as far as known. */
  reach(): string;
  /** Call after a wake-up or network change. The next request looks up its route again. */
  doubtRoute(): void;
  /** Closes open sockets. */
  close(): Promise<void>;
}

export interface HttpClientOptions {
  baseUrl: BaseUrl;
  /** Called for each request. If it returns null, the request fails with NO_TOKEN. The value is never stored. */
  token: () => string | null;
  /** The reason for a missing token, if something prevents reading it. */
  missingTokenError?: () => AppError | null;
  proxyUrl: string | null;
  /** PEM file with certificate authorities in addition to the built-in ones. */
  extraCaFile: string | null;
  /** Credentials of this computer. If absent, only the token identifies it. */
  credentials?: Credentials;
  /** Network settings of the computer. If absent, only the connection's proxy and the built-in authorities are used. */
  surroundings?: Surroundings;
  clock: Clock;
  userAgent: string;
  limits?: Partial<HttpLimits>;
}

/**
 * Creates the client without opening a socket or a file. Throws INVALID_ARGUMENT for an invalid proxy address. If the
 * CA file is unusable, each request fails until it becomes usable.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  // Throws for an invalid proxy address.
  if (options.proxyUrl !== null && !isDirect(options.proxyUrl)) parseProxyUrl(options.proxyUrl);
  const transport = createHttpTransport(options, limits);
  const threads = new IdleEnd({
    clock: options.clock,
    idleMs: THREADS_IDLE_MS,
    what: 'ending the threads of large answers',
    end: () => [endAnswerThread(), endReceiveThread()].every(Boolean),
  });
  return {
    send: async (request) => {
      const answer = await send(transport, options, limits, request);
      // A failed answer counts too, because a large answer that was cut off has also started a thread.
      if (answer.kind === 'failed' || answer.large !== null) threads.rest();
      return answer;
    },
    reach: transport.describe,
    doubtRoute: transport.doubt,
    close: () => {
      threads.stop();
      return transport.close();
    },
  };
}

async function send(
  transport: HttpTransport,
  options: HttpClientOptions,
  limits: HttpLimits,
  request: HttpRequest,
): Promise<HttpAnswer | HttpFailure> {
  const token = options.token();
  if (token === null) return noToken(request.operation, options.missingTokenError?.() ?? null);
  if (holdsToken(request.target, token)) return tokenInTarget(request.operation);
  const abort = new RequestAbort(options.clock, request.timeoutMs ?? limits.totalTimeoutMs, request.signal);
  const progress: Progress = { wasStarted: false, interimAnswers: 0 };
  let body: OpenPart | null = null;
  try {
    if (isStreamed(request.body)) body = await request.body.open();
    const answer = await transport.use(
      (agent) => exchange(agent, options, token, { request, body, abort, progress }),
      () => !progress.wasStarted,
    );
    const { operation } = request;
    const context = { operation, token, maxBytes: limits.maxAnswerBytes, signal: abort.signal };
    return await readBody(answer, context);
  } catch (problem) {
    return failure(problem, abort, {
      operation: request.operation,
      host: new URL(options.baseUrl.origin).host,
      proxy: transport.proxyHost(),
      isProxyEncrypted: transport.isProxyEncrypted(),
      wasStarted: progress.wasStarted,
    });
  } finally {
    abort.end();
    await body?.close();
  }
}

function noToken(operation: string, reason: AppError | null): HttpFailure {
  const message = `${operation} was not sent: there is no access token for this connection. ${reason?.message ?? 'Enter one.'}`;
  const error = new AppError('NO_TOKEN', message, { operation, outcome: 'unsent' }, reason ?? undefined);
  return { kind: 'failed', outcome: 'unsent', error };
}

/** The error for a token in the path or query, because addresses appear in the logs of proxies and servers. */
function tokenInTarget(operation: string): HttpFailure {
  const message = `${operation} was not sent: the path or query contains the access token. Remove it there; the token is sent in a header.`;
  const error = new AppError('INVALID_ARGUMENT', message, { operation, outcome: 'unsent' });
  return { kind: 'failed', outcome: 'unsent', error };
}

function failure(problem: unknown, abort: RequestAbort, context: FailureContext): HttpFailure {
  const { operation, wasStarted } = context;
  const outcome = wasStarted ? 'unknown' : 'unsent';
  if (problem instanceof AppError) return { kind: 'failed', outcome, error: problem };
  if (abort.by === 'caller') return { kind: 'failed', outcome, error: cancelledError(operation, wasStarted) };
  if (abort.by === 'time') {
    return { kind: 'failed', outcome, error: timeoutError(operation, abort.timeoutMs, wasStarted) };
  }
  return { kind: 'failed', outcome, error: networkError(problem, context) };
}

/** Progress of one request. */
interface Progress {
  wasStarted: boolean;
  interimAnswers: number;
}

function exchange(
  agent: Dispatcher,
  options: HttpClientOptions,
  token: string,
  sending: { request: HttpRequest; body: OpenPart | null; abort: RequestAbort; progress: Progress },
): Promise<Dispatcher.ResponseData> {
  const { request, body, abort, progress } = sending;
  // `onRequestStart`: called right before the first byte is written to a connected socket.
  const watched = agent.compose(
    (dispatch) => (opts, handler) => dispatch(opts, watchStart(handler, progress, request.operation)),
  );
  return watched.request({
    origin: options.baseUrl.origin,
    path: `${options.baseUrl.basePath}${request.target}`,
    method: request.method,
    headers: {
      accept: 'application/json',
      'user-agent': options.userAgent,
      authorization: `Bearer ${token}`,
      ...bodyHeaders(request),
    },
    signal: abort.signal,
    body: body === null ? jsonBody(request) : Readable.from(abort.restartedBy(body.chunks)),
  });
}

/**
 * Minimum size of a body whose progress can be observed. It exceeds the buffer of a socket (64 KB), so the next chunk
 * is requested only when the system has taken this one.
 */
const MIN_WATCHED_BYTES = 128 * 1024;

type BodyOptions = Pick<HttpRequest, 'body' | 'onBodyTaken'>;

function isWatched({ body, onBodyTaken }: BodyOptions): boolean {
  return onBodyTaken !== undefined && body instanceof Uint8Array && body.byteLength >= MIN_WATCHED_BYTES;
}

function jsonBody(request: BodyOptions): string | Uint8Array | null {
  const { body, onBodyTaken } = request;
  if (body === undefined || isStreamed(body)) return null;
  if (onBodyTaken === undefined || typeof body === 'string' || !isWatched(request)) return body;
  // Undici sends any iterable, but its types do not include this.
  return watchedBody(body, onBodyTaken) as unknown as Uint8Array;
}

async function* watchedBody(body: Uint8Array, onTaken: () => void): AsyncGenerator<Uint8Array> {
  yield body;
  onTaken();
}

function bodyHeaders(request: BodyOptions): Record<string, string> {
  const { body } = request;
  if (body === undefined) return {};
  if (!isStreamed(body)) {
    const length = isWatched(request) ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    return { 'content-type': 'application/json', ...length };
  }
  return { 'content-type': body.contentType, 'content-length': String(body.sizeBytes) };
}

function watchStart(
  handler: Dispatcher.DispatchHandler,
  progress: Progress,
  operation: string,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => {
      progress.wasStarted = true;
      handler.onRequestStart?.(controller, context);
    },
    onRequestUpgrade: (controller, status, headers, socket) =>
      handler.onRequestUpgrade?.(controller, status, headers, socket),
    onResponseStart: (controller, status, headers, text) => {
      if (status < 200 && ++progress.interimAnswers > MAX_INTERIM_ANSWERS) {
        controller.abort(interimError(operation));
        return;
      }
      handler.onResponseStart?.(controller, status, headers, text);
    },
    onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
    onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}

/** Interim answers such as early hints. Each of them restarts the silence timeout. */
const MAX_INTERIM_ANSWERS = 20;

function interimError(operation: string): AppError {
  return new AppError(
    'NOT_THIS_SERVICE',
    `${operation}: expected an answer, got more than ${MAX_INTERIM_ANSWERS} interim ones (status 1xx) and no final one.`,
    { operation, outcome: 'unknown', nextStep: 'Check the base URL, and any proxy or gateway in between.' },
  );
}

async function readBody(
  answer: Dispatcher.ResponseData,
  context: Omit<BodyContext, 'status'>,
): Promise<HttpAnswer> {
  const status = answer.statusCode;
  const body = new AnswerBody({ ...context, status });
  try {
    // Leaving the loop destroys the stream and with it the socket.
    for await (const chunk of answer.body)
      await body.add(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
    return { kind: 'answered', status, headers: headersOf(answer, context.token), ...(await body.end()) };
  } catch (problem) {
    body.giveUp();
    throw problem;
  }
}

function headersOf(answer: Dispatcher.ResponseData, token: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(', ') : value;
    headers[name.toLowerCase()] = maskInAnswer(text, token);
  }
  return headers;
}
