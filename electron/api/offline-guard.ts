/** Blocks a request before any budget or queue is involved, because of a setting of the connection or of the user. */
import { AppError } from '../shared/errors.ts';

export interface GuardDeps {
  isReadOnly: () => boolean;
  /** The "Work offline" switch. */
  isOffline: () => boolean;
  /** The reason why this process works offline, and what to do, in whole sentences. Default: the switch. */
  offlineReason?: string | null;
  /** Aborted, with the reason, when the connection is closed. */
  closing?: AbortSignal;
  /** The reason why no change may be sent; null if changes are allowed. */
  blockingError?: () => AppError | null;
}

/** Throws the error of `sendBlock`; then nothing was sent. */
export function checkMaySend(deps: GuardDeps, asked: { operation: string; isWrite: boolean }): void {
  const error = sendBlock(deps, asked);
  if (error !== null) throw error;
}

/** CANCELLED, READ_ONLY, OFFLINE, or the error of `blockingError`; null if the request may be sent. */
export function sendBlock(
  { closing, isReadOnly, isOffline, offlineReason, blockingError }: GuardDeps,
  { operation, isWrite }: { operation: string; isWrite: boolean },
): AppError | null {
  const details = { operation, outcome: 'unsent' as const };
  if (closing?.aborted === true)
    return new AppError('CANCELLED', `${operation} was not sent: the connection was closed.`, details);
  const refused = isWrite ? (blockingError?.() ?? null) : null;
  if (refused !== null) return refused;
  if (isWrite && isReadOnly()) {
    const message = `${operation} changes data, and this connection is read-only. Switch that off in the connection to send it.`;
    return new AppError('READ_ONLY', message, details);
  }
  if (isOffline()) {
    const reason = offlineReason ?? 'Working offline is switched on. Switch it off to reach the service.';
    return new AppError('OFFLINE', `${operation} was not sent. ${reason}`, details);
  }
  return null;
}
