/** What became of the events of an upload after it: deletions that named them. */
import type { UploadStore } from '../db/upload-store.ts';
import type { UploadDeletion } from '../shared/upload-model.ts';

const WITHOUT_EFFECT = new Set(['FAILURE', 'REVOKED', 'scheduled', 'not-sent', 'cancelled', 'refused']);

/** Those that failed, or were not taken, are left out: the events are there. */
export function deletionsOf(store: UploadStore, jobId: string): UploadDeletion[] {
  return store.deletions
    .ofUpload(jobId)
    .filter(({ status }) => !WITHOUT_EFFECT.has(status))
    .map(({ deletionId, atMs, status, rows }) => ({
      deletionId,
      rows,
      atMs,
      outcome: status === 'SUCCESS' ? 'deleted' : status === 'unknown' ? 'unknown' : 'going-on',
    }));
}
