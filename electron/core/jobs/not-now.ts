/** The error message for an action that the state of a job does not allow. Pure. */
import { AppError } from '../../shared/errors.ts';

/** Readable words for states whose names are not readable. */
const WORDS: Readonly<Record<string, string>> = {
  scheduled: 'planned for later',
  editing: 'not sent yet',
  committing: 'being sent',
  sending: 'being sent',
  publishing: 'being published',
  following: 'being processed by the service',
  reading: 'reading its items',
  waiting: 'waiting for the service',
  'needs-decision': 'waiting for a decision',
};

/** Example: `Cannot resume: this upload is done.` */
export function notNow(action: string, subject: string, state: string): AppError {
  return new AppError('INVALID_ARGUMENT', `Cannot ${action}: ${subject} is ${WORDS[state] ?? state}.`);
}
