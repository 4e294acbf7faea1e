/** What becomes of a file that is sent whole. Pure. */
import type { StoredWholeFile } from '../db/whole-file-store.ts';
import { AppError } from '../shared/errors.ts';
import { hasJobSucceeded } from '../shared/job-status.ts';
import type { JobState } from '../shared/resource-contract.ts';
import type { WholeFile } from '../shared/whole-file-contract.ts';
import { partsOf } from './whole-file-sending.ts';

/** What a look at its job changes; null where nothing. */
export function afterLook(file: StoredWholeFile, job: JobState): Partial<StoredWholeFile> | null {
  const { progress } = job;
  const jobStatus = job.status ?? file.jobStatus;
  if (!job.isOver) {
    const isSame = jobStatus === file.jobStatus && progress === file.progress;
    return job.error !== null || isSame ? null : { jobStatus, progress };
  }
  // A job that the service does not know any more says nothing of what it did.
  if (job.error !== null) return { state: 'unknown', jobStatus, error: job.error };
  if (hasJobSucceeded(jobStatus)) return { state: 'done', jobStatus, progress: 100 };
  const text = `The service’s job ended as ${jobStatus ?? 'unknown'}. ${job.errorMessage ?? ''}`.trim();
  return { state: 'failed', jobStatus, error: new AppError('SERVICE_FAILED', text).toWire() };
}

/** Until publishing was asked for nothing can have been published; after that only what surely did not leave. */
export function stateAfter(
  { state }: StoredWholeFile,
  { details }: AppError,
  isAborted: boolean,
  isStopped: boolean,
): StoredWholeFile['state'] {
  const { outcome, status } = details;
  const isRefused = status !== undefined && status >= 400 && status < 500;
  if (state === 'publishing' && outcome !== 'unsent' && !isRefused) return 'unknown';
  if (!isAborted) return 'failed';
  return isStopped ? 'interrupted' : 'cancelled';
}

/** A file that the service's job could not read would not be read the second time either. */
export function againOf({ state, jobId, file }: StoredWholeFile): WholeFile['again'] {
  const isEnded = state === 'failed' || state === 'interrupted' || state === 'cancelled';
  if (!isEnded || jobId !== null) return null;
  return file === null ? 'send' : 'publish';
}

export function refused(verb: string, { name, state }: StoredWholeFile): AppError {
  return new AppError('INVALID_ARGUMENT', `${name} cannot be ${verb}: it is ${state}.`);
}

export function toView(stored: StoredWholeFile): WholeFile {
  const { path: _, mtimeMs: __, partBytes, processId: ___, ...view } = stored;
  const parts = partsOf(view.sizeBytes, partBytes);
  const bytesSent = Math.min(view.sizeBytes, view.partsSent * partBytes);
  return { ...view, parts, bytesSent, again: againOf(stored) };
}
