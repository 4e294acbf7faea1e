import type { PartQuery } from '../../../../electron/shared/job-contract.ts';
import type { UploadBatch, UploadJob } from '../../../../electron/shared/upload-model.ts';
import { formatNumber } from '../../../lib/format.ts';
import { jobs } from '../../../state/jobs.svelte.ts';
import { PagedRows } from '../../../state/uploads-paged.svelte.ts';

/**
 * Batches of a job in the given states; null for all. `doubtful`: acknowledged batches with a doubtful
 * receipt.
 */
export function batchesOf(
  { connectionId, jobId }: Pick<UploadJob, 'connectionId' | 'jobId'>,
  states: PartQuery<'upload'>['states'],
): PagedRows<UploadBatch> {
  return new PagedRows((offset, limit) =>
    jobs.parts({ kind: 'upload', id: jobId }, { states, offset, limit }, connectionId),
  );
}

/** A text that changes whenever a batch of the job changed. */
export function batchesVersion({ state, batches, doubtful, counts, requests }: UploadJob): string {
  return [
    // Collecting evidence is the last step and changes no count, so only the state shows that it is available.
    state,
    batches.total,
    batches.acknowledged,
    batches.refused,
    batches.unknown,
    doubtful.batches,
    counts.unsent,
    requests,
  ].join();
}

/** `rows 3,001–4,000`. */
export function rowRange({ firstRow, lastRow }: Pick<UploadBatch, 'firstRow' | 'lastRow'>): string {
  return firstRow === lastRow
    ? `row ${formatNumber(firstRow)}`
    : `rows ${formatNumber(firstRow)}–${formatNumber(lastRow)}`;
}
