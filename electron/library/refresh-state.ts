/** How a refresh stands and how it ended. */
import { AppError, toAppError } from '../shared/errors.ts';
import type { Refresh } from './freshness.ts';

/** Nothing is stored and nothing may be asked. */
export function notStored(atMs: number): Refresh {
  const error = new AppError(
    'NOT_STORED',
    'This was never read on this computer. Open it once while the service can be reached.',
  );
  return { phase: 'failed', error: error.toWire(), atMs };
}

/** What a read that threw leaves behind: a read that nobody wants any more did not fail. */
export function refreshAfter(problem: unknown, signal: AbortSignal, atMs: number): Refresh {
  const reason: unknown = signal.aborted ? signal.reason : problem;
  if (signal.aborted && !(reason instanceof AppError)) return { phase: 'idle' };
  return { phase: 'failed', error: toAppError(reason).toWire(), atMs };
}
