import { AppError } from '../shared/errors.ts';
import type { LaneState } from './queued-request.ts';
import type { PauseReason } from './types.ts';

/**
 * The reason why an interactive request cannot wait in a lane: the connection is offline, its token is rejected, or the
 * service is down. Null if it can wait. While a probe request is in flight, other requests wait for its result.
 */
export function blockingErrorOf(lane: LaneState, paused: PauseReason | null, nowMs: number): AppError | null {
  const { operation } = lane.key;
  const details = { operation, outcome: 'unsent' } as const;
  if (paused === 'user') {
    const message = `${operation} was not sent: its lane is paused. Resume it in Requests.`;
    return new AppError('PAUSED', message, details);
  }
  if (paused === 'offline') {
    return new AppError('OFFLINE', `${operation} was not sent: this connection works offline.`, details);
  }
  if (paused === 'unauthorized') {
    const message = `${operation} was not sent: the service does not accept the token. Replace the token.`;
    return new AppError('UNAUTHORIZED', message, details);
  }
  const { breaker } = lane.origin;
  const decision = breaker.decide(nowMs);
  if (decision.kind !== 'wait' || !Number.isFinite(decision.untilMs)) return null;
  const cause = breaker.lastError;
  const message =
    cause?.message ?? 'The service answered several requests in a row that it is not available.';
  return new AppError(cause?.code ?? 'SERVICE_UNAVAILABLE', message, { ...cause?.details, ...details });
}
