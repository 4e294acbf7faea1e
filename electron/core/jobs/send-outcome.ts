/** Decides from the error of a sent batch whether the batch was stored, and what the job does next. Pure. */
import type { AppError, ErrorCode } from '../../shared/errors.ts';
import { isNoSizeLimit, isSizeRejection, type SentSize } from './size-rejection.ts';

export type SendOutcome =
  /** Certainly not stored. The batch is sent again: at once, when the service is back, or when a person resumes. */
  | { kind: 'unsent'; next: 'wait' | 'pause' }
  /** The service rejected the content of the batch. */
  | { kind: 'refused' }
  /** The service rejected the size of the batch. */
  | { kind: 'too-large' }
  /** It may have been stored. */
  | { kind: 'unknown'; next: 'continue' | 'pause' };

/** With these codes the request was never sent. */
const NEVER_LEFT: ReadonlySet<ErrorCode> = new Set([
  'OFFLINE',
  'DNS_FAILED',
  'CONNECTION_REFUSED',
  'SAMPLE_STOPPED',
  'QUEUE_FULL',
  'NO_TOKEN',
  'READ_ONLY',
  'KEYCHAIN_UNAVAILABLE',
  'KEYCHAIN_FAILED',
  'INSECURE_URL',
  'INVALID_ARGUMENT',
  'RATE_LIMITED',
]);
/** An answer arrived but cannot be read. */
const UNREADABLE: ReadonlySet<ErrorCode> = new Set([
  'NOT_THIS_SERVICE',
  'ANSWER_INVALID',
  'ANSWER_TOO_LARGE',
]);
/** Codes of a service that is unreachable or busy, or of a person's pause. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'CONNECTION_LOST',
  'TIMEOUT',
  'CONNECTION_REFUSED',
  'SAMPLE_STOPPED',
  'DNS_FAILED',
  'TLS_FAILED',
  'PROXY_FAILED',
  'OFFLINE',
  'QUEUE_FULL',
  'PAUSED',
]);
const REFUSED = new Set([400, 409, 422]);
/** Sent by a network that requires a sign-in, never by a service (RFC 6585, 6). */
const NETWORK_SIGN_IN = 511;
/** Statuses that mean "not now", before any work. A 5xx does not mean that: a proxy may also send it after the work. */
const NOT_NOW = new Set([425, 429, NETWORK_SIGN_IN]);
/**
 * Statuses of a proxy about the request itself: it requires a sign-in, does not know the address, or rejects the size.
 * Other statuses may mean that it withheld the answer (a filter, a timeout) after the service did the work.
 */
const BEFORE_FORWARDING = new Set([401, 404, 405, 407, 411, 413, 414, 417, 426, 429, 431]);

/** Local problems: an automatic retry would not help. */
const OWN_TROUBLE: ReadonlySet<ErrorCode> = new Set([
  'DISK_FULL',
  'STORE_FAILED',
  'STORE_DAMAGED',
  'CONFLICT',
  'INTERNAL',
]);

export function isOwnTrouble({ code, details }: AppError): boolean {
  return details.status === undefined && OWN_TROUBLE.has(code);
}

/** `sent`: if the size of the batch is known, a 400 about the size counts as `too-large`, like a 413. */
export function classifyFailure(error: AppError, sent: SentSize | null = null): SendOutcome {
  const { outcome, status } = error.details;
  if (outcome === 'unsent' || (outcome === undefined && status === undefined && NEVER_LEFT.has(error.code))) {
    return { kind: 'unsent', next: canPass(error) ? 'wait' : 'pause' };
  }
  if (status !== undefined) {
    const isAnswer = error.code !== 'NOT_THIS_SERVICE';
    // The rejection does not depend on the size: smaller requests would be rejected forever.
    if (isAnswer && sent !== null && isNoSizeLimit(error, sent)) return pause;
    if (isAnswer && sent !== null && isSizeRejection(error, sent)) return { kind: 'too-large' };
    return byStatus(status, error.code);
  }
  if (UNREADABLE.has(error.code)) return { kind: 'unknown', next: 'pause' };
  return { kind: 'unknown', next: 'continue' };
}

/**
 * Whether the error of an unsent request can disappear without a person's action here. A rejected certificate often
 * belongs to a network's sign-in page: after the sign-in, or in another network, the service answers again.
 */
export function canPass(error: AppError): boolean {
  return error.retry !== 'never' || error.code === 'TLS_FAILED';
}

function byStatus(status: number, code: ErrorCode): SendOutcome {
  if (code === 'NOT_THIS_SERVICE' && status !== NETWORK_SIGN_IN)
    return BEFORE_FORWARDING.has(status) ? pause : { kind: 'unknown', next: 'pause' };
  if (status === 413) return { kind: 'too-large' };
  if (REFUSED.has(status)) return { kind: 'refused' };
  if (NOT_NOW.has(status)) return { kind: 'unsent', next: 'wait' };
  if (status === 408) return { kind: 'unknown', next: 'continue' };
  if (status >= 300 && status < 500) return pause;
  // The status means success but the answer cannot be read: most likely stored, with unknown ids.
  if (status < 300) return { kind: 'unknown', next: 'pause' };
  return { kind: 'unknown', next: 'continue' };
}

const pause: SendOutcome = { kind: 'unsent', next: 'pause' };

/** Whether the batch was rejected for its content, so that halving it can find the bad rows. */
export function isContentRejection(status: number | undefined): boolean {
  return status === 400 || status === 422;
}

/** The service is unreachable or busy: it is retried automatically. Says nothing about the effect of the request. */
export function isPassing({ details, code }: AppError): boolean {
  const status = details.status ?? 0;
  return status === 429 || status >= 500 || PASSING.has(code);
}
