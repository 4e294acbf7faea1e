/** What one call did on the wire, over all its attempts: for the request log. */
import type { Attempt, RateHeaders } from '../core/attempt.ts';
import { ERROR_CODES } from '../shared/errors.ts';
import type { BodyKept, RequestAttempt } from '../shared/traffic-model.ts';
import type { HttpAnswer, HttpFailure } from './http-client.ts';

/** Longest body that is kept, in bytes. */
const KEPT_BODY_BYTES = 16_384;
/** Their bodies are rows of a person's data. */
const EVENT_OPERATIONS = new Set(['POST /v3/events', 'PATCH /v3/events']);
/** Names of fields whose values nobody wants in a log. */
const SECRET_NAME = /pass(?:word|phrase)|secret|token|api[-_]?key|credential|authorization|private[-_]?key/i;

export class CallTrace {
  readonly tries: RequestAttempt[] = [];
  networkMs = 0;
  last: HttpAnswer | null = null;
  readonly #bodyBytes: number;

  constructor(body: string | null) {
    this.#bodyBytes = body === null ? 0 : Buffer.byteLength(body);
  }

  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  /** To be called when an attempt begins; `end` then takes what came of it. */
  start(sentAtMs: number): (result: HttpAnswer | HttpFailure, networkMs: number) => Attempt<HttpAnswer> {
    const previous = this.tries.at(-1);
    if (previous !== undefined) previous.retriedFor = whyRetried(previous);
    return (result, networkMs) => {
      this.networkMs += networkMs;
      const common = { sentAtMs, networkMs: Math.round(networkMs), sentBytes: this.#bodyBytes, retriedFor: null };
      if (result.kind === 'failed') {
        this.tries.push({
          ...common,
          status: null,
          errorCode: result.error.code,
          outcome: result.outcome,
          receivedBytes: 0,
          contentType: null,
          rate: NO_HEADERS,
        });
        return result;
      }
      this.last = result;
      const rate = rateHeaders(result.headers);
      this.tries.push({
        ...common,
        status: result.status,
        errorCode: null,
        outcome: 'answered',
        receivedBytes: result.sizeBytes,
        contentType: result.headers['content-type'] ?? null,
        rate,
      });
      return { kind: 'answered', status: result.status, rate, value: result };
    };
  }
}

const NO_HEADERS: RateHeaders = { limit: null, remaining: null, reset: null, retryAfter: null, date: null };

/** Header names of INTERFACE section 8 rule 3. */
export function rateHeaders(headers: Readonly<Record<string, string>>): RateHeaders {
  return {
    limit: headers['x-ratelimit-limit'] ?? null,
    remaining: headers['x-ratelimit-remaining'] ?? null,
    reset: headers['x-ratelimit-reset'] ?? null,
    retryAfter: headers['retry-after'] ?? null,
    date: headers['date'] ?? null,
  };
}

function whyRetried({ status, errorCode, outcome }: RequestAttempt): string {
  if (status === 429) return 'Refused with 429: asked to wait.';
  if (status !== null) return `Status ${status}: the service failed, and a repeat is safe.`;
  const title = errorCode === null ? 'No answer' : ERROR_CODES[errorCode].title;
  return outcome === 'unsent' ? `${title}: it was not sent.` : `${title}: a repeat is safe.`;
}

/** What of a body the log keeps: never events, never what looks like a secret, nothing long. */
export function keptBody(operation: string, body: string | null): { body: string | null; bodyKept: BodyKept } {
  if (body === null) return { body: null, bodyKept: 'none' };
  if (EVENT_OPERATIONS.has(operation)) return { body: null, bodyKept: 'events' };
  if (Buffer.byteLength(body) > KEPT_BODY_BYTES) return { body: null, bodyKept: 'too-large' };
  if (hasSecret(body)) return { body: null, bodyKept: 'secret' };
  return { body, bodyKept: 'whole' };
}

function hasSecret(body: string): boolean {
  for (const [, name] of body.matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g)) {
    if (name !== undefined && SECRET_NAME.test(name)) return true;
  }
  return false;
}
