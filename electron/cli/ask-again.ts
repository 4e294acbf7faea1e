/** Content that was sent to the same place before is sent again only if a person says so. */
import { AppError } from '../shared/errors.ts';
import { isSentBefore, type SentBefore, sentBeforeLines } from '../shared/sent-before.ts';
import type { CommandContext } from './context.ts';

/**
 * Prints earlier uploads of the same content. Throws NEEDS_DECISION if some of it still exists, unless `--again` is
 * given. Returns the ids of the named jobs, so that creating a job refuses one that another process began meanwhile; null
 * with `--again`.
 */
export function askAgain(
  { args, output }: CommandContext,
  before: readonly SentBefore[],
  place: string,
  verb: 'sent' | 'added',
): string[] | null {
  const lines = sentBeforeLines(before, place, verb);
  if (!isSentBefore(before) || args.flag('again')) {
    for (const line of lines) output.note(line);
    return args.flag('again') ? null : before.map(({ jobId }) => jobId);
  }
  throw new AppError('NEEDS_DECISION', `${lines.join(' ')} Nothing was ${verb}.`, {
    nextStep: `To have these rows there twice, run it again with --again.`,
  });
}
