/** Makes sure that content sent to the same place before is sent again only if a person wants that. */
import { AppError } from '../shared/errors.ts';
import { isSentBefore, type SentBefore, sentBeforeLines } from '../shared/sent-before.ts';
import type { CommandContext } from './context.ts';

/**
 * Prints earlier uploads of the same content. Throws NEEDS_DECISION if some of their rows still exist, unless `--again`
 * is given. Returns the ids of the printed jobs, so that creating a job is refused if another process began one
 * meanwhile; null with `--again`.
 */
export function askAgain(
  { args, output }: CommandContext,
  before: readonly SentBefore[],
  place: string,
  verb: 'sent' | 'added',
  /** False if the uploads were already printed. */
  says = true,
): string[] | null {
  const lines = sentBeforeLines(before, place, verb);
  if (!isSentBefore(before) || args.flag('again')) {
    if (says) for (const line of lines) output.note(line);
    return args.flag('again') ? null : before.map(({ jobId }) => jobId);
  }
  const rest = before.find(
    ({ rows, acknowledged, unknown }) => verb === 'sent' && acknowledged + unknown < rows,
  );
  const mend =
    rest === undefined || rest.isOpen
      ? ''
      : `Send only the others: export refused-rows ${rest.jobId} --output rows.csv has them. `;
  throw new AppError(
    'NEEDS_DECISION',
    `${says ? lines.join(' ') : 'Rows of this file were sent before.'} Nothing was ${verb}.`,
    {
      nextStep: `${mend}To have these rows there twice, run it again with --again.`,
    },
  );
}
