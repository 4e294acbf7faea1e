/** Waits for an asynchronous job of the service to end, with its progress on standard error. */
import { AppError, fromWire, isUnknownToService } from '../shared/errors.ts';
import { hasJobSucceeded } from '../shared/job-status.ts';
import type { JobState } from '../shared/resource-contract.ts';
import type { CommandContext } from './context.ts';
import { createWaiter } from './waiter.ts';

const VIEW = 'command line';

/**
 * Returns the ended job, or null, with a note, if the service never reported it although it accepted the request.
 * Throws SERVICE_FAILED if the job failed, NOT_FOUND if the service no longer knows it, and CANCELLED after Ctrl-C,
 * when the job continues without being watched.
 */
export async function followTask(context: CommandContext, jobId: string): Promise<JobState | null> {
  const { resources } = await context.session();
  const waiter = createWaiter(context.signal);
  let latest: JobState | null = null;
  let said = '';
  const stop = context.listen('resources:job-changed', ({ job }) => {
    if (job.jobId !== jobId) return;
    latest = job;
    const problem = job.error === null ? '' : `job not read, ${job.error.code}: ${job.error.message}`;
    if (problem !== '' && problem !== said && !job.isOver)
      context.output.note(`${problem} Spandeck asks again.`);
    said = problem;
    context.output.progress(progressOf(job));
    waiter.wake();
  });
  try {
    let state: JobState = resources.watchJob({ viewId: VIEW, jobId });
    while (!state.isOver) {
      if (context.signal.aborted) {
        throw new AppError('CANCELLED', `Stopped waiting. Job ${jobId} continues at the service.`, {
          nextStep: `Look at it with: get jobs ${jobId}`,
        });
      }
      await waiter.next();
      state = latest ?? state;
    }
    if (state.checkedAtMs === null && state.error !== null && isUnknownToService(fromWire(state.error))) {
      context.output.note(`The service accepted this, but does not report the state of job ${jobId}.`);
      return null;
    }
    return checked(state);
  } finally {
    stop();
    waiter.end();
    resources.release(VIEW);
  }
}

function checked(job: JobState): JobState {
  if (hasJobSucceeded(job.status)) return job;
  if (job.error !== null) throw fromWire(job.error);
  const reason = job.errorMessage === null ? '' : ` ${job.errorMessage}`;
  throw new AppError('SERVICE_FAILED', `Job ${job.jobId} ended as ${job.status ?? 'unknown'}.${reason}`);
}

function progressOf({ name, jobId, status, progress }: JobState): string {
  return `${name ?? jobId}: ${status ?? 'asked'}${progress === null ? '' : ` ${Math.round(progress)} %`}`;
}
