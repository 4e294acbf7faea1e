/** `damaged`: lists stored rows of all kinds that cannot be read, and removes one. */

import type { Session } from '../engine/session.ts';
import { type DamagedRow, damagedWords } from '../shared/damaged-rows.ts';
import { AppError } from '../shared/errors.ts';
import { byIdOrOnly, chosenAction } from './choose.ts';
import type { CommandContext } from './context.ts';
import { tableOr } from './output.ts';

const ACTIONS = { remove: ['yes'] };

export async function damaged(context: CommandContext): Promise<void> {
  const [, given] = context.args.positionals;
  const action = chosenAction(context, ACTIONS);
  const { damaged: rows, jobs } = await context.session();
  const all = rows.list();
  if (action === undefined) return list(context, all, unreadStores(jobs));
  const choice = {
    all,
    idOf: ({ id }: DamagedRow) => id,
    what: 'damaged entry',
    whats: 'damaged entries',
    fits: all,
  };
  const { kind, id, title } = byIdOrOnly(context, [action, given], choice);
  const { noun, goes } = damagedWords(kind);
  const name = `the ${noun}${title === '' ? '' : ` “${title}”`}`;
  if (!context.args.flag('yes')) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `Nothing was removed. Add --yes to remove ${name} from this computer ${goes}.`,
    );
  }
  rows.remove(kind, id);
  context.output.answer({ id, kind }, () => `Removed ${name} from this computer.`);
}

/** Reasons why stores did not open, without duplicates. Damaged entries of such stores are unknown. */
function unreadStores(jobs: Session['jobs']): string[] {
  const { failures } = jobs.list({ kinds: null, states: null, search: null, limit: 1, offset: 0 });
  return [...new Set(failures.map(({ error }) => error.message))];
}

function list({ output }: CommandContext, all: readonly DamagedRow[], unread: readonly string[]): void {
  for (const reason of unread) output.note(`Not searched for damaged entries: ${reason}`);
  const items = all.map(({ atMs, ...row }) => ({
    ...row,
    at: atMs === null ? null : new Date(atMs).toISOString(),
  }));
  output.answer({ items, total: items.length, complete: unread.length === 0, asOf: null }, () =>
    tableOr(
      unread.length === 0
        ? 'Every entry of this computer can be read.'
        : 'No damaged entry is in the stores that can be read.',
      items.map((row) => ({ ...row, what: damagedWords(row.kind).noun })),
      ['id', 'what', 'title', 'at', 'reason'],
    ),
  );
}
