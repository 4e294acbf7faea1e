/** Decides from the error of a sent batch whether the batch was stored, and how the job continues. Pure. */
import type { AppError, ErrorCode } from '../../shared/errors.ts';
import { isNoSizeLimit, isSizeRejection, type SentSize } from './size-rejection.ts';

export type SendOutcome =
  /**
   * Certainly not stored. The batch is sent again: at once, when the service is reachable, or when a person resumes.
   */
  | { kind: 'unsent'; next: 'wait' | 'pause' }
  /** The service rejected the content of the batch. */
  | { kind: 'refused' }
  /** The service rejected the size of the batch. */
  | { kind: 'too-large' }
  /** Possibly stored. */
  | { kind: 'unknown'; next: 'continue' | 'pause' };

/** Errors with these codes mean that the request was never sent. */
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
/** An answer arrived but could not be read. */
const UNREADABLE: ReadonlySet<ErrorCode> = new Set([
  'NOT_THIS_SERVICE',
  'ANSWER_INVALID',
  'ANSWER_TOO_LARGE',
]);
/** Codes for a service that is unreachable or busy, and for a pause by a person. */
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
/** Sent by a network that requires a sign-in, never by the service itself (RFC 6585, 6). */
const NETWORK_SIGN_IN = 511;
/**
 * Statuses that mean "not now" and are sent before any work. A 5xx is not among them, because a proxy may also send it
 * after the work.
 */
const NOT_NOW = new Set([425, 429, NETWORK_SIGN_IN]);
/**
 * Statuses with which a proxy rejects the request itself: it requires a sign-in, does not know the address, or rejects
 * the size. After other statuses (of a filter, a timeout), the service may have done the work although the proxy
 * withheld the answer.
 */
const BEFORE_FORWARDING = new Set([401, 404, 405, 407, 411, 413, 414, 417, 426, 429, 431]);

/** Local problems, for which an automatic retry would not help. */
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
    // The rejection does not depend on the size, so smaller requests would also be rejected.
    if (isAnswer && sent !== null && isNoSizeLimit(error, sent)) return pause;
    if (isAnswer && sent !== null && isSizeRejection(error, sent)) return { kind: 'too-large' };
    return byStatus(status, error.code);
  }
  if (UNREADABLE.has(error.code)) return { kind: 'unknown', next: 'pause' };
  return { kind: 'unknown', next: 'continue' };
}

/**
 * Whether the error of an unsent request may disappear without a person's action in this program. A rejected
 * certificate often comes from a network's sign-in page. After the sign-in, or in another network, the service can be
 * reached again. A keychain that nobody has unlocked would ask again at each attempt.
 */
export function canPass(error: AppError): boolean {
  if (error.code === 'KEYCHAIN_FAILED') return false;
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
  // The status means success but the answer cannot be read. The data is probably stored, with unknown ids.
  if (status < 300) return { kind: 'unknown', next: 'pause' };
  return { kind: 'unknown', next: 'continue' };
}

const pause: SendOutcome = { kind: 'unsent', next: 'pause' };

/** Whether the batch was rejected for its content, so that halving it can find the bad rows. */
export function isContentRejection(status: number | undefined): boolean {
  return status === 400 || status === 422;
}

/**
 * True if the service is unreachable or busy, so that the request is retried automatically. Does not tell whether the
 * request had an effect.
 */
export function isPassing({ details, code }: AppError): boolean {
  const status = details.status ?? 0;
  return status === 429 || status >= 500 || PASSING.has(code);
}
