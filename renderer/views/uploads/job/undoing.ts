/** Deletions that take an upload back, as its page shows them. Reactive when read in a template. */
import type { EventDeletion, UploadJob } from '../../../../electron/shared/upload-model.ts';
import { takenRows } from '../../../lib/undo-words.ts';
import { deletionOutcome } from '../../../lib/upload-words.ts';
import { jobs } from '../../../state/jobs.svelte.ts';

interface Undoing {
  /** Those that are planned or at work. */
  open: EventDeletion[];
  /** Those whose end the service confirmed. */
  ended: EventDeletion[];
  /** Those that the service accepted, and of whose end it says nothing. */
  accepted: EventDeletion[];
  /** Those that failed, or whose answer was lost. */
  stuck: EventDeletion[];
}

export function undoingOf({ jobId }: Pick<UploadJob, 'jobId'>): Undoing {
  const own = jobs.of('deletion').filter(({ uploads }) => uploads.some((each) => each.jobId === jobId));
  const of = (...outcomes: ReturnType<typeof deletionOutcome>[]) =>
    own.filter((each) => outcomes.includes(deletionOutcome(each)));
  return {
    open: of('scheduled', 'going-on'),
    ended: of('deleted'),
    accepted: of('accepted'),
    stuck: of('failed', 'unknown'),
  };
}

/** Something of it is stored that can be deleted, and nothing of it is being sent. */
export function mayUndo(job: UploadJob): boolean {
  return (
    takenRows(job) < job.counts.acknowledged &&
    job.plan.mode === 'publish' &&
    !['running', 'waiting'].includes(job.state)
  );
}
