/** What an error of a request that stores something means for what it carried and for the job. Pure. */
import type { AppError, ErrorCode } from '../shared/errors.ts';
import { isSizeRefusal, type SentSize } from './size-refusal.ts';

export type SendOutcome =
  /** Surely not stored: the batch is sent again, at once, when the service is back, or when a person says so. */
  | { kind: 'unsent'; next: 'wait' | 'pause' }
  /** The service said no to what is in the batch. */
  | { kind: 'refused' }
  /** The service said no to how much is in the batch. */
  | { kind: 'too-large' }
  /** It may have been stored. */
  | { kind: 'unknown'; next: 'go-on' | 'pause' };

/** Nothing left this computer when one of these is all that is known. */
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
/** Something answered, and what it said cannot be read. */
const UNREADABLE: ReadonlySet<ErrorCode> = new Set([
  'NOT_THIS_SERVICE',
  'ANSWER_INVALID',
  'ANSWER_TOO_LARGE',
]);
const REFUSED = new Set([400, 409, 422]);
/** Answers that say "not now" before anything is done. */
const NOT_NOW = new Set([425, 429, 503]);

/** `sent`: where the size of what was sent is known, a 400 that speaks of it is `too-large`, as a 413 is. */
export function classifyFailure(error: AppError, sent: SentSize | null = null): SendOutcome {
  const { outcome, status } = error.details;
  if (outcome === 'unsent' || (outcome === undefined && status === undefined && NEVER_LEFT.has(error.code))) {
    return { kind: 'unsent', next: canPass(error) ? 'wait' : 'pause' };
  }
  if (status !== undefined) {
    const isAnswer = error.code !== 'NOT_THIS_SERVICE';
    if (isAnswer && sent !== null && isSizeRefusal(error, sent)) return { kind: 'too-large' };
    return byStatus(status, error.code);
  }
  if (UNREADABLE.has(error.code)) return { kind: 'unknown', next: 'pause' };
  return { kind: 'unknown', next: 'go-on' };
}

/** Does it go away without a person? */
function canPass(error: AppError): boolean {
  return error.retry !== 'never';
}

function byStatus(status: number, code: ErrorCode): SendOutcome {
  // Something in between answered: what the service itself did is not known, but a 4xx of it was not passed on.
  if (code === 'NOT_THIS_SERVICE')
    return status >= 400 && status < 500 ? pause : { kind: 'unknown', next: 'pause' };
  if (status === 413) return { kind: 'too-large' };
  if (REFUSED.has(status)) return { kind: 'refused' };
  if (NOT_NOW.has(status)) return { kind: 'unsent', next: 'wait' };
  if (status === 408) return { kind: 'unknown', next: 'go-on' };
  if (status >= 300 && status < 500) return pause;
  // A success whose answer cannot be read: stored, most likely, but without ids.
  if (status < 300) return { kind: 'unknown', next: 'pause' };
  return { kind: 'unknown', next: 'go-on' };
}

const pause: SendOutcome = { kind: 'unsent', next: 'pause' };

/** Was this batch refused for its content, so that halving it can find the rows at fault? */
export function isContentRefusal(status: number | undefined): boolean {
  return status === 400 || status === 422;
}
