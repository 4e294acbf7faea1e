/** The command line's output about a change of one record. */
import type { AppError } from '../shared/errors.ts';
import type { ActResult, JobState } from '../shared/resource-contract.ts';
import type { CommandContext } from './context.ts';
import { jsonText } from './terminal-text.ts';

export interface Changed extends ActResult {
  operation: string;
  /** The id that the person gave; null for a new record. */
  id: string | null;
  /** The ended job of the service, if the command waited for it. */
  ended?: JobState;
}

/**
 * Word for the result: `created`, `changed`, `deleted`, or `deletion started` if the command does not wait for the
 * deletion.
 */
type Word = (changed: Changed) => string;

/** Changes one record: prints its answer, or throws the failure. */
export async function changeOne(
  context: CommandContext,
  word: Word,
  send: () => Promise<Changed>,
): Promise<void> {
  const changed = await send();
  context.output.answer(changed, () => linesOf(changed, word(changed)));
}

export function sayFailed(context: CommandContext, operation: string, id: string, error: AppError): void {
  const { code, message, details } = error;
  const outcome = details.outcome ?? null;
  context.output.answer(
    { operation, id, error: { code, message, outcome, status: details.status ?? null } },
    () => [`${id}  ${code}: ${message}`],
  );
}

function linesOf({ id, record, job }: Changed, word: string): string[] {
  const name = typeof record?.['name'] === 'string' ? `  ${record['name']}` : '';
  const of = id ?? (typeof record?.['id'] === 'string' ? record['id'] : '');
  const rest = job === null ? '' : `  job ${job.id}`;
  const said = `${of}  ${word}${name}${rest}`.trim();
  const hasMore = record !== null && id === null && record['id'] === undefined;
  return hasMore ? [said, ...jsonText(record, 2).split('\n')] : [said];
}
