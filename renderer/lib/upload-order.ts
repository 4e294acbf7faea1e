/** In which order uploads send that have not ended. Pure. */
import type { UploadJob } from '../../electron/shared/upload-model.ts';

type Placed = Pick<UploadJob, 'jobId' | 'createdAtMs'>;

/** As they were begun; those that a person placed before the others, as they were placed. */
export function inOrder<J extends Placed>(jobs: readonly J[], order: readonly string[]): J[] {
  const ranks = new Map(order.map((jobId, rank) => [jobId, rank]));
  const rankOf = ({ jobId }: Placed) => ranks.get(jobId) ?? order.length;
  return jobs.toSorted((one, other) => rankOf(one) - rankOf(other) || one.createdAtMs - other.createdAtMs);
}

/** The ids after one of them was moved up (-1) or down (1). */
export function moved(jobs: readonly Placed[], jobId: string, by: -1 | 1): string[] {
  const ids = jobs.map((job) => job.jobId);
  const at = ids.indexOf(jobId);
  const other = ids[at + by];
  if (at < 0 || other === undefined) return ids;
  ids[at] = other;
  ids[at + by] = jobId;
  return ids;
}
