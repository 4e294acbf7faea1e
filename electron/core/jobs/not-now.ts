/** The words of a job that cannot do what was asked in the state it is in. Pure. */
import { AppError } from '../../shared/errors.ts';

/** Where the name of a state is not a word that a person would use. */
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

/** `Cannot resume: this upload is done.` */
export function notNow(action: string, subject: string, state: string): AppError {
  return new AppError('INVALID_ARGUMENT', `Cannot ${action}: ${subject} is ${WORDS[state] ?? state}.`);
}
