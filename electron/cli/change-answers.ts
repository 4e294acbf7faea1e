/** What the command line says of a change: one answer for one record, one line each for several, nothing hidden. */
import { AppError, toAppError } from '../shared/errors.ts';
import type { ActResult, JobState } from '../shared/resource-contract.ts';
import type { CommandContext } from './context.ts';

export interface Changed extends ActResult {
  operation: string;
  /** What the person named; null for a new record. */
  id: string | null;
  /** The job as it ended, where it was waited for. */
  ended?: JobState;
}

/** Sends one change of several. Throws what sending throws. */
export type Change = (id: string) => Promise<Changed>;

/** `created`, `changed`, `deleted`; for a deletion that is not waited for, `deletion started`. */
export type Word = (changed: Changed) => string;

/** One record: its answer, or the failure itself. */
export async function changeOne(
  context: CommandContext,
  word: Word,
  send: () => Promise<Changed>,
): Promise<void> {
  const changed = await send();
  context.output.answer(changed, () => lineOf(changed, word(changed)));
}

/**
 * Several, one after another, each with its line whatever became of it. Throws at the end where any failed; after
 * Ctrl-C the rest is listed as not sent.
 */
export async function changeEach(
  context: CommandContext,
  word: Word,
  operation: string,
  ids: readonly string[],
  send: Change,
): Promise<void> {
  let failed = 0;
  for (const id of ids) {
    try {
      if (context.signal.aborted)
        throw new AppError('CANCELLED', 'Stopped before it was sent.', { outcome: 'unsent' });
      const changed = await send(id);
      context.output.answer(changed, () => lineOf(changed, word(changed)));
    } catch (thrown) {
      failed += 1;
      sayFailed(context, operation, id, toAppError(thrown));
    }
  }
  if (failed === 0) return;
  throw new AppError(
    context.signal.aborted ? 'CANCELLED' : 'HTTP_ERROR',
    `${failed} of ${ids.length} failed; each says why in its line.`,
  );
}

export function sayFailed(context: CommandContext, operation: string, id: string, error: AppError): void {
  const { code, message, details } = error;
  const outcome = details.outcome ?? null;
  context.output.answer(
    { operation, id, error: { code, message, outcome, status: details.status ?? null } },
    () => `${id}  ${code}: ${message.replaceAll('\n', ' ')}`,
  );
}

function lineOf({ id, record, job }: Changed, word: string): string {
  const name = typeof record?.['name'] === 'string' ? `  ${record['name']}` : '';
  const of = id ?? (typeof record?.['id'] === 'string' ? record['id'] : '');
  const rest = job === null ? '' : `  job ${job.id}`;
  const said = `${of}  ${word}${name}${rest}`.trim();
  const hasMore = record !== null && id === null && record['id'] === undefined;
  return hasMore ? `${said}\n${JSON.stringify(record, null, 2)}` : said;
}
