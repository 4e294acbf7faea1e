/** Asks the service for a row count and stores the verdict on the unknown batches of a job. */

import { pastMoment } from '../core/moments.ts';
import type { BatchEvidence } from '../shared/upload-model.ts';
import { isJudged, judgeBatches, mayHaveArrived } from './evidence.ts';
import { readSteadyRowCount, valueOrReason } from './row-counts.ts';
import type { UploadOptions, UploadsDeps } from './types.ts';
import type { UploadLedger } from './upload-ledger.ts';

type EvidenceDeps = Pick<UploadsDeps, 'store' | 'client' | 'clock'> & {
  options: Pick<UploadOptions, 'evidenceSettleMs' | 'countPauseMs'>;
  /** Aborted when the connection is closed; no row count is requested afterwards. */
  closing: AbortSignal;
};

/** Returns the current state of the job, because the state read before the request may be outdated. */
interface JobAccess {
  read: () => UploadLedger;
  /** Writes `work` and the job in one transaction. */
  write: (work: () => void) => void;
}

/** Access for a caller that is running the job and holds its ledger. */
export const accessOf = (ledger: UploadLedger): JobAccess => ({
  read: () => ledger,
  write: (work) => ledger.apply([], {}, work),
});

const LATE = ', or rows of unknown batches arrived only now. Ask again';

/** Throws AppError if the service cannot be reached. Nothing is changed then. */
export async function gatherEvidence(deps: EvidenceDeps, access: JobAccess): Promise<void> {
  const { store, client, clock, options, closing } = deps;
  const ledger = access.read();
  const { job } = ledger;
  const unknown = store.batches.list(job.id, ['unknown'], 0, 1_000);
  if (unknown.length === 0) return;
  const before = restingRows(ledger);
  const reading = { client, clock, pauseMs: options.countPauseMs, signal: closing };
  const count = await valueOrReason(
    () => readSteadyRowCount(reading, job.plan, `upload ${job.id}`),
    (reason): Awaited<ReturnType<typeof readSteadyRowCount>> => ({ rowCount: null, reason }),
  );
  const { core } = access.read();
  // A count is conclusive only if no other batch was in flight or acknowledged meanwhile.
  const isMoving = before === null || before !== restingRows({ core });
  const late = mayHaveArrived(unknown, count.movedBy ?? 0);
  const nowMs = clock.nowMs();
  const verdicts = judgeBatches({
    baseline: job.baseline,
    count: isMoving
      ? { rowCount: null, reason: 'other batches of this upload are on their way' }
      : late.size > 0
        ? { rowCount: null, reason: `${count.reason}${LATE}` }
        : count,
    acknowledged: core.tallies.acknowledged.rows,
    others: store.jobs.rowsByOthers(job, job.baseline?.atMs ?? 0),
    unknown,
    latestAcknowledgedMs: store.batches.latestAcknowledgedMs(job.id),
    nowMs,
    settleMs: options.evidenceSettleMs,
  });
  access.write(() => {
    for (const { batch } of unknown) {
      // Read again, because a person may have decided during the request.
      const now = store.batches.get(job.id, batch);
      if (now?.state !== 'unknown') continue;
      const saysNothing =
        isMoving || (count.rowCount === null && (count.hasMoved !== true || isOtherThan(late, batch)));
      const next = verdicts.get(batch) ?? null;
      const evidence = saysNothing && next !== null ? (keptVerdict(now.evidence, next) ?? next) : next;
      // Stored for the next count, which otherwise waits for a time that may be far away.
      const times = {
        sentAtMs: pastMoment(now.sentAtMs, nowMs),
        answeredAtMs: pastMoment(now.answeredAtMs, nowMs),
      };
      store.batches.save(job.id, { ...now, ...times, evidence });
    }
  });
}

const LATER = 'A later count says nothing about it. ';

/** A verdict of an earlier count, with the reason why a later count said nothing about the batch; null if there is none. */
function keptVerdict(earlier: BatchEvidence | null, { facts }: BatchEvidence): BatchEvidence | null {
  if (earlier === null || !isJudged({ evidence: earlier })) return null;
  const known = earlier.facts.filter((fact) => !fact.startsWith(LATER));
  return { ...earlier, facts: [...known, `${LATER}${facts.join(' ')}`] };
}

/** True if the count grew by rows of batches other than this one. */
const isOtherThan = (late: ReadonlySet<number>, batch: number): boolean => late.size > 0 && !late.has(batch);

/** Rows acknowledged so far; null if a batch is in flight. */
function restingRows({ core: { tallies } }: Pick<UploadLedger, 'core'>): number | null {
  return tallies.sending.batches > 0 ? null : tallies.acknowledged.rows;
}
