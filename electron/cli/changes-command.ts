/** `changes`: bulk deletions and changes that were started on this computer. */
import { isBulkOver } from '../core/jobs/bulk-act.ts';
import type { Session } from '../engine/session.ts';
import type { BulkAct } from '../shared/bulk-contract.ts';
import { answerChange, changeLine } from './bulk-answers.ts';
import { byIdOrOnly, chosenAction } from './choose.ts';
import { checkForgetting } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { noteDamaged } from './damaged-notes.ts';
import { followBulk } from './follow-bulk.ts';
import { readable } from './human-text.ts';
import { tableOr } from './output.ts';
import { startAtOf } from './planned-start.ts';

const ACTIONS = { resume: ['start-at', 'no-wait'], stop: [], forget: ['yes'] };

export async function changes(context: CommandContext): Promise<void> {
  const [, given] = context.args.positionals;
  const action = chosenAction(context, ACTIONS);
  const session = await context.session();
  if (action === undefined) {
    noteDamaged(context, session, 'bulk');
    return list(context, session);
  }
  const { bulk } = session;
  const all = bulk.list();
  const fits = action === 'forget' ? all.filter(({ state }) => isBulkOver(state)) : all;
  const choice = { all, idOf: ({ bulkId }: BulkAct) => bulkId, what: 'change', fits };
  const act = byIdOrOnly(context, [action, given], choice);
  const id = act.bulkId;
  await session.jobs.whenJudged('bulk', id);
  switch (action) {
    case 'resume':
      return followBulk(context, session, resume(context, session, act));
    case 'stop':
      bulk.control(id, 'stop', null);
      return answerChange(context, await bulk.whenIdle(id));
    case 'forget':
      checkForgetting(context, `what became of each record of “${act.words.title}”`);
      bulk.forget(id);
      return context.output.answer({ id }, () => `Dismissed: ${act.words.title}.`);
  }
}

/** Schedules the change with --start-at; otherwise starts a planned one, and sends failed or remaining records. */
function resume(context: CommandContext, { bulk }: Session, { bulkId, state }: BulkAct): BulkAct {
  const startAtMs = startAtOf(context);
  if (startAtMs !== null) return bulk.control(bulkId, 'schedule', startAtMs);
  if (state === 'scheduled') return bulk.control(bulkId, 'start', null);
  const isOver = state === 'stopped' || state === 'done';
  // A change that was running when its process was killed is paused by the next program that opens the folder.
  return bulk.control(bulkId, isOver ? 'retry' : 'resume', null);
}

function list({ output }: CommandContext, { bulk }: Session): void {
  const items = bulk.list().map(changeLine);
  output.answer({ items, total: items.length, complete: true, asOf: null }, () =>
    tableOr('No change of several records on this connection.', items.map(readable), [
      'id',
      'what',
      'state',
      'done',
      'failed',
      'changed',
      'unknown',
      'left',
      'total',
    ]),
  );
}
