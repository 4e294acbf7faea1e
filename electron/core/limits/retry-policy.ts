/** Decides how a request continues after an attempt: with an answer for the caller, a failure, or a retry. Pure. */
import { AppError, ERROR_CODES, type ErrorCode } from '../../shared/errors.ts';
import type { Attempt } from './attempt.ts';
import { backoffMs } from './backoff.ts';

type Verdict =
  /** The caller gets the answer, whatever its status. */
  | { kind: 'settle' }
  | { kind: 'fail'; error: AppError }
  /** After a 429: the request returns to the head of its queue, and the lane itself is parked. */
  | { kind: 'refused' }
  | { kind: 'retry'; delayMs: number };

interface AttemptHistory {
  /** Number of attempts without a 429 answer, including this one. */
  attempts: number;
  /** Number of 429 answers, including this one. */
  refusals: number;
  isRepeatSafe: boolean;
  operation: string;
}

interface RetryLimits {
  maxAttempts: number;
  maxRejections: number;
}

const RETRY_BASE_MS = 400;
const RETRY_MAX_MS = 20_000;

/** 5xx statuses that last longer than a retry would wait. A network sends 511 until somebody signs in. */
const LASTING = new Set([501, 505, 511]);

/** Statuses that allow a retry of an idempotent request. */
function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 425 || (status >= 500 && !LASTING.has(status));
}

/**
 * A person cancelled the request, works offline, stopped the sample service, or has not unlocked the keychain, which
 * would ask again at each attempt. The state lasts until a person ends it.
 */
const BY_PERSON: ReadonlySet<ErrorCode> = new Set([
  'CANCELLED',
  'OFFLINE',
  'SAMPLE_STOPPED',
  'KEYCHAIN_FAILED',
]);

/** True if the service or its gateway is unreachable, which counts for the breaker. */
export function isServiceDown(result: Attempt<unknown>): boolean {
  if (result.kind === 'answered') return [502, 503, 504].includes(result.status);
  const { code } = result.error;
  // A file that cannot be read while it is sent says nothing about the service.
  if (BY_PERSON.has(code) || code.startsWith('FILE_')) return false;
  return ERROR_CODES[code].retry !== 'never';
}

/** `spend`: takes a retry from the origin's quota and returns whether there was one. */
export function judge(
  result: Attempt<unknown>,
  history: AttemptHistory,
  limits: RetryLimits,
  random: number,
  spend: () => boolean,
): Verdict {
  const delayMs = backoffMs(history.attempts, random, RETRY_BASE_MS, RETRY_MAX_MS);
  if (result.kind === 'answered') {
    if (result.status === 429) {
      if (history.refusals < limits.maxRejections) return { kind: 'refused' };
      return { kind: 'fail', error: exhausted(result.status, history) };
    }
    if (!isRetryableStatus(result.status) || !history.isRepeatSafe) return { kind: 'settle' };
    if (history.attempts < limits.maxAttempts && spend()) return { kind: 'retry', delayMs };
    return { kind: 'fail', error: exhausted(result.status, history) };
  }
  const error = withOutcome(result.error, result.outcome);
  const mayRepeat = history.isRepeatSafe || result.outcome === 'unsent';
  const mayHelp = !BY_PERSON.has(error.code) && ERROR_CODES[error.code].retry !== 'never';
  if (mayRepeat && mayHelp && history.attempts < limits.maxAttempts && spend())
    return { kind: 'retry', delayMs };
  return { kind: 'fail', error };
}

function withOutcome(error: AppError, outcome: 'unsent' | 'unknown'): AppError {
  if (error.details.outcome !== undefined) return error;
  return new AppError(error.code, error.message, { ...error.details, outcome }, error.cause);
}

function exhausted(status: number, history: AttemptHistory): AppError {
  const details = { status, operation: history.operation, outcome: 'answered' } as const;
  const tries = history.attempts + history.refusals;
  if (status === 429) {
    return new AppError(
      'RATE_LIMITED',
      `The service refused ${history.operation} ${history.refusals} times with 429. Try again later.`,
      details,
    );
  }
  return new AppError(
    status === 503 || status === 502 || status === 504 ? 'SERVICE_UNAVAILABLE' : 'SERVICE_FAILED',
    `Expected an answer to ${history.operation}, got status ${status} in ${tries} attempts. Try again later.`,
    details,
  );
}

/**
 * The retry quota of one origin. Each retry reduces it, and each success restores a little. If many requests fail at
 * once, retries stop long before they burden a service that has problems.
 */
export class RetryQuota {
  #tokens = 100;

  spend(): boolean {
    if (this.#tokens < 5) return false;
    this.#tokens -= 5;
    return true;
  }

  succeed(): void {
    this.#tokens = Math.min(100, this.#tokens + 1);
  }
}
