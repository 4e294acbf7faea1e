/** Status of a task at the service in words (SERVICE.md F7.6). Pure. */
import { taskStatusWords } from '../../electron/shared/constant-words.ts';
import { hasJobSucceeded, isJobOver } from '../../electron/shared/job-status.ts';

type JobTone = 'ok' | 'bad' | 'info' | 'off';

/** A status unknown to this version is shown unchanged. */
export function jobWords(status: string | null): string {
  if (status === null || status === '') return 'Not known yet';
  return taskStatusWords(status);
}

export function jobTone(status: string | null): JobTone {
  if (status === null) return 'off';
  if (!isJobOver(status)) return 'info';
  return hasJobSucceeded(status) ? 'ok' : 'bad';
}
