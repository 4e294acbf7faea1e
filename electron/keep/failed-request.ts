/** Distinguishes failures of one kept list from those of every request. Pure. */
import type { AppError, ErrorCode } from '../shared/errors.ts';

/** Statuses of an answer to one request: no such record, a missing permission, a query too long or not possible. */
const STATUSES: ReadonlySet<number> = new Set([
  400, 403, 404, 405, 406, 409, 410, 413, 414, 422, 431, 451, 500, 501,
]);
const CODES: ReadonlySet<ErrorCode> = new Set(['ANSWER_INVALID', 'ANSWER_TOO_LARGE', 'INVALID_ARGUMENT']);
/** Sent by a network that requires a sign-in, instead of every answer. */
const NETWORK_SIGN_IN = 511;

/** True if other requests may well succeed, and a repetition would fail in the same way. */
export function isOfRequest({ code, details: { status } }: AppError): boolean {
  return (status !== undefined && STATUSES.has(status)) || CODES.has(code);
}

/** True if either the service is busy, or one query takes longer than the service or a proxy allows. */
export function mayBeOfRequest({ code, details: { status, outcome } }: AppError): boolean {
  if (status !== undefined) return status === 408 || (status > 500 && status !== NETWORK_SIGN_IN);
  return (code === 'TIMEOUT' || code === 'CONNECTION_LOST') && outcome !== 'unsent';
}
