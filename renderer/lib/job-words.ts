/** A job of the service in words (SERVICE.md F7.6). Pure. */
import { hasJobSucceeded, isJobOver } from '../../electron/shared/job-status.ts';

type JobTone = 'ok' | 'bad' | 'info' | 'off';

const WORDS: Readonly<Record<string, string>> = {
  PENDING: 'Waiting to start',
  STARTED: 'In progress',
  RETRY: 'Retrying',
  SUCCESS: 'Done',
  FAILURE: 'Failed',
  REVOKED: 'Cancelled',
};

/** A status this version has no word for is shown as it came. */
export function jobWords(status: string | null): string {
  if (status === null || status === '') return 'Not known yet';
  return WORDS[status.toUpperCase()] ?? status;
}

export function jobTone(status: string | null): JobTone {
  if (status === null) return 'off';
  if (!isJobOver(status)) return 'info';
  return hasJobSucceeded(status) ? 'ok' : 'bad';
}
