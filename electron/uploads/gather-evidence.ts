/** Asks the service for a row count and stores what it says about the unknown batches of a job. */
import { isJudged, judgeBatches } from './evidence.ts';
import { orWhy, readRowCount } from './row-counts.ts';
import type { UploadOptions, UploadsDeps } from './types.ts';
import type { UploadLedger } from './upload-ledger.ts';

/** Throws AppError where the service cannot be reached; then nothing is changed. */
export async function gatherEvidence(
  deps: Pick<UploadsDeps, 'store' | 'client' | 'clock'> & { options: UploadOptions },
  ledger: UploadLedger,
): Promise<void> {
  const { store, client, clock, options } = deps;
  const { job } = ledger;
  const unknown = store.batches.list(job.id, ['unknown'], 0, 1_000);
  if (unknown.length === 0) return;
  const before = restingRows(ledger);
  const count = await orWhy(
    () => readRowCount(client, job.plan, `upload ${job.id}`),
    (why): { rowCount: number | null; why: string } => ({ rowCount: null, why }),
  );
  // A count says something of what is unknown only where all else stands still meanwhile.
  const isMoving = before === null || before !== restingRows(ledger);
  const verdicts = judgeBatches({
    baseline: job.baseline,
    count: isMoving ? { rowCount: null, why: 'other batches of this upload are on their way' } : count,
    acknowledged: ledger.core.tallies.acknowledged.rows,
    others: store.jobs.rowsByOthers(job, job.baseline?.atMs ?? 0),
    unknown,
    latestAcknowledgedMs: store.batches.latestAcknowledgedMs(job.id),
    nowMs: clock.nowMs(),
    settleMs: options.evidenceSettleMs,
  });
  ledger.apply([], {}, () => {
    for (const { batch } of unknown) {
      // Read again: it may have been decided while the service was asked.
      const now = store.batches.get(job.id, batch);
      // What an earlier count told stays told.
      if (now?.state === 'unknown' && !(isMoving && isJudged(now)))
        store.batches.save(job.id, { ...now, evidence: verdicts.get(batch) ?? null });
    }
  });
}

/** Rows acknowledged so far; null while a batch is on its way. */
function restingRows({ core: { tallies } }: UploadLedger): number | null {
  return tallies.sending.batches > 0 ? null : tallies.acknowledged.rows;
}
