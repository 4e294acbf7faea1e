/** Rows of the request log: outcomes in words, and positions of bars. Pure. */
import { ERROR_CODES, type ErrorCode } from '../../electron/shared/errors.ts';
import type {
  BodyKept,
  Priority,
  RateHeaderTexts,
  RequestAttempt,
  RequestLogRow,
  StatusClass,
} from '../../electron/shared/traffic-model.ts';
import { formatCount, formatDuration, formatStamp, shortenMiddle } from './format.ts';

type Ended = Pick<RequestLogRow, 'status' | 'errorCode'>;

/** Outcome of a request. `cancelled` is not `failed`, as nothing went wrong. */
export type Outcome = Exclude<StatusClass, 'problems' | 'retried'>;

/** The outcome by the status of the response; without a response, by the error. */
export function outcomeOf({ status, errorCode }: Ended): Outcome {
  if (status === null) return errorCode === 'CANCELLED' ? 'cancelled' : 'failed';
  if (status === 429) return 'refused';
  if (status >= 500) return 'server-error';
  return status >= 400 ? 'client-error' : 'answered';
}

export const OUTCOME_CHOICES: readonly { value: StatusClass | 'any'; title: string }[] = [
  { value: 'any', title: 'Any outcome' },
  { value: 'problems', title: 'Failed (any reason)' },
  { value: 'answered', title: 'Answered (2xx, 3xx)' },
  { value: 'retried', title: 'Sent more than once' },
  { value: 'refused', title: 'Rate limited (429), also before a retry' },
  { value: 'client-error', title: 'Refused (other 4xx)' },
  { value: 'server-error', title: 'Service failed (5xx)' },
  { value: 'failed', title: 'No answer' },
  { value: 'cancelled', title: 'Cancelled' },
];

/** The status, or why there is none: `200`, `200, not readable`, `no answer in time`. */
export function outcomeText({ status, errorCode }: Ended): string {
  const words = errorCode === null ? '' : errorWords(errorCode);
  if (status === null) return words || 'no answer';
  return status < 400 && words !== '' ? `${status}, ${words}` : String(status);
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;

/**
 * Escaped characters that can be shown unescaped, because they separate nothing in an address: `{"[]}` of a filter,
 * spaces, slashes.
 */
const ESCAPED = /%(?:2[0278-9CF]|3[ACE]|5[B-D]|7[B-D])/gi;

/**
 * A path with long ids shortened in the middle, as the parts after them distinguish requests, and with readable
 * filters.
 */
export const shortPath = (path: string): string =>
  path
    .replace(ESCAPED, (sign) => String.fromCodePoint(Number.parseInt(sign.slice(1), 16)))
    .replace(UUID, (id) => shortenMiddle(id, 9));

/** The title of an error for use within a sentence: `connection refused`. */
function errorWords(code: ErrorCode): string {
  return ERROR_CODES[code].title.toLowerCase();
}

/** The log filter of the window. Null and empty values match all. */
export interface LogFilter {
  operation: string | null;
  method: string | null;
  priority: Priority | null;
  statusClass: StatusClass | null;
  text: string;
}

export const NO_FILTER: LogFilter = {
  operation: null,
  method: null,
  priority: null,
  statusClass: null,
  text: '',
};

export function isFiltering({ text, ...choices }: LogFilter): boolean {
  return text.trim() !== '' || Object.values(choices).some((choice) => choice !== null);
}

const methodOf = ({ operation }: Pick<RequestLogRow, 'operation'>): string =>
  operation.split(' ', 1)[0] ?? '';

function isOfClass(row: RequestLogRow, statusClass: StatusClass): boolean {
  const outcome = outcomeOf(row);
  if (statusClass === 'problems') {
    return row.errorCode !== 'CANCELLED' && (outcome !== 'answered' || row.errorCode !== null);
  }
  if (statusClass === 'retried') return row.attempts > 1;
  if (statusClass === 'refused') return outcome === 'refused' || row.refusals > 0;
  return statusClass === outcome;
}

/** Whether a new row belongs to the list. The rule is the same as in `traffic:get-log`. */
export function matchesFilter(row: RequestLogRow, filter: LogFilter): boolean {
  const { operation, method, priority, statusClass, text } = filter;
  if (operation !== null && row.operation !== operation) return false;
  if (method !== null && methodOf(row) !== method) return false;
  if (priority !== null && row.priority !== priority) return false;
  if (statusClass !== null && !isOfClass(row, statusClass)) return false;
  const typed = text.trim().toLowerCase();
  if (typed === '') return true;
  const searched = [row.url, row.operation, row.id, row.group, row.errorCode ?? '', row.status ?? ''];
  return (
    searched.join(' ').toLowerCase().includes(typed) ||
    row.url.toLowerCase().includes(encodeURIComponent(typed).toLowerCase())
  );
}

/** The meaning of a bar in a row: a length alone, or also a position in time. */
export type TimelineMode = 'length' | 'time';

export interface Axis {
  mode: TimelineMode;
  /** Start of the axis in wall-clock time; 0 if all bars start at the left. */
  startMs: number;
  lengthMs: number;
}

const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** The next larger round number, so that the scale stays stable while rows scroll. */
export function niceCeil(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, ms)));
  return (STEPS.find((each) => each * power >= ms) ?? 10) * power;
}

const elapsedOf = (row: RequestLogRow): number =>
  Math.max(row.atMs - row.startedAtMs, row.queuedMs + row.networkMs, 0);

/** The axis of the visible rows: as long as the longest duration, or from the first start to the last end. */
export function axisOf(rows: readonly RequestLogRow[], mode: TimelineMode): Axis {
  if (rows.length === 0) return { mode, startMs: 0, lengthMs: 1 };
  if (mode === 'length') {
    return { mode, startMs: 0, lengthMs: niceCeil(Math.max(...rows.map(elapsedOf))) };
  }
  const startMs = Math.min(...rows.map((row) => row.startedAtMs));
  const endMs = Math.max(...rows.map((row) => row.startedAtMs + elapsedOf(row)));
  return { mode, startMs, lengthMs: Math.max(1, endMs - startMs) };
}

interface Bar {
  /** Percent of the axis. */
  left: number;
  queued: number;
  /**
   * Time that is neither waiting for a permit nor network: pauses between attempts, waiting for an identical request,
   * own work.
   */
  between: number;
  network: number;
}

export function barOf(row: RequestLogRow, axis: Axis): Bar {
  const part = (ms: number) => Math.max(0, Math.min(100, (ms / axis.lengthMs) * 100));
  const between = elapsedOf(row) - row.queuedMs - row.networkMs;
  return {
    left: axis.mode === 'length' ? 0 : part(row.startedAtMs - axis.startMs),
    queued: part(row.queuedMs),
    between: part(between),
    network: part(row.networkMs),
  };
}

/** Shorter gaps are work of this application and not pauses. */
const SHORTEST_BETWEEN_MS = 10;

/** `waited 120 ms, network 45 ms`, followed by other parts of the duration. */
export function timingText(row: RequestLogRow): string {
  if (row.isShared) return 'shared the answer of an identical request';
  const between = elapsedOf(row) - row.queuedMs - row.networkMs;
  const where = row.attempts > 1 ? 'between attempts' : 'on this computer';
  return [
    `waited ${formatDuration(row.queuedMs)}`,
    `network ${formatDuration(row.networkMs)}`,
    between >= SHORTEST_BETWEEN_MS ? `${where} ${formatDuration(between)}` : '',
    row.attempts > 1 ? formatCount(row.attempts, 'attempt') : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** `14:02:33` if it is today, otherwise with the date. */
export function stampText(ms: number, nowMs: number, zone?: string): string {
  const stamp = formatStamp(ms, zone);
  return stamp.slice(0, 10) === formatStamp(nowMs, zone).slice(0, 10) ? stamp.slice(11) : stamp;
}

export const BODY_WORDS: Readonly<Record<BodyKept, string>> = {
  whole: '',
  none: 'This request has no body.',
  events: 'The body contained events. The log never stores events.',
  secret: 'The body contained a field that looks like a secret, so the log does not store it.',
  file: 'The body was a file. The log does not store files.',
  'too-large': 'The body was too large for the log.',
  pruned: 'The log no longer has this body. It keeps only those of the newest requests.',
};

interface AttemptSpan {
  /** Percent of the time between the request and its end. */
  left: number;
  width: number;
}

/** Position of each attempt within its request. The gaps between attempts are waits. */
export function attemptSpans(
  tries: readonly Pick<RequestAttempt, 'sentAtMs' | 'networkMs'>[],
  { startedAtMs, atMs }: Pick<RequestLogRow, 'startedAtMs' | 'atMs'>,
): AttemptSpan[] {
  const last = tries.at(-1);
  const endMs = Math.max(atMs, last === undefined ? atMs : last.sentAtMs + last.networkMs, startedAtMs + 1);
  const part = (ms: number) => Math.max(0, Math.min(100, (ms / (endMs - startedAtMs)) * 100));
  return tries.map(({ sentAtMs, networkMs }) => ({
    left: part(sentAtMs - startedAtMs),
    width: part(networkMs),
  }));
}

/** Headers of a request as sent. The stored headers do not contain the token. */
export function sentHeaderRows(
  attempt: Pick<RequestAttempt, 'sentBytes'>,
  bodyKept: BodyKept,
): { name: string; value: string }[] {
  return [
    { name: 'accept', value: 'application/json' },
    { name: 'authorization', value: 'Bearer [token]' },
    ...(attempt.sentBytes === 0
      ? []
      : [{ name: 'content-type', value: bodyKept === 'file' ? 'multipart/form-data' : 'application/json' }]),
  ];
}

const RATE_HEADERS: readonly { key: keyof RateHeaderTexts; name: string }[] = [
  { key: 'limit', name: 'X-RateLimit-Limit' },
  { key: 'remaining', name: 'X-RateLimit-Remaining' },
  { key: 'reset', name: 'X-RateLimit-Reset' },
  { key: 'retryAfter', name: 'Retry-After' },
  { key: 'date', name: 'Date' },
];

/** Rate limit headers as received, by name. Absent headers are omitted. */
export function rateRows(rate: RateHeaderTexts): { name: string; value: string }[] {
  return RATE_HEADERS.flatMap(({ key, name }) => {
    const value = rate[key];
    return value === null ? [] : [{ name, value }];
  });
}

/** `429, rate limit reached`, `connection lost; it may have been carried out`. */
export function attemptText({ status, errorCode, outcome }: RequestAttempt): string {
  const code = errorCode ?? (status === 429 ? 'RATE_LIMITED' : null);
  const words = code === null ? '' : errorWords(code);
  if (status !== null) return words === '' ? String(status) : `${status}, ${words}`;
  const doubt = {
    answered: '',
    unsent: '; it was not sent',
    unknown: '; it may have been carried out',
  };
  return `${words || 'no answer'}${doubt[outcome]}`;
}
