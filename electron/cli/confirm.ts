/** Permanent deletions require --yes. Without it, the command prints what would be deleted, and fails. */
import type { OperationId } from '../api/endpoints.ts';
import { AppError } from '../shared/errors.ts';
import type { TrafficPlan } from '../shared/traffic-model.ts';
import type { CommandContext } from './context.ts';
import { planLine, planOf, startAtOf } from './planned-start.ts';

/** A deletion at the service that is not confirmed yet. */
interface Doomed {
  operation: OperationId;
  requests: number;
  /** The answer with --json, given the cost of the deletion. */
  answer: (plan: TrafficPlan) => object;
  /** The records to delete, as lines for a person. */
  lines: readonly string[];
  /** The object of "Add --yes to delete it."; null if nothing is left to be deleted. */
  what: string | null;
}

/** Whether the deletion is only described: without --yes, or with --plan. */
export function isPreview({ args }: CommandContext): boolean {
  return args.flag('plan') || !args.flag('yes');
}

/**
 * Prints what would be deleted, and the cost. Throws unless --plan was given, so that no script takes the deletion for
 * done.
 */
export async function sayDoomed(
  context: CommandContext,
  { operation, requests, answer, lines, what }: Doomed,
): Promise<void> {
  const plan = await planOf(context, [{ operation, count: requests }], startAtOf(context));
  const isPlan = context.args.flag('plan');
  context.output.answer(answer(plan), () => [
    ...lines,
    planLine(plan),
    ...(isPlan ? ['Nothing was sent.'] : []),
  ]);
  if (isPlan) return;
  const next = what === null ? '' : ` Add --yes to delete ${what}.`;
  throw new AppError('INVALID_ARGUMENT', `Nothing was deleted.${next}`);
}

/** Throws STORE_FAILED if a copy of the data folder is open, where a change would not be saved. */
export function checkSaved({ engine }: { engine: Pick<CommandContext['engine'], 'copyNotice'> }): void {
  if (engine.copyNotice !== null) throw new AppError('STORE_FAILED', engine.copyNotice);
}

/**
 * Throws INVALID_ARGUMENT without --yes, because data that exists only on this computer cannot be read again. Throws
 * STORE_FAILED if the folder cannot be written, because nothing would be forgotten.
 */
export function checkForgetting(
  context: Parameters<typeof checkSaved>[0] & { args: Pick<CommandContext['args'], 'flag'> },
  what: string,
): void {
  if (!context.args.flag('yes'))
    throw new AppError('INVALID_ARGUMENT', `Nothing was forgotten. Add --yes to forget ${what}.`);
  checkSaved(context);
}
