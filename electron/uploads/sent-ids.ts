/** Ids of events that this computer published, as receipts name them, and deletions that took some of them away. */

import { deletionStateOf } from '../core/jobs/deletion.ts';
import { isDeleted, type NamedIds } from '../core/jobs/undo.ts';
import type { Clock } from '../core/ports.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { UploadStore } from '../db/upload-store.ts';
import type { UploadPlan } from '../shared/upload-model.ts';
import { namedIds } from './deletion-request.ts';

/** With a deletion in one of these states its events are gone, or will be. */
const COUNTED = new Set(['scheduled', 'sending', 'following', 'accepted', 'done']);

export function isProduction({ envType }: Pick<UploadPlan, 'envType'>): boolean {
  return envType.trim().toUpperCase() === 'PRODUCTION';
}

/** Of a deletion by time that took a whole upload back. */
const EVERY_ID: NamedIds['ids'] = { has: () => true };

/** Deletions of events of a model, for each of its uploads: those by id, and those by time that took it back. */
export function deletionsOf({ deletions }: UploadStore, modelId: string): (jobId: string) => NamedIds[] {
  const byIds: NamedIds[] = [];
  const byTime: { jobIds: ReadonlySet<string>; named: NamedIds }[] = [];
  for (const deletion of deletions.list()) {
    const state = deletionStateOf(deletion.state, deletion.serviceJobId);
    if (deletion.modelId !== modelId || !COUNTED.has(state)) continue;
    const isStillToBeSent = state === 'scheduled' || state === 'sending';
    const atMs = isStillToBeSent ? Number.POSITIVE_INFINITY : deletion.createdAtMs;
    const ids = namedIds(deletion.body);
    if (ids !== null) byIds.push({ atMs, ids });
    else {
      const jobIds = new Set(deletions.uploadsOf(deletion.id).map(({ jobId }) => jobId));
      byTime.push({ jobIds, named: { atMs, ids: EVERY_ID } });
    }
  }
  return (jobId) => [...byIds, ...byTime.filter(({ jobIds }) => jobIds.has(jobId)).map(({ named }) => named)];
}

/** Ids of published events of a model in PRODUCTION that no deletion named, batch by batch. */
export async function* sentIds(store: UploadStore, modelId: string, clock: Clock): AsyncGenerator<string[]> {
  const slicer = new TimeSlicer(clock);
  const deletions = deletionsOf(store, modelId);
  for (const { id: jobId, plan } of store.jobs.list()) {
    if (plan.modelId !== modelId || plan.mode === 'update' || !isProduction(plan)) continue;
    const ofUpload = deletions(jobId);
    for (const { part, receipt } of store.batches.acknowledged(jobId)) {
      const ids = [...(receipt?.eventIds ?? []), ...(receipt?.looseIds ?? [])].map((id) => id.trim());
      yield ids.filter((id) => id !== '' && !isDeleted(id, part, ofUpload));
      await slicer.pause();
    }
  }
}
