/** Ids of events that this computer published, as receipts name them, and deletions that took some of them away. */
import { Breather } from '../core/breather.ts';
import { deletionStateOf } from '../core/jobs/deletion.ts';
import { isDeleted, type NamedIds } from '../core/jobs/undo.ts';
import type { Clock } from '../core/ports.ts';
import type { UploadStore } from '../db/upload-store.ts';
import type { UploadPlan } from '../shared/upload-model.ts';
import { namedIds } from './deletion-request.ts';

/** With a deletion in one of these states its events are gone, or will be. */
const COUNTED = new Set(['scheduled', 'sending', 'following', 'done']);

export function isProduction({ envType }: Pick<UploadPlan, 'envType'>): boolean {
  return envType.trim().toUpperCase() === 'PRODUCTION';
}

/** Deletions by id of events of a model. */
export function deletionsByIds({ deletions }: UploadStore, modelId: string): NamedIds[] {
  return deletions.list().flatMap((deletion) => {
    const state = deletionStateOf(deletion.state, deletion.serviceJobId);
    const ids = deletion.modelId === modelId && COUNTED.has(state) ? namedIds(deletion.body) : null;
    if (ids === null) return [];
    const isStillToBeSent = state === 'scheduled' || state === 'sending';
    return [{ atMs: isStillToBeSent ? Number.POSITIVE_INFINITY : deletion.createdAtMs, ids }];
  });
}

/** Ids of published events of a model in PRODUCTION that no deletion named, batch by batch. */
export async function* sentIds(store: UploadStore, modelId: string, clock: Clock): AsyncGenerator<string[]> {
  const breather = new Breather(clock);
  const deletions = deletionsByIds(store, modelId);
  for (const { id: jobId, plan } of store.jobs.list()) {
    if (plan.modelId !== modelId || plan.mode === 'update' || !isProduction(plan)) continue;
    for (const { part, receipt } of store.batches.acknowledged(jobId)) {
      const ids = [...(receipt?.eventIds ?? []), ...(receipt?.looseIds ?? [])].map((id) => id.trim());
      yield ids.filter((id) => id !== '' && !isDeleted(id, part, deletions));
      await breather.pause();
    }
  }
}
