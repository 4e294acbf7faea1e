/** `changes`: deletions and changes of several records, begun here or in the window. */
import type { Session } from '../engine/session.ts';
import type { BulkAct } from '../shared/bulk-contract.ts';
import { AppError } from '../shared/errors.ts';
import { answerChange, changeLine } from './bulk-answers.ts';
import type { CommandContext } from './context.ts';
import { followBulk } from './follow-bulk.ts';
import { table } from './output.ts';
import { startAtOf } from './planned-start.ts';

const ACTIONS = ['resume', 'stop', 'forget'] as const;

export async function changes(context: CommandContext): Promise<void> {
  const [typed, id] = context.args.positionals;
  const session = await context.session();
  if (typed === undefined) return list(context, session);
  const action = ACTIONS.find((each) => each === typed);
  if (action === undefined) {
    throw new AppError('INVALID_ARGUMENT', `changes expects resume, stop or forget, got ${typed}.`);
  }
  if (id === undefined) throw new AppError('INVALID_ARGUMENT', `changes ${action} expects ID.`);
  const { bulk } = session;
  const act = bulk.get(id);
  switch (action) {
    case 'resume':
      return followBulk(context, session, goOn(context, session, act));
    case 'stop':
      bulk.control(id, 'stop', null);
      return answerChange(context, await bulk.whenIdle(id));
    case 'forget':
      bulk.forget(id);
      return context.output.answer({ id }, () => `Put away: ${act.words.title}.`);
  }
}

/** With --start-at it is planned; without, what is planned begins and what failed or was left is sent again. */
function goOn(context: CommandContext, { bulk }: Session, { bulkId, state }: BulkAct): BulkAct {
  const startAtMs = startAtOf(context);
  if (startAtMs !== null) return bulk.control(bulkId, 'schedule', startAtMs);
  if (state === 'scheduled') return bulk.control(bulkId, 'start', null);
  const isOver = state === 'stopped' || state === 'done';
  // Killed while it was under way, it is paused by the next program that opens the folder.
  return bulk.control(bulkId, isOver ? 'retry' : 'resume', null);
}

function list({ output }: CommandContext, { bulk }: Session): void {
  const items = bulk.list().map(changeLine);
  output.answer({ items, total: items.length, complete: true, asOf: null }, () =>
    table(items, ['id', 'what', 'state', 'done', 'failed', 'unknown', 'left', 'total']),
  );
}
