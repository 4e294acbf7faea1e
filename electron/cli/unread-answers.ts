import { AppError } from '../shared/errors.ts';

/** Stopped while it answered: where nobody reads any more, nothing was missed. */
export class UnreadAnswers extends AppError {}
