import { AppError } from '../shared/errors.ts';

/** Stopped while printing answers. Not a failure if the reader of the output has gone, because nothing was missed. */
export class UnreadAnswers extends AppError {}
