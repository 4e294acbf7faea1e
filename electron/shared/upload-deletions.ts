/** How many rows of an upload were deleted, and for how many this is unknown. Pure. */
import type { UploadDeletion, UploadJob } from './upload-model.ts';

type WithDeletions = Pick<UploadJob, 'deletions' | 'counts'>;

/** Two deletions may have named the same events, so the sum is limited to the acknowledged rows. */
function rowsOf(
  { deletions, counts }: WithDeletions,
  outcomes: readonly UploadDeletion['outcome'][],
): number {
  const chosen = deletions.filter(({ outcome }) => outcomes.includes(outcome));
  return Math.min(
    counts.acknowledged,
    chosen.reduce((sum, { rows }) => sum + rows, 0),
  );
}

/** Rows whose deletion the service or its row counts confirmed. */
export const deletedRows = (job: WithDeletions): number => rowsOf(job, ['deleted']);

/** Rows that are deleted, or whose deletion was accepted. */
export const takenRows = (job: WithDeletions): number => rowsOf(job, ['deleted', 'accepted']);

/** Rows that may or may not be deleted: the deletion has no answer, or nothing confirmed its end yet. */
export const maybeDeletedRows = (job: WithDeletions): number =>
  rowsOf(job, ['deleted', 'accepted', 'going-on', 'unknown']) - deletedRows(job);
