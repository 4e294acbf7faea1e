/** Tests whether a connection works, and finds the cause if it does not. */
import type { Attempt } from '../core/limits/attempt.ts';
import type { Clock } from '../core/ports.ts';
import type { RequestScheduler } from '../scheduler/types.ts';
import { numberText } from '../shared/count-text.ts';
import { AppError, ERROR_CODES, type ErrorCode, toAppError } from '../shared/errors.ts';
import type { ConnectionTest } from '../shared/model.ts';
import { isolated } from '../shared/untrusted-text.ts';
import { type BaseUrl, parseBaseUrl } from './base-url.ts';
import { rateHeaders } from './call-trace.ts';
import { type Endpoint, endpoint, type OperationId } from './endpoints.ts';
import { invalidAnswer, parseAnswer } from './envelope.ts';
import {
  createHttpClient,
  type HttpAnswer,
  type HttpClient,
  type HttpFailure,
  type HttpRequest,
} from './http-client.ts';
import { SIGN_IN } from './http-errors.ts';
import { type Credentials, credentialsOf, type Surroundings } from './http-transport.ts';
import { answerError } from './read-answer.ts';
import { serverInfo } from './records.ts';
import { buildTarget, operationText } from './request-target.ts';

export interface ConnectionTestInput {
  baseUrl: string;
  token: string;
  proxyUrl: string | null;
  extraCaFile: string | null;
  proxyUser?: string | undefined;
  clientCertFile?: string | undefined;
  secret?: Credentials['secret'];
  allowsPlainHttp: boolean;
}

/** The API version this client was written for (SERVICE.md S9). */
const API_VERSION = '3.0';
const LIMITS = { connectTimeoutMs: 5_000, silenceTimeoutMs: 15_000, totalTimeoutMs: 20_000 };
/** Statuses after which another operation is tried, because the service may not know this one or may forbid it. */
const ASK_ELSEWHERE = new Set([403, 404, 405, 501]);

const NEXT_STEPS: Partial<Record<ErrorCode, string>> = {
  INVALID_ARGUMENT: 'Correct the entry and test again.',
  UNAUTHORIZED: 'Check that the whole token was pasted and that it has not expired.',
  FORBIDDEN: 'The token is known but may not read applications. Ask an administrator for the permission.',
  NOT_THIS_SERVICE: `Another service answers at this address. ${SIGN_IN}, then test again. Otherwise check host, port and path of the base URL, and the proxy.`,
  NOT_FOUND: 'Check the path of the base URL: /v3 comes right after it.',
  RATE_LIMITED: 'The service answers. Test again in a minute.',
};

interface ConnectionTestDeps {
  clock: Clock;
  scheduler: Pick<RequestScheduler, 'submit' | 'resume'>;
  /** Identifies the typed token without revealing it. */
  tokenId: string;
  surroundings?: Surroundings;
}

/** Sends one or two small reads, each once and with a permit of its lane. Never throws. */
export async function testConnection(
  deps: ConnectionTestDeps,
  input: ConnectionTestInput,
): Promise<ConnectionTest> {
  const startedMs = deps.clock.monotonicMs();
  const elapsedMs = () => Math.round(deps.clock.monotonicMs() - startedMs);
  let http: HttpClient | null = null;
  try {
    const baseUrl = parseBaseUrl(input.baseUrl, input);
    http = createHttpClient({
      baseUrl,
      token: () => input.token,
      proxyUrl: input.proxyUrl,
      extraCaFile: input.extraCaFile,
      ...(input.secret === undefined ? {} : { credentials: credentialsOf(input, input.secret) }),
      ...(deps.surroundings === undefined ? {} : { surroundings: deps.surroundings }),
      clock: deps.clock,
      userAgent: 'Spandeck connection test',
      limits: LIMITS,
    });
    const finding = await probe({ ...deps, http, baseUrl });
    return { ...finding, reach: http.reach(), elapsedMs: elapsedMs() };
  } catch (problem) {
    const error = toAppError(problem);
    const answeredMs = error.details.outcome === 'answered' ? elapsedMs() : null;
    return { ...failed(error), reach: http?.reach() ?? '', elapsedMs: answeredMs };
  } finally {
    await http?.close();
  }
}

function stepAfter({ code, details }: AppError): string | undefined {
  // Status 511 already means that a sign-in is needed.
  if (details.status === 511) return undefined;
  // If the answer was too large, its advice to request less is wrong, because the test requested almost nothing.
  const isLongBody = code === 'ANSWER_TOO_LARGE' && details.status !== undefined;
  return isLongBody ? NEXT_STEPS.NOT_THIS_SERVICE : NEXT_STEPS[code];
}

type Finding = Omit<ConnectionTest, 'elapsedMs' | 'reach'>;

function failed(error: AppError): Finding {
  return {
    isOk: false,
    code: error.code,
    title: ERROR_CODES[error.code].title,
    message: error.message,
    nextStep: stepAfter(error) ?? error.details.nextStep ?? 'Try again.',
    serverVersion: null,
    apiVersion: null,
    organization: null,
  };
}

interface Wire extends ConnectionTestDeps {
  http: HttpClient;
  baseUrl: BaseUrl;
}

async function probe(wire: Wire): Promise<Finding> {
  const { baseUrl } = wire;
  const first = await ask(wire, 'server-info.get');
  if (first.status >= 200 && first.status < 300) return readServerInfo(first, baseUrl);
  if (!ASK_ELSEWHERE.has(first.status))
    throw foreign(first, 'server-info.get') ?? answerError(first, textOf('server-info.get'), baseUrl);
  const second = await ask(wire, 'applications.list');
  if (second.status >= 200 && second.status < 300) return readApplications(second, baseUrl);
  throw failure(second, baseUrl);
}

function failure(answer: HttpAnswer, baseUrl: BaseUrl): AppError {
  const operation = textOf('applications.list');
  const other = foreign(answer, 'applications.list');
  if (other !== null) return other;
  const isEnvelope = answer.text.trim() !== '' && apiVersionOf(answer, operation) !== null;
  // A web server that does not know the path answers 404 with a page of its own.
  if (answer.status === 404 && !isEnvelope) {
    return invalidAnswer(
      'NOT_THIS_SERVICE',
      { operation, status: answer.status },
      'status 404 without the envelope',
    );
  }
  return answerError(answer, operation, baseUrl);
}

/** Statuses for which an intermediary, or a service that is down, sends a text of its own. */
const OF_OTHERS = new Set([401, 403, 407, 408, 429]);

/**
 * The error for an answer that is not JSON, because then it does not come from the service, whatever the status is;
 * null if this cannot be decided.
 */
function foreign({ status, text, headers }: HttpAnswer, operation: OperationId): AppError | null {
  const isRedirect = status >= 300 && status < 400;
  if (isRedirect || OF_OTHERS.has(status) || (status >= 500 && status !== 501)) return null;
  const type = headers['content-type'] ?? '';
  if (type === '' || /json/i.test(type) || text.trim() === '') return null;
  return invalidAnswer(
    'NOT_THIS_SERVICE',
    { operation: textOf(operation), status },
    `an answer of type ${type}`,
  );
}

function textOf(operation: OperationId): string {
  return operationText(endpoint(operation));
}

/** Throws the AppError if there was no answer. */
async function ask(wire: Wire, operation: OperationId): Promise<HttpAnswer> {
  const row = endpoint(operation);
  const input = row.paging === 'limit-offset' ? { query: { limit: 1 } } : {};
  const request = { method: row.method, target: buildTarget(row, input), operation: operationText(row) };
  const result = (await sendOnPermit(wire, row, request)) ?? (await send(wire, request));
  if (result.kind === 'failed') throw result.error;
  if (result.large !== null) {
    const { operation } = request;
    const size = numberText(Math.ceil(result.sizeBytes / 1_024));
    const message = `${operation}: expected an answer of a few KB, got ${size} KB.`;
    throw new AppError('ANSWER_TOO_LARGE', message, {
      operation,
      status: result.status,
      outcome: 'answered',
    });
  }
  return result;
}

/** A correct answer to the test is never large, so a large one is not read. */
async function send({ http }: Wire, request: HttpRequest): Promise<HttpAnswer | HttpFailure> {
  const result = await http.send(request);
  if (result.kind === 'answered') result.large?.share.letGo();
  return result;
}

/**
 * Runs a single attempt, which is withdrawn before it could be retried, because waiting would hide the result. Null if
 * the scheduler postpones requests to this origin because the service was down recently. The test must still find out,
 * and it cannot exceed a limit because no other requests are running.
 */
async function sendOnPermit(
  wire: Wire,
  row: Endpoint,
  request: HttpRequest,
): Promise<HttpAnswer | HttpFailure | null> {
  const { scheduler, tokenId, baseUrl, clock } = wire;
  const withdraw = new AbortController();
  const found: { result: HttpAnswer | HttpFailure | null } = { result: null };
  const cancelTimer = clock.setTimer(
    () => withdraw.abort(),
    LIMITS.totalTimeoutMs,
    'ending the test of a connection',
  );
  // An earlier rejection of the token must not affect this test.
  scheduler.resume('unauthorized', baseUrl.origin, tokenId);
  try {
    await scheduler.submit({
      lane: { origin: baseUrl.origin, tokenId, operation: request.operation, category: row.limit },
      priority: 'click',
      isRepeatSafe: false,
      group: 'connection test',
      signal: withdraw.signal,
      attempt: async ({ signal }): Promise<Attempt<HttpAnswer>> => {
        const result = await send(wire, { ...request, signal });
        found.result = result;
        if (result.kind === 'failed') {
          withdraw.abort();
          return result;
        }
        if (result.status === 429) withdraw.abort();
        return { kind: 'answered', status: result.status, rate: rateHeaders(result.headers), value: result };
      },
    });
  } catch (problem) {
    if (found.result === null) return withoutAttempt(toAppError(problem), request, withdraw.signal);
  } finally {
    cancelTimer();
  }
  return found.result;
}

const OWN_FAILURES: readonly ErrorCode[] = [
  'CANCELLED',
  'QUEUE_FULL',
  // A person's pause also stops the test, because a request outside its lane would not be counted.
  'PAUSED',
  'DISK_FULL',
  'STORE_FAILED',
  'STORE_DAMAGED',
  'STORE_NEWER',
];

function withoutAttempt(
  error: AppError,
  { operation }: HttpRequest,
  waited: AbortSignal,
): HttpFailure | null {
  if (!OWN_FAILURES.includes(error.code)) return null;
  if (!waited.aborted) return { kind: 'failed', outcome: 'unsent', error };
  const message = `${operation} was not sent: other requests with this token use up its rate limit.`;
  const busy = new AppError('RATE_LIMITED', message, { operation, outcome: 'unsent' });
  return { kind: 'failed', outcome: 'unsent', error: busy };
}

function apiVersionOf(answer: HttpAnswer, operation: string): string | null {
  try {
    const parsed = parseAnswer(answer.text, { operation, status: answer.status });
    return 'apiVersion' in parsed ? parsed.apiVersion : null;
  } catch {
    // The text is not JSON, so it has no version.
    return null;
  }
}

/** Requires the service's version, because any JSON service has records but only this one states its version. */
function requireVersion(answer: HttpAnswer, operation: string): string {
  const context = { operation, status: answer.status };
  const parsed = parseAnswer(answer.text, context);
  const version = 'apiVersion' in parsed ? parsed.apiVersion : null;
  if (version === null) throw invalidAnswer('NOT_THIS_SERVICE', context, 'JSON without api_version');
  return version;
}

function readServerInfo(answer: HttpAnswer, baseUrl: BaseUrl): Finding {
  const operation = textOf('server-info.get');
  const other = foreign(answer, 'server-info.get');
  if (other !== null) throw other;
  const apiVersion = requireVersion(answer, operation);
  const parsed = parseAnswer(answer.text, { operation, status: answer.status });
  if (parsed.shape === 'error')
    throw answerError({ ...answer, status: parsed.code ?? 500 }, operation, baseUrl);
  const info = serverInfo.safeParse(parsed.shape === 'record' ? parsed.record : {});
  const serverVersion = info.success ? (info.data.server_version ?? null) : null;
  const organization = info.success ? (info.data.organization?.name ?? null) : null;
  return connected(baseUrl, { apiVersion, serverVersion, organization });
}

function readApplications(answer: HttpAnswer, baseUrl: BaseUrl): Finding {
  const operation = textOf('applications.list');
  const apiVersion = requireVersion(answer, operation);
  const { shape } = parseAnswer(answer.text, { operation, status: answer.status });
  if (shape !== 'page' && shape !== 'record') {
    throw invalidAnswer(
      'NOT_THIS_SERVICE',
      { operation, status: answer.status },
      'an answer that is not a list',
    );
  }
  return connected(baseUrl, { apiVersion, serverVersion: null, organization: null });
}

function connected(
  baseUrl: BaseUrl,
  facts: Pick<ConnectionTest, 'apiVersion' | 'serverVersion' | 'organization'>,
): Finding {
  const { apiVersion, serverVersion, organization } = facts;
  const { host } = new URL(baseUrl.origin);
  const isExpected = apiVersion === API_VERSION;
  const version = serverVersion === null ? '' : `, version ${isolated(serverVersion)}`;
  const of = organization === null ? '' : ` of ${isolated(organization)}`;
  const warning = `Expected API version ${API_VERSION}, got ${isolated(apiVersion ?? 'none')}: some views may show less.`;
  return {
    isOk: true,
    code: null,
    title: isExpected ? 'Connected' : 'Connected, other interface version',
    message: `The service${of} answers at ${host}${version}, and the token is accepted.${isExpected ? '' : ` ${warning}`}`,
    nextStep: isExpected ? '' : 'You can use the connection. Check for a newer Spandeck.',
    ...facts,
  };
}
