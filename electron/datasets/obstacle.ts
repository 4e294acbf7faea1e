import { AppError } from '../shared/errors.ts';
import { type BuildLedger, problemsOf } from './build-ledger.ts';

/** What only a person can change before a build is sent; null where it can be sent. */
export function obstacleOf(ledger: BuildLedger, isReadOnly: boolean): AppError | null {
  const unsent = { outcome: 'unsent' } as const;
  const problems = ledger.core.state === 'editing' ? problemsOf(ledger.stored, ledger.counts()) : [];
  if (problems.length > 0) {
    return new AppError('INVALID_ARGUMENT', `Nothing was sent. ${problems.join(' ')}`, unsent);
  }
  if (!isReadOnly) return null;
  return new AppError(
    'READ_ONLY',
    'Adding items changes data, and this connection is read-only. Switch that off in the connection to send the build.',
    unsent,
  );
}
