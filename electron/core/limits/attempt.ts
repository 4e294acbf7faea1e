import type { AppError } from '../../shared/errors.ts';

/** The rate headers of SERVICE.md S8 as text; the limiter parses them. */
export interface RateHeaders {
  limit: string | null;
  remaining: string | null;
  reset: string | null;
  retryAfter: string | null;
  /** The `Date` header, from which the service's clock is measured. */
  date: string | null;
}

/**
 * The result of one attempt to send a request. `answered` covers every HTTP status; `value` is the answer, parsed or
 * not. `failed` says whether the request may have reached the service: a request that is not idempotent may be retried
 * only after `unsent`.
 */
export type Attempt<T> =
  | { kind: 'answered'; status: number; rate: RateHeaders; value: T }
  | { kind: 'failed'; outcome: 'unsent' | 'unknown'; error: AppError };
