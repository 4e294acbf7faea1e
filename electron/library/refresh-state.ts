/** The state of a refresh, and its outcome. */
import type { StoredList } from '../db/list-store.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { dayText } from '../shared/local-time.ts';
import type { Refresh } from './freshness.ts';

/** The state if nothing is stored and no request is allowed. */
export function notStored(atMs: number, removed: StoredList['removed']): Refresh {
  const reason =
    removed === null
      ? 'This is not stored on this computer. Open it once while the service can be reached.'
      : `This was removed from this computer on ${dayText(removed.atMs)} to stay under ${removed.to}. Open it again while the service can be reached.`;
  const error = new AppError('NOT_STORED', reason);
  return { phase: 'failed', error: error.toWire(), atMs };
}

/** The state after a read threw. A read that is no longer wanted has not failed. */
export function refreshAfter(problem: unknown, signal: AbortSignal, atMs: number): Refresh {
  const reason: unknown = signal.aborted ? signal.reason : problem;
  if (signal.aborted && !(reason instanceof AppError)) return { phase: 'idle' };
  return { phase: 'failed', error: toAppError(reason).toWire(), atMs };
}
