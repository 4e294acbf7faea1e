/**
 * Writes the request log as an HTTP archive (HAR 1.2), one part after the other. Pure. The token is masked, and bodies
 * are included only as logged.
 */
import type { RequestAttempt, RequestDetails } from '../../shared/traffic-model.ts';
import { methodOf } from './curl-command.ts';

interface Pair {
  name: string;
  value: string;
}

/** One exchange: an attempt of a request. Times in milliseconds; -1 means unknown in HAR. */
interface HarEntry {
  startedDateTime: string;
  time: number;
  request: {
    method: string;
    url: string;
    httpVersion: string;
    cookies: [];
    headers: Pair[];
    queryString: Pair[];
    postData?: { mimeType: string; text: string; comment?: string };
    headersSize: number;
    bodySize: number;
  };
  response: {
    status: number;
    statusText: string;
    httpVersion: string;
    cookies: [];
    headers: Pair[];
    content: { size: number; mimeType: string; comment: string };
    redirectURL: string;
    headersSize: number;
    bodySize: number;
  };
  cache: Record<string, never>;
  timings: {
    blocked: number;
    dns: number;
    connect: number;
    ssl: number;
    send: number;
    wait: number;
    receive: number;
  };
  comment: string;
  _requestId: string;
  _operation: string;
  _priority: string;
  _group: string;
  _attempt: number;
  _error?: string;
}

/** Reason phrases of the service's known statuses; HAR needs one, HTTP does not. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
const MASKED = 'Bearer [token]';
const JSON_TYPE = 'application/json';
const HTTP = 'HTTP/1.1';

/** The text before the first entry; entries follow, separated by a comma and a line end. */
export function harHead(version: string, comment: string): string {
  const creator = JSON.stringify({ name: 'Spandeck', version });
  return `{"log":{"version":"1.2","creator":${creator},"comment":${JSON.stringify(comment)},"entries":[\n`;
}

export const HAR_TAIL = '\n]}}\n';

/**
 * One entry for each attempt, in order. A request that was never sent, or that shared the answer of another one, has
 * none. A damaged row has one entry with the reason.
 */
export function harEntries(request: RequestDetails): HarEntry[] {
  let freeAtMs = request.startedAtMs;
  return triesOf(request).map((attempt, index) => {
    const blockedMs = Math.max(0, attempt.sentAtMs - freeAtMs);
    const startedAtMs = attempt.sentAtMs - blockedMs;
    freeAtMs = attempt.sentAtMs + attempt.networkMs;
    return {
      startedDateTime: new Date(startedAtMs).toISOString(),
      time: blockedMs + attempt.networkMs,
      request: requestOf(request, attempt),
      response: responseOf(attempt),
      cache: {},
      timings: {
        blocked: blockedMs,
        dns: -1,
        connect: -1,
        ssl: -1,
        send: 0,
        wait: attempt.networkMs,
        receive: 0,
      },
      comment: damageOf(request) ?? attempt.retriedFor ?? '',
      _requestId: request.id,
      _operation: request.operation,
      _priority: request.priority,
      _group: request.group,
      _attempt: index + 1,
      ...(attempt.errorCode === null ? {} : { _error: attempt.errorCode }),
    };
  });
}

/** The reason why a stored row cannot be read; null for any other row. */
function damageOf({ error }: RequestDetails): string | null {
  return error?.code === 'STORE_DAMAGED' ? error.message : null;
}

/** Rows of an older version, and damaged rows, have no list of attempts but enough data about the last one. */
function triesOf(request: RequestDetails): RequestAttempt[] {
  if (request.tries.length > 0) return request.tries;
  const isDamaged = damageOf(request) !== null;
  if (!isDamaged && (request.isShared || request.status === null)) return [];
  const { status, networkMs, sentBytes, sizeBytes, atMs } = request;
  return [
    {
      sentAtMs: atMs - networkMs,
      networkMs,
      status,
      errorCode: isDamaged ? request.errorCode : null,
      outcome: isDamaged ? 'unknown' : 'answered',
      sentBytes,
      receivedBytes: sizeBytes,
      contentType: null,
      rate: { limit: null, remaining: null, reset: null, retryAfter: null, date: null },
      headers: {},
      retriedFor: null,
    },
  ];
}

function requestOf(request: RequestDetails, attempt: RequestAttempt): HarEntry['request'] {
  const url = `${request.origin}${request.url}`;
  const hasBody = attempt.sentBytes > 0;
  const mimeType = request.bodyKept === 'file' ? 'multipart/form-data' : JSON_TYPE;
  const notKept = `Not kept: ${request.bodyKept}.`;
  return {
    method: methodOf(request),
    url,
    httpVersion: HTTP,
    cookies: [],
    headers: [
      { name: 'accept', value: JSON_TYPE },
      { name: 'authorization', value: MASKED },
      ...(hasBody ? [{ name: 'content-type', value: mimeType }] : []),
    ],
    queryString: queryOf(url),
    ...(hasBody
      ? {
          postData: {
            mimeType,
            text: request.body ?? '',
            ...(request.body === null ? { comment: notKept } : {}),
          },
        }
      : {}),
    headersSize: -1,
    bodySize: attempt.sentBytes,
  };
}

function queryOf(url: string): Pair[] {
  const start = url.indexOf('?');
  if (start < 0) return [];
  return url
    .slice(start + 1)
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      return at < 0
        ? { name: decoded(part), value: '' }
        : { name: decoded(part.slice(0, at)), value: decoded(part.slice(at + 1)) };
    });
}

/** A decoded part of a query; unchanged if it is not validly encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function responseOf(attempt: RequestAttempt): HarEntry['response'] {
  const { status, rate, receivedBytes } = attempt;
  const all = Object.entries(attempt.headers);
  // Rows of older versions have only these headers.
  const some: [string, string | null][] = [
    ['content-type', attempt.contentType],
    ['date', rate.date],
    ['x-ratelimit-limit', rate.limit],
    ['x-ratelimit-remaining', rate.remaining],
    ['x-ratelimit-reset', rate.reset],
    ['retry-after', rate.retryAfter],
  ];
  return {
    // HAR uses status 0 if there was no answer.
    status: status ?? 0,
    statusText: status === null ? '' : (STATUS_TEXTS[status] ?? ''),
    httpVersion: HTTP,
    cookies: [],
    headers: (all.length > 0 ? all : some).flatMap(([name, value]) =>
      value === null ? [] : [{ name, value }],
    ),
    content: {
      size: receivedBytes,
      mimeType: attempt.contentType ?? 'x-unknown',
      comment: 'Bodies of answers are not kept.',
    },
    redirectURL: '',
    headersSize: -1,
    bodySize: status === null ? -1 : receivedBytes,
  };
}
