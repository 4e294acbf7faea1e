import { AppError } from '../shared/errors.ts';

/**
 * The command was stopped while it printed answers. Not a failure if the reader of the output has gone, because nobody
 * misses them.
 */
export class UnreadAnswers extends AppError {}
