/** Ids of events that this computer published, from receipts, and the deletions that removed some of them. */

import { deletionStateOf } from '../core/jobs/deletion.ts';
import { isDeleted, type NamedIds } from '../core/jobs/undo.ts';
import type { Clock } from '../core/ports.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { UploadStore } from '../db/upload-store.ts';
import type { UploadPlan } from '../shared/upload-model.ts';
import { namedIds } from './deletion-request.ts';

/** States of a deletion whose events are deleted or will be. */
const COUNTED = new Set(['scheduled', 'sending', 'following', 'accepted', 'done']);

export function isProduction({ envType }: Pick<UploadPlan, 'envType'>): boolean {
  return envType.trim().toUpperCase() === 'PRODUCTION';
}

/** Stands for the ids of a deletion by time that undid a whole upload. */
const EVERY_ID: NamedIds['ids'] = { has: () => true };

/** The state of a deletion whose events may be gone. */
const UNANSWERED = new Set(['unknown']);

/** Returns, for each upload of a model, the deletions of its events: those by id, and those by time that undid it. */
export function deletionsOf(store: UploadStore, modelId: string): (jobId: string) => NamedIds[] {
  return deletionsIn(COUNTED, store, modelId);
}

/** Deletions without an answer: it is unknown whether they deleted their events. */
export function unansweredDeletionsOf(store: UploadStore, modelId: string): (jobId: string) => NamedIds[] {
  return deletionsIn(UNANSWERED, store, modelId);
}

function deletionsIn(
  states: ReadonlySet<string>,
  { deletions }: UploadStore,
  modelId: string,
): (jobId: string) => NamedIds[] {
  const byIds: NamedIds[] = [];
  const byTime: { jobIds: ReadonlySet<string>; named: NamedIds }[] = [];
  for (const deletion of deletions.list()) {
    const state = deletionStateOf(deletion.state, deletion.serviceJobId);
    if (deletion.modelId !== modelId || !states.has(state)) continue;
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

/** Yields ids of a model's published events in PRODUCTION that no deletion named, batch by batch. */
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
