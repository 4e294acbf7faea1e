/** Ids of events that this computer published, from receipts, and the deletions that removed some of them. */

import { deletionStateOf } from '../core/jobs/deletion.ts';
import { isDeleted, type NamedIds } from '../core/jobs/undo.ts';
import type { Clock } from '../core/ports.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { StoredBatch, UploadStore } from '../db/upload-store.ts';
import { AppError } from '../shared/errors.ts';
import type { UploadPlan } from '../shared/upload-model.ts';
import { namedIds } from './deletion-request.ts';

/** States of a deletion whose events are deleted or will be. */
const COUNTED = new Set(['scheduled', 'paused', 'sending', 'following', 'accepted', 'done']);
/** States of a deletion whose request has no answer yet; a paused one continues with a new token. */
const STILL_TO_BE_SENT = new Set(['scheduled', 'paused', 'sending']);

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
    const atMs = STILL_TO_BE_SENT.has(state) ? Number.POSITIVE_INFINITY : deletion.createdAtMs;
    const ids = namedIds(deletion.body);
    if (ids !== null) byIds.push({ atMs, ids });
    else {
      const jobIds = new Set(deletions.uploadsOf(deletion.id).map(({ jobId }) => jobId));
      byTime.push({ jobIds, named: { atMs, ids: EVERY_ID } });
    }
  }
  return (jobId) => [...byIds, ...byTime.filter(({ jobIds }) => jobIds.has(jobId)).map(({ named }) => named)];
}

const OPEN = ['pending', 'sending', 'unknown'];
const AT_ONCE = 50;

/** Yields batches whose rows the service may have or get: those still to be sent, and those without an answer. */
export function* openBatches({ batches }: UploadStore, jobId: string): Generator<StoredBatch> {
  for (let offset = 0; ; offset += AT_ONCE) {
    const found = batches.list(jobId, OPEN, offset, AT_ONCE);
    yield* found;
    if (found.length < AT_ONCE) return;
  }
}

/**
 * The name of an upload that may have sent one of these events again since `sinceMs`; null if there is none.
 * Throws CANCELLED once `isStopped`.
 */
export async function sentAgainBy(
  store: UploadStore,
  { modelId, ids, sinceMs }: { modelId: string; ids: ReadonlySet<string>; sinceMs: number },
  clock: Clock,
  isStopped: () => boolean,
): Promise<string | null> {
  const slicer = new TimeSlicer(clock);
  const pause = async () => {
    await slicer.pause();
    if (isStopped())
      throw new AppError('CANCELLED', 'The program ended before it was checked what was sent again.');
  };
  const names = (given: readonly string[] | null | undefined) =>
    (given ?? []).some((id) => ids.has(id.trim()));
  for (const { id: jobId, plan, fileName, endedAtMs } of store.jobs.list()) {
    const isOfModel = plan.modelId === modelId && plan.mode === 'publish' && isProduction(plan);
    if (!isOfModel || (endedAtMs !== null && endedAtMs < sinceMs)) continue;
    for (const { part, receipt } of store.batches.readableAcknowledged(jobId)) {
      if ((part.answeredAtMs ?? 0) >= sinceMs && names(receipt?.eventIds ?? part.ownIds)) return fileName;
      await pause();
    }
    for (const batch of openBatches(store, jobId)) {
      if ((batch.sentAtMs ?? 0) >= sinceMs && names(batch.ownIds)) return fileName;
      await pause();
    }
  }
  return null;
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
