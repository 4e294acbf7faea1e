/** Order in which unfinished uploads are sent. Pure. */
import type { UploadJob } from '../../electron/shared/upload-model.ts';

type Placed = Pick<UploadJob, 'jobId' | 'createdAtMs'>;

/**
 * The uploads in the order of their creation, preceded by those that the user moved to the front, in the user's order.
 */
export function inOrder<J extends Placed>(jobs: readonly J[], order: readonly string[]): J[] {
  const ranks = new Map(order.map((jobId, rank) => [jobId, rank]));
  const rankOf = ({ jobId }: Placed) => ranks.get(jobId) ?? order.length;
  return jobs.toSorted((one, other) => rankOf(one) - rankOf(other) || one.createdAtMs - other.createdAtMs);
}

/** The ids after moving one upload up (-1) or down (1). */
export function moved(jobs: readonly Placed[], jobId: string, by: -1 | 1): string[] {
  const ids = jobs.map((job) => job.jobId);
  const at = ids.indexOf(jobId);
  const other = ids[at + by];
  if (at < 0 || other === undefined) return ids;
  ids[at] = other;
  ids[at + by] = jobId;
  return ids;
}
