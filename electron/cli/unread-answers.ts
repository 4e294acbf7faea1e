import { AppError } from '../shared/errors.ts';

/** The reader of the output has gone, so the command was stopped, and that is not a failure. */
export class UnreadAnswers extends AppError {}
