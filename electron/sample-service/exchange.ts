/**
 * One request to an operation: checks credentials, method, limits, faults and permission in this order, then calls the
 * handler.
 */
import type { HttpBindings } from '@hono/node-server';
import { type Endpoint, endpoint, type OperationId } from '../api/endpoints.ts';
import { type Answer, answerBody, errorBody } from './envelope.ts';
import { type FaultConnection, runFault } from './fault-actions.ts';
import type { FaultScript } from './faults.ts';
import type { AnyHandler } from './handlers/handler.ts';
import { HANDLERS } from './handlers/index.ts';
import { publishLiveTraffic } from './live-traffic.ts';
import { limitHeaders, type RateLimiter } from './rate-limits.ts';
import { jsonReply, type Reply } from './replies.ts';
import type { Reporter } from './report.ts';
import {
  type MultipartBody,
  parseRequest,
  readJsonBody,
  readMultipartBody,
  unknownParameters,
} from './request.ts';
import { allowedMethods, type Route, SPECIFIED_OPERATIONS } from './routes.ts';
import type { Service } from './service.ts';
import { ServiceError } from './service-error.ts';
import type { TokenEntry } from './settings.ts';

export interface ExchangeParts {
  service: Service;
  limiter: RateLimiter;
  reporter: Reporter;
  faults: FaultScript;
  tokens: readonly TokenEntry[];
  /** Whether the service knows only the operations of the specification. */
  isStrict(): boolean;
  /** Resolves when the service stops. */
  stopped: Promise<void>;
  /** Receives errors of handlers other than ServiceErrors. */
  logCrash(error: unknown): void;
}

interface Incoming {
  request: Request;
  bindings: HttpBindings;
  path: string;
  parameters: Readonly<Record<string, string>>;
  /** Null if no template matches the path. */
  route: Route | null;
}

/** The entry of the bearer token; throws a 401 if the token is missing or unknown. */
function authorize(parts: ExchangeParts, incoming: Incoming): TokenEntry {
  const header = incoming.request.headers.get('authorization') ?? '';
  const sent = /^Bearer (\S+)$/i.exec(header)?.[1] ?? null;
  const entry = parts.tokens.find(({ token }) => token === sent);
  const ended = entry === undefined ? null : parts.service.keys.endOf(entry.token);
  if (entry !== undefined && ended === null) return entry;
  const message =
    sent === null
      ? 'Send the header Authorization: Bearer <ACCESS_TOKEN>.'
      : (ended ?? 'The access token is not known to this service.');
  parts.reporter.violation(
    'missingCredentials',
    `${incoming.request.method} ${endpointPath(incoming)}`,
    message,
  );
  throw new ServiceError(401, message);
}

function endpointPath(incoming: Incoming): string {
  return incoming.route?.template ?? incoming.path;
}

/** Finds the operation, or returns the reply for an unknown path or method. */
function resolve(parts: ExchangeParts, incoming: Incoming): OperationId | Reply {
  const { method } = incoming.request;
  const operation = incoming.route?.operations[method];
  if (operation !== undefined && parts.isStrict() && !SPECIFIED_OPERATIONS.has(operation)) {
    const error = new ServiceError(404, `There is no operation at ${incoming.path}.`, { reason: 'NotFound' });
    return jsonReply(404, errorBody(error));
  }
  if (operation !== undefined) return operation;
  const message =
    incoming.route === null
      ? `There is no operation at ${incoming.path}.`
      : `${incoming.route.template} does not know the method ${method}.`;
  parts.reporter.violation('unknownRoutes', `${method} ${endpointPath(incoming)}`, message);
  if (incoming.route === null)
    return jsonReply(404, errorBody(new ServiceError(404, message, { reason: 'NotFound' })));
  return jsonReply(405, errorBody(new ServiceError(405, message)), {
    Allow: allowedMethods(incoming.route).join(', '),
  });
}

/**
 * The error with a status that the row declares: if it has only one of 400 and 404, that one is used (SERVICE.md S4).
 */
function declaredError(row: Endpoint, error: ServiceError): ServiceError {
  const other = error.status === 400 ? 404 : error.status === 404 ? 400 : null;
  if (other === null || row.errors.includes(error.status) || !row.errors.includes(other)) return error;
  return new ServiceError(other, error.message, { issues: error.issues, isMalformed: error.isMalformed });
}

const ANSWER_KINDS = {
  paginated: 'page',
  record: 'record',
  array: 'array',
  empty: 'empty',
} as const satisfies Record<Endpoint['answer'], Answer['kind']>;

/**
 * Throws a 403 for a record of a project if the token has no project (SERVICE.md S5 rule 3). Lists over all projects
 * are empty for such a token.
 */
function checkProject(row: Endpoint, entry: TokenEntry): void {
  const isOverall = row.method === 'GET' && !row.path.includes('{');
  if (entry.role !== 'no-project' || isOverall) return;
  throw new ServiceError(403, 'This access token has no project that it may use.');
}

/** Reads the request, runs the handler and returns the reply. Throws ServiceError. */
async function carryOut(
  parts: ExchangeParts,
  incoming: Incoming,
  operation: OperationId,
  entry: TokenEntry,
): Promise<Reply> {
  const row = endpoint(operation);
  const { service } = parts;
  const body =
    row.body === null
      ? undefined
      : // Event values are plain numbers by column, and very many.
        await readJsonBody(incoming.request, service.settings.maxBodyBytes, !operation.startsWith('events.'));
  const multipart: MultipartBody =
    row.multipart === null
      ? new Map()
      : await readMultipartBody(incoming.request, row.multipart, service.settings.maxFileBytes);
  if (entry.role === 'read-only' && row.isWrite) {
    throw new ServiceError(403, 'This access token may read only.');
  }
  checkProject(row, entry);
  const query = new URL(incoming.request.url).searchParams;
  parts.reporter.unknownParameters(unknownParameters(row, query).length);
  const request = parseRequest(
    row,
    { path: incoming.parameters, query, body, multipart, token: entry.token },
    service.settings,
  );
  // Safe cast: the row's own schema has parsed the body for its handler.
  const handler = HANDLERS[operation] as AnyHandler;
  const answer =
    entry.role === 'no-project' && row.answer === 'paginated'
      ? { kind: 'page' as const, items: [], total: 0, ...request.page }
      : handler(service, request as Parameters<AnyHandler>[1]);
  if (answer.kind !== ANSWER_KINDS[row.answer]) {
    throw new Error(`The handler of ${operation} answers ${answer.kind}, its row promises ${row.answer}.`);
  }
  return jsonReply(row.successStatus, answerBody(answer));
}

function toErrorReply(parts: ExchangeParts, row: Endpoint, error: unknown): Reply {
  if (!(error instanceof ServiceError)) {
    parts.logCrash(error);
    return jsonReply(
      500,
      errorBody(new ServiceError(500, 'The service failed while it handled the request.')),
    );
  }
  if (error.isMalformed)
    parts.reporter.violation('malformedRequests', `${row.method} ${row.path}`, error.message);
  const declared = declaredError(row, error);
  return jsonReply(declared.status, errorBody(declared));
}

function connectionOf(parts: ExchangeParts, incoming: Incoming): FaultConnection {
  const { outgoing } = incoming.bindings;
  const gone = new Promise<void>((resolve) => outgoing.once('close', () => resolve()));
  const { service } = parts;
  return {
    outgoing,
    clock: service.clock,
    closed: Promise.race([gone, parts.stopped]),
    publishLive: (modelId, rows) => publishLiveTraffic(service, modelId, rows),
  };
}

/** Answers an operation for a known token: applies limits first, then scripted faults, and then calls the handler. */
async function answerOperation(
  parts: ExchangeParts,
  incoming: Incoming,
  operation: OperationId,
  entry: TokenEntry,
): Promise<Reply | null> {
  const row = endpoint(operation);
  const endpointKey = `${row.method} ${row.path}`;
  parts.reporter.arrived(entry.token, endpointKey);
  const decision = parts.limiter.take(entry.token, endpointKey, row.limit);
  const headers = decision === null ? {} : limitHeaders(decision);
  if (decision?.isAllowed === false) {
    const message = `More requests than ${decision.limit}. Wait ${decision.retryAfterS ?? 1} s.`;
    parts.reporter.violation('overLimit', endpointKey, message);
    return jsonReply(429, errorBody(new ServiceError(429, message)), headers);
  }
  parts.service.jobs.settle();
  const run = async (): Promise<Reply> => {
    try {
      return await carryOut(parts, incoming, operation, entry);
    } catch (error) {
      return toErrorReply(parts, row, error);
    }
  };
  const fault = parts.faults.next({
    operation,
    method: row.method,
    path: incoming.path,
    template: row.path,
  });
  if (fault === null) return withHeaders(await run(), headers);
  parts.reporter.fault();
  const carryOutWithHeaders = async (): Promise<Reply> => withHeaders(await run(), headers);
  const outcome = await runFault(fault, connectionOf(parts, incoming), carryOutWithHeaders);
  return outcome === null ? null : withHeaders(outcome, headers);
}

function withHeaders(reply: Reply, headers: Record<string, string>): Reply {
  return { ...reply, headers: { ...headers, ...reply.headers } };
}

/** Answers a request below /v3. Null if the connection was already handled and nothing is left to send. */
export async function exchange(parts: ExchangeParts, incoming: Incoming): Promise<Reply | null> {
  const { reporter } = parts;
  let operation: OperationId | null = null;
  let entry: TokenEntry | null = null;
  let reply: Reply | null = null;
  reporter.began();
  try {
    const resolved = resolveOrRefuse(parts, incoming);
    if (!('operation' in resolved)) {
      reply = resolved.reply;
    } else {
      ({ operation, entry } = resolved);
      reply = await answerOperation(parts, incoming, operation, entry);
    }
    return reply;
  } finally {
    reporter.ended(operation, reply?.status ?? null);
    const waitS = Number(reply?.headers['Retry-After'] ?? Number.NaN);
    if (operation !== null && entry !== null && waitS > 0) {
      const row = endpoint(operation);
      const { retryAfterGraceMs } = parts.service.settings;
      reporter.toldToWait(entry.token, `${row.method} ${row.path}`, waitS, retryAfterGraceMs);
    }
  }
}

function resolveOrRefuse(
  parts: ExchangeParts,
  incoming: Incoming,
): { operation: OperationId; entry: TokenEntry } | { reply: Reply } {
  try {
    const entry = authorize(parts, incoming);
    const resolved = resolve(parts, incoming);
    return typeof resolved === 'string' ? { operation: resolved, entry } : { reply: resolved };
  } catch (error) {
    if (error instanceof ServiceError) return { reply: jsonReply(error.status, errorBody(error)) };
    throw error;
  }
}
