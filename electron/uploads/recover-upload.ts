/** Brings an upload whose process ended, for example by `kill -9`, into a state from which it can continue. */

import type { UploadStore } from '../db/upload-store.ts';
import { AppError } from '../shared/errors.ts';
import type { BatchState } from '../shared/upload-model.ts';
import type { UploadLedger } from './upload-ledger.ts';

/**
 * Batches that the process left in flight have an unknown outcome; those of updates can be sent again. Returns false if
 * it left nothing to recover.
 */
export function recoverUpload(store: UploadStore, ledger: UploadLedger, nowMs: number): boolean {
  const { id: jobId, plan } = ledger.job;
  const left = store.batches.list(jobId, ['sending'], 0, 1_000);
  const { state, isCancelling } = ledger.core;
  const isInterrupted = state === 'running' || state === 'waiting' || isCancelling;
  if (left.length === 0 && !isInterrupted) return false;
  const to: BatchState = plan.mode === 'publish' ? 'unknown' : 'pending';
  const reason = 'It was interrupted: the program that was sending it ended.';
  const error = new AppError('CONNECTION_LOST', 'The program ended before the answer came.', {
    outcome: 'unknown',
  }).toWire();
  ledger.apply(
    [
      ...left.map((batch) => ({ type: 'batch' as const, from: 'sending' as const, to, rows: batch.rows })),
      ...(isInterrupted ? [{ type: 'interrupt' as const, reason }] : []),
      ...(isCancelling ? [{ type: 'cancel' as const }] : []),
    ],
    {},
    () => {
      const target = isCancelling && to === 'pending' ? 'cancelled' : to;
      for (const batch of left) {
        store.batches.save(jobId, {
          ...batch,
          state: target,
          answeredAtMs: nowMs,
          error: to === 'unknown' ? error : null,
        });
      }
      if (isCancelling) store.batches.moveAll(jobId, 'pending', 'cancelled');
    },
  );
  return true;
}
