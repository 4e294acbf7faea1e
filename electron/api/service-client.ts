/**
 * Typed calls over the endpoint table. Every call goes through the scheduler and is written to the request log once. A
 * failure is an AppError whose `details.outcome` says whether the request was certainly not sent.
 */

import { type Foreground, isForeground } from '../core/foreground.ts';
import type { Attempt } from '../core/limits/attempt.ts';
import type { Clock, Random } from '../core/ports.ts';
import type { Priority } from '../core/priority.ts';
import type { RequestScheduler, Sent } from '../scheduler/types.ts';
import type { Difference } from '../shared/answer-differences.ts';
import { cutText } from '../shared/cut-text.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { withPlainNumbers, writeExact } from '../shared/exact-json.ts';
import type { Silence } from '../shared/model.ts';
import { DEFAULT_SETTINGS } from '../shared/settings.ts';
import type { RequestDetails } from '../shared/traffic-model.ts';
import type { BaseUrl } from './base-url.ts';
import { CallTrace, keptBody } from './call-trace.ts';
import {
  type Endpoint,
  endpoint,
  type ItemOf,
  isOperationId,
  type Method,
  type OperationId,
  type ValueOf,
} from './endpoints.ts';
import {
  type HttpAnswer,
  type HttpClient,
  type HttpFailure,
  isStreamed,
  type RequestBody,
} from './http-client.ts';
import { type Route, routeOf, routeOfPath } from './lane-of.ts';
import type { ByteShare } from './large-answers.ts';
import { prepareMultipart } from './multipart.ts';
import { checkMaySend, type GuardDeps, sendBlock } from './offline-guard.ts';
import { answerError, firstIssue, readPage, readRaw, readStored, readValue } from './read-answer.ts';
import { Recall } from './recall.ts';
import { buildTarget, checkTypedPath, operationText } from './request-target.ts';
import type { Answer, CallInput, CallOptions, OperationInfo, Page, ServiceClient } from './types.ts';

/**
 * The result of a call, from which the network state of the connection is derived. `error` is null for a 2xx answer.
 */
export interface SettledCall {
  error: AppError | null;
  status: number | null;
  atMs: number;
  /** Whether a 401 means that the service refuses the token. */
  canRefuseToken: boolean;
}

interface ServiceClientDeps extends GuardDeps {
  baseUrl: BaseUrl;
  /** Identifies the access token without revealing it. */
  tokenId: string;
  /** Resolves when the current reading of the token has ended; null if there is none. */
  tokenSought?: () => Promise<void> | null;
  http: HttpClient;
  scheduler: Pick<RequestScheduler, 'submit'>;
  /**
   * Equal reads share a request only within one scope, the connection: the request is sent, and ended, by the client that
   * asked first.
   */
  shareScope?: string;
  /** All clients in this process use the same one. */
  foreground: Foreground;
  clock: Clock;
  random: Random;
  /** Does not throw. */
  writeLog: (row: Omit<RequestDetails, 'seq'>) => void;
  onSettled?: (call: SettledCall) => void;
  /** Called if records of an answer have another form than known. `operation`: method and path template. */
  onDifferences?: (operation: string, differences: readonly Difference[]) => void;
  /** Called if a sent request has no answer after some seconds. Returns a function to be called when that has ended. */
  onSilence?: (silence: Silence) => () => void;
  /** Time without an answer after which this is reported. */
  silentAfterMs?: () => number;
}

interface Prepared {
  method: Method;
  target: string;
  route: Route;
  body: RequestBody | null;
}

interface Exchange<T> {
  value: T;
  answer: HttpAnswer;
  requestId: string;
  receivedAtMs: number;
}

export function createServiceClient(deps: ServiceClientDeps): ServiceClient {
  const ok = (answer: HttpAnswer, operation: string): HttpAnswer => {
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw answerError(answer, operation, deps.baseUrl);
  };
  const differing = (operation: OperationId) => (differences: readonly Difference[]) => {
    if (differences.length > 0) deps.onDifferences?.(operationText(endpoint(operation)), differences);
  };
  return {
    describe,
    whenFree: () => deps.foreground.whenFree(),
    list: async <O extends OperationId>(operation: O, input: CallInput, options: CallOptions) => {
      const row = endpoint(operation);
      const prepared = await prepare(deps, row, withPaging(row, input));
      const read = (answer: HttpAnswer) =>
        readPage(
          operation,
          input,
          ok(answer, prepared.route.operation),
          formOf(options),
          differing(operation),
        );
      // The cast is safe, because the items were checked with the row's schema, from which the type is derived.
      return wrap((await run(deps, prepared, options, read)) as Exchange<Page<ItemOf<O>>>);
    },
    call: async <O extends OperationId>(operation: O, input: CallInput, options: CallOptions) => {
      const row = endpoint(operation);
      const prepared = await prepare(deps, row, input);
      const read = (answer: HttpAnswer) =>
        readValue(operation, ok(answer, prepared.route.operation), formOf(options), differing(operation));
      return wrap((await run(deps, prepared, options, read)) as Exchange<ValueOf<O>>);
    },
    rows: async (kind, operation, input, options) => {
      const row = endpoint(operation);
      const asked = kind === 'rows' ? withPaging(row, input) : input;
      const prepared = await prepare(deps, row, asked);
      const read = (answer: HttpAnswer) =>
        readStored(
          kind,
          operation,
          asked,
          ok(answer, prepared.route.operation),
          isForeground(options.priority) ? null : () => deps.foreground.whenFree(),
          differing(operation),
        );
      return wrap(await run(deps, prepared, options, read));
    },
    request: async (request, options) => {
      const body = request.body === undefined ? null : JSON.stringify(request.body);
      const target = checkTypedPath(request.path, request.query ?? {});
      const route = routeOfPath(request.method, target.split('?')[0] ?? target);
      const prepared = { method: request.method, target, route, body };
      const read = (answer: HttpAnswer) =>
        readRaw(answer, (differences) => deps.onDifferences?.(route.operation, differences));
      const exchange = await run(deps, prepared, options, read);
      return { ...exchange.value, requestId: exchange.requestId };
    },
  };
}

const formOf = ({ isExact = false }: CallOptions) => ({ isExact });

function describe(operation: string): OperationInfo {
  if (!isOperationId(operation)) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `"${cutText(operation, 60)}" is not an operation of this service.`,
    );
  }
  const row = endpoint(operation);
  const { title, identity } = row;
  const isList = row.answer === 'paginated';
  const ordersIn = !isList
    ? null
    : row.paging === 'page-size-body'
      ? 'body'
      : 'ordering' in row.query
        ? 'query'
        : null;
  return { id: operation, title, text: operationText(row), identity, ordersIn, isList, isRead: !row.isWrite };
}

async function prepare(deps: ServiceClientDeps, row: Endpoint, input: CallInput): Promise<Prepared> {
  const target = buildTarget(row, input);
  const body =
    row.multipart === null
      ? bodyText(row, input)
      : await prepareMultipart(row, input.parts, `spandeck-${deps.random.uuid()}`);
  return { method: row.method, target, route: routeOf(row), body };
}

/** Sets limit and offset according to the paging style of the row (SERVICE.md F12 no. 8). */
function withPaging(row: Endpoint, input: CallInput): CallInput {
  const { paging } = input;
  if (paging === undefined || row.paging === 'none') return input;
  if (row.paging === 'limit-offset') return { ...input, query: { ...input.query, ...paging } };
  const body = typeof input.body === 'object' && input.body !== null ? input.body : {};
  return { ...input, body: { ...body, page_size: paging.limit, offset: paging.offset } };
}

function bodyText(row: Endpoint, input: CallInput): string | Uint8Array | null {
  if (input.bodyText !== undefined) return input.bodyText;
  const operation = operationText(row);
  const refuse = (reason: string) =>
    new AppError('INVALID_ARGUMENT', `${operation}: ${reason}.`, { operation, outcome: 'unsent' });
  if (input.parts !== undefined) throw refuse('it takes no parts of a multipart body');
  if (row.body === null) {
    if (input.body !== undefined) throw refuse('it takes no body');
    return null;
  }
  // A number beyond double precision counts as a number, and is sent with all its digits.
  const plain = withPlainNumbers(input.body);
  const parsed = row.body.safeParse(plain);
  if (parsed.success) return writeExact(plain === input.body ? parsed.data : input.body);
  throw refuse(`the body is not as expected${firstIssue(parsed.error, plain)}`);
}

/** Waits for `work`, but at most until the signal is aborted. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<void>();
  const stop = () => aborted.resolve();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  await Promise.race([work, aborted.promise]);
  signal.removeEventListener('abort', stop);
}

/** Sends and reads as one step each. Steps for a view are announced, and background steps wait for them. */
function turnOf(foreground: Foreground, priority: Priority): { begin: () => Promise<void>; end: () => void } {
  if (!isForeground(priority)) return { begin: () => foreground.whenFree(), end: () => undefined };
  let leave: () => void = () => undefined;
  return {
    begin: async () => {
      leave();
      leave = foreground.enter();
    },
    end: () => leave(),
  };
}

/** Sends through the scheduler, reads the answer, and writes the log row whatever the outcome is. */
async function run<T>(
  deps: ServiceClientDeps,
  prepared: Prepared,
  options: CallOptions,
  read: (answer: HttpAnswer) => T | Promise<T>,
): Promise<Exchange<T>> {
  const requestId = deps.random.uuid();
  const startedAt = deps.clock.monotonicMs();
  const startedAtMs = deps.clock.nowMs();
  const trace = new CallTrace(prepared.body);
  const held = new HeldAnswers();
  const recall = new Recall(options.signal, deps.closing);
  let sent: Sent<HttpAnswer> | null = null;
  let error: AppError | null = null;
  const turn = turnOf(deps.foreground, options.priority);
  try {
    checkMaySend(deps, prepared.route);
    const seeking = deps.tokenSought?.() ?? null;
    if (seeking !== null) {
      await unlessAborted(seeking, recall.signal);
      checkMaySend(deps, prepared.route);
    }
    await turn.begin();
    const submit = (): Promise<Sent<HttpAnswer>> =>
      deps.scheduler
        .submit(submission(deps, prepared, options, { trace, held, recall }))
        .catch((problem: unknown) => (problem === OTHER_TOKEN ? submit() : reject(problem)));
    sent = await submit();
    held.hold(sent.value);
    const receivedAtMs = deps.clock.nowMs();
    await turn.begin();
    return { value: await read(sent.value), answer: sent.value, requestId, receivedAtMs };
  } catch (problem) {
    error = enrich(toAppError(problem), prepared.route, requestId, trace, deps.baseUrl);
    throw error;
  } finally {
    turn.end();
    held.end();
    recall.end();
    const endedAt = deps.clock.monotonicMs();
    trace.leave(endedAt);
    const totalMs = endedAt - startedAt;
    record(deps, prepared, options, { requestId, sent, error, trace, startedAtMs, totalMs });
  }
}

/**
 * The token became known while the request waited. It is queued again, because limits and pauses belong to a token. Never
 * reported.
 */
const OTHER_TOKEN = new AppError('NO_TOKEN', 'The token became known meanwhile.', { outcome: 'unsent' });

function reject(problem: unknown): never {
  throw problem;
}

function submission(
  deps: ServiceClientDeps,
  prepared: Prepared,
  options: CallOptions,
  { trace, held, recall }: { trace: CallTrace; held: HeldAnswers; recall: Recall },
) {
  const { method, target, route, body } = prepared;
  const lane = {
    origin: deps.baseUrl.origin,
    tokenId: deps.tokenId,
    operation: route.operation,
    category: route.category,
  };
  return {
    lane,
    priority: options.priority,
    isRepeatSafe: route.isRepeatSafe && options.isOnce !== true,
    canRefuseToken: route.canRefuseToken,
    ...(route.isWrite
      ? {}
      : { shareKey: `${deps.shareScope ?? ''}\n${deps.baseUrl.basePath}${target}\n${bodyKey(body)}` }),
    ...(recall.signal === undefined ? {} : { signal: recall.signal }),
    ...(options.group === undefined ? {} : { group: options.group }),
    attempt: async (context: { signal: AbortSignal }): Promise<Attempt<HttpAnswer>> => {
      if (deps.tokenId !== lane.tokenId) return { kind: 'failed', outcome: 'unsent', error: OTHER_TOKEN };
      // Asked again, because a person may have switched to offline while the request waited.
      const blockingError = recall.blockingError(route.operation) ?? sendBlock(deps, route);
      if (blockingError !== null) return { kind: 'failed', outcome: 'unsent', error: blockingError };
      trace.start({ wallMs: deps.clock.nowMs(), monotonicMs: deps.clock.monotonicMs() });
      options.onSend?.();
      const endSilence = watchSilence(deps, prepared);
      const request = {
        method,
        target,
        operation: route.operation,
        signal: context.signal,
        ...(body === null ? {} : { body }),
        ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
        ...(options.onBodyTaken === undefined ? {} : { onBodyTaken: options.onBodyTaken }),
      };
      const result = await recall.whileOnWire(() => deps.http.send(request));
      endSilence();
      held.take(result);
      return trace.end(result, deps.clock.monotonicMs());
    },
  };
}

/**
 * Holds the large answers of one call. An answer may be shared with other calls, which also hold it while they read it.
 */
class HeldAnswers {
  readonly #shares: ByteShare[] = [];
  #isOver = false;

  /** Takes an answer to this call, even if nobody waits for it any more. */
  take(result: HttpAnswer | HttpFailure): void {
    if (result.kind === 'failed' || result.large === null) return;
    const { share } = result.large;
    // Released a turn later, so that other calls that wait for the same answer can take it first.
    if (this.#isOver) setImmediate(() => share.letGo());
    else this.#shares.push(share);
  }

  /** Adds this call as a reader of a shared answer. */
  hold({ large }: HttpAnswer): void {
    if (large === null) return;
    large.share.hold();
    for (const share of this.#shares.splice(0)) share.letGo();
    this.#shares.push(large.share);
  }

  end(): void {
    this.#isOver = true;
    for (const share of this.#shares.splice(0)) share.letGo();
  }
}

/** Time after which an answer counts as late, longer than any normal answer takes. */
const silentAfter = () => DEFAULT_SETTINGS.silentAfterMs;

/**
 * Reports a late answer, without counting the time while a file is sent. `send` of the HTTP client never rejects, so
 * the end is always reported.
 */
function watchSilence(
  { clock, onSilence, silentAfterMs = silentAfter }: ServiceClientDeps,
  { body, route }: Prepared,
): () => void {
  if (onSilence === undefined || isStreamed(body)) return () => undefined;
  const silence = { operation: route.operation, sentAtMs: clock.nowMs() };
  let end: (() => void) | null = null;
  const cancel = clock.setTimer(
    () => {
      end = onSilence(silence);
    },
    silentAfterMs(),
    'telling of a request without an answer',
  );
  return () => {
    cancel();
    end?.();
  };
}

/** Reads with the same body share one request. No read sends a file. */
function bodyKey(body: RequestBody | null): string {
  return typeof body === 'string' ? body : '';
}

/** If the scheduler stopped retrying because of a status, adds the service's own message. */
function enrich(
  error: AppError,
  { operation, isWrite }: Route,
  requestId: string,
  trace: CallTrace,
  baseUrl: BaseUrl,
): AppError {
  const { last } = trace;
  const isSentAgain = trace.isSentAgain(error);
  const again = isSentAgain ? ({ isSentAgain } as const) : {};
  const details = { operation, requestId, ...again, ...error.details };
  if (last !== null && last.status === error.details.status && error.details.issues === undefined) {
    const said = answerError(last, operation, baseUrl);
    if (said.code === error.code)
      return new AppError(error.code, said.message, { ...said.details, ...details }, error);
  }
  const isDoubtful = isWrite && isSentAgain && error.details.outcome === 'unsent';
  const message = isDoubtful ? `${error.message} ${LOST_ANSWER}` : error.message;
  return new AppError(error.code, message, details, error.cause ?? error);
}

const LOST_ANSWER = 'An earlier attempt got no answer, so the service may have carried it out.';

interface Ending {
  requestId: string;
  sent: Sent<HttpAnswer> | null;
  error: AppError | null;
  trace: CallTrace;
  startedAtMs: number;
  totalMs: number;
}

function record(deps: ServiceClientDeps, prepared: Prepared, options: CallOptions, ending: Ending): void {
  const { requestId, sent, error, trace, startedAtMs, totalMs } = ending;
  const status = sent?.status ?? error?.details.status ?? null;
  const failed = error ?? rawFailure(sent, prepared, deps.baseUrl);
  const atMs = deps.clock.nowMs();
  const networkMs = Math.round(sent?.networkMs ?? trace.networkMs);
  deps.writeLog({
    id: requestId,
    startedAtMs,
    atMs,
    origin: deps.baseUrl.origin,
    operation: prepared.route.operation,
    url: `${deps.baseUrl.basePath}${prepared.target}`,
    status,
    errorCode: failed?.code ?? null,
    attempts: sent?.attempts ?? trace.tries.length,
    refusals: trace.tries.filter((attempt) => attempt.status === 429).length,
    queuedMs: Math.round(sent?.queuedMs ?? Math.max(0, totalMs - trace.networkMs)),
    networkMs,
    sizeBytes: sent?.value.sizeBytes ?? trace.last?.sizeBytes ?? 0,
    sentBytes: trace.bodyBytes,
    priority: options.priority,
    group: options.group ?? '',
    isShared: sent !== null && trace.tries.length === 0,
    tries: trace.tries,
    error: failed?.toWire() ?? null,
    ...keptBody(prepared.route.operation, prepared.body),
  });
  const { canRefuseToken } = prepared.route;
  deps.onSettled?.({ error: failed, status, atMs, canRefuseToken });
}

/** `request` resolves for every status, but the log and the network state still record a failure. */
function rawFailure(sent: Sent<HttpAnswer> | null, prepared: Prepared, baseUrl: BaseUrl): AppError | null {
  if (sent === null || (sent.status >= 200 && sent.status < 300)) return null;
  return answerError(sent.value, prepared.route.operation, baseUrl);
}

function wrap<T>({ value, answer, requestId, receivedAtMs }: Exchange<T>): Answer<T> {
  return { value, status: answer.status, requestId, receivedAtMs, sizeBytes: answer.sizeBytes };
}
