/** Records the attempts of one call for the request log. */
import type { Attempt, RateHeaders } from '../core/limits/attempt.ts';
import { type AppError, ERROR_CODES } from '../shared/errors.ts';
import type { BodyKept, RequestAttempt } from '../shared/traffic-model.ts';
import { type HttpAnswer, type HttpFailure, isStreamed, type RequestBody } from './http-client.ts';
import { maskInAnswer, maskToken } from './token-mask.ts';

/** Maximum size of a stored body in bytes. */
const KEPT_BODY_BYTES = 16_384;
/** Operations whose bodies are not logged, because they contain a person's data. */
const EVENT_OPERATIONS = new Set(['POST /v3/events', 'PATCH /v3/events']);
/** Names of fields whose values must not be logged. */
const SECRET_NAME =
  /(?:pass(?:word|phrase)|secret|token|api[-_]?key|credentials?|authorization|private[-_]?key)$/i;

export class CallTrace {
  readonly tries: RequestAttempt[] = [];
  readonly bodyBytes: number;
  networkMs = 0;
  last: HttpAnswer | null = null;
  /** Monotonic time at which the current attempt was sent. */
  #sentAt: number | null = null;

  constructor(body: RequestBody | null) {
    this.bodyBytes = isStreamed(body) ? body.sizeBytes : body === null ? 0 : Buffer.byteLength(body);
  }

  /**
   * Whether an attempt before the one that failed with `error` got no answer, so that it may have been carried out. A
   * request that the scheduler withheld from a repeat has no attempt of its own.
   */
  isSentAgain({ details }: AppError): boolean {
    const isUnsent = details.outcome === 'unsent';
    return this.tries
      .slice(0, isUnsent ? undefined : -1)
      .some(({ outcome, status }) => outcome === 'unknown' || status === 502 || status === 504);
  }

  start(times: { wallMs: number; monotonicMs: number }): void {
    const previous = this.tries.at(-1);
    if (previous !== undefined) previous.retriedFor = retryReason(previous);
    this.#sentAt = times.monotonicMs;
    this.tries.push({
      sentAtMs: times.wallMs,
      networkMs: 0,
      status: null,
      // These values apply if the caller cancels before there is an answer.
      errorCode: 'CANCELLED',
      outcome: 'unknown',
      sentBytes: this.bodyBytes,
      receivedBytes: 0,
      contentType: null,
      rate: NO_HEADERS,
      headers: {},
      retriedFor: null,
    });
  }

  end(result: HttpAnswer | HttpFailure, monotonicMs: number): Attempt<HttpAnswer> {
    this.leave(monotonicMs);
    const attempt = this.tries.at(-1);
    if (result.kind === 'failed') {
      if (attempt !== undefined) {
        Object.assign(attempt, { errorCode: result.error.code, outcome: result.outcome });
      }
      return result;
    }
    this.last = result;
    const rate = rateHeaders(result.headers);
    if (attempt !== undefined) {
      Object.assign(attempt, {
        status: result.status,
        errorCode: null,
        outcome: 'answered',
        receivedBytes: result.sizeBytes,
        contentType: result.headers['content-type'] ?? null,
        rate,
        headers: keptHeaders(result.headers),
      } satisfies Partial<RequestAttempt>);
    }
    return { kind: 'answered', status: result.status, rate, value: result };
  }

  /** Ends the call, even if its last attempt is not finished. */
  leave(monotonicMs: number): void {
    const attempt = this.tries.at(-1);
    if (attempt === undefined || this.#sentAt === null) return;
    const networkMs = monotonicMs - this.#sentAt;
    this.#sentAt = null;
    this.networkMs += networkMs;
    attempt.networkMs = Math.round(networkMs);
  }
}

const NO_HEADERS: RateHeaders = { limit: null, remaining: null, reset: null, retryAfter: null, date: null };

/** Names of the headers in SERVICE.md S8 rule 3. */
export function rateHeaders(headers: Readonly<Record<string, string>>): RateHeaders {
  return {
    limit: headers['x-ratelimit-limit'] ?? null,
    remaining: headers['x-ratelimit-remaining'] ?? null,
    reset: headers['x-ratelimit-reset'] ?? null,
    retryAfter: headers['retry-after'] ?? null,
    date: headers['date'] ?? null,
  };
}

/** Headers that are not logged because they contain session identifiers. */
const SECRET_HEADERS = new Set([
  'set-cookie',
  'set-cookie2',
  'authorization',
  'proxy-authenticate',
  'www-authenticate',
]);
const MAX_HEADERS = 60;
const LONGEST_HEADER = 1_000;

/** Answer headers for the log, without secrets and long values. */
export function keptHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !SECRET_HEADERS.has(name) && !SECRET_NAME.test(name))
      .slice(0, MAX_HEADERS)
      .map(([name, value]) => [name, value.slice(0, LONGEST_HEADER)]),
  );
}

function retryReason({ status, errorCode, outcome }: RequestAttempt): string {
  if (status === 429) return 'Refused with 429: asked to wait.';
  if (status !== null) return `Status ${status}: the service failed, and a repeat is safe.`;
  const title = errorCode === null ? 'No answer' : ERROR_CODES[errorCode].title;
  return outcome === 'unsent' ? `${title}: it was not sent.` : `${title}: a repeat is safe.`;
}

/** The part of a body that is logged: without events, likely secrets and long values. */
export function keptBody(
  operation: string,
  body: RequestBody | null,
): { body: string | null; bodyKept: BodyKept } {
  if (body === null) return { body: null, bodyKept: 'none' };
  if (isStreamed(body)) return { body: null, bodyKept: 'file' };
  if (EVENT_OPERATIONS.has(operation)) return { body: null, bodyKept: 'events' };
  if (Buffer.byteLength(body) > KEPT_BODY_BYTES) return { body: null, bodyKept: 'too-large' };
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  if (hasSecret(text)) return { body: null, bodyKept: 'secret' };
  return { body: text, bodyKept: 'whole' };
}

function hasSecret(body: string): boolean {
  // Also matches texts that are not names, so that the search never starts inside a text.
  for (const [, name = '', colon] of body.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/g)) {
    if (colon !== undefined && SECRET_NAME.test(name)) return true;
  }
  return false;
}

/** The row with the token masked in every field that a person may have typed it into. */
export function withoutToken<T extends { url: string; body: string | null }>(
  row: T,
  token: string | null,
): T {
  if (token === null) return row;
  const body = row.body === null ? null : maskInAnswer(row.body, token);
  return { ...row, url: maskToken(row.url, token), body };
}
