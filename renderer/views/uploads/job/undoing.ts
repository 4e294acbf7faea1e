/** The deletions that undo an upload, for its view. Reactive if read in a template. */
import { takenRows } from '../../../../electron/shared/upload-deletions.ts';
import type { EventDeletion, UploadJob } from '../../../../electron/shared/upload-model.ts';
import { deletionOutcome } from '../../../lib/upload-words.ts';
import { jobs } from '../../../state/jobs.svelte.ts';

interface Undoing {
  /** Deletions that are planned, paused or running. */
  open: EventDeletion[];
  /** Deletions whose completion the service confirmed. */
  ended: EventDeletion[];
  /** Deletions that the service accepted without confirming their completion. */
  accepted: EventDeletion[];
  /** Deletions that failed, or whose outcome is unknown. */
  stuck: EventDeletion[];
}

export function undoingOf({ jobId }: Pick<UploadJob, 'jobId'>): Undoing {
  const own = jobs.of('deletion').filter(({ uploads }) => uploads.some((each) => each.jobId === jobId));
  const of = (...outcomes: ReturnType<typeof deletionOutcome>[]) =>
    own.filter((each) => outcomes.includes(deletionOutcome(each)));
  return {
    open: of('scheduled', 'going-on', 'paused'),
    ended: of('deleted'),
    accepted: of('accepted'),
    stuck: of('failed', 'unknown'),
  };
}

/** Whether some stored rows of an upload can be deleted, and none are being sent. */
export function mayUndo(job: UploadJob): boolean {
  return (
    takenRows(job) < job.counts.acknowledged &&
    job.plan.mode === 'publish' &&
    !['running', 'waiting'].includes(job.state)
  );
}
