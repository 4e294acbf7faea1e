/** `damaged`: stored rows of every kind that cannot be read. */
import { type DamagedRow, damagedWords } from '../shared/damaged-rows.ts';
import { AppError } from '../shared/errors.ts';
import { byIdOrOnly, chosenAction } from './choose.ts';
import type { CommandContext } from './context.ts';
import { tableOr } from './output.ts';

const ACTIONS = { remove: ['yes'] };

export async function damaged(context: CommandContext): Promise<void> {
  const [, given] = context.args.positionals;
  const action = chosenAction(context, ACTIONS);
  const { damaged: rows } = await context.session();
  const all = rows.list();
  if (action === undefined) return list(context, all);
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

function list({ output }: CommandContext, all: readonly DamagedRow[]): void {
  const items = all.map(({ atMs, ...row }) => ({
    ...row,
    at: atMs === null ? null : new Date(atMs).toISOString(),
  }));
  output.answer({ items, total: items.length, complete: true, asOf: null }, () =>
    tableOr(
      'Every entry of this computer can be read.',
      items.map((row) => ({ ...row, what: damagedWords(row.kind).noun })),
      ['id', 'what', 'title', 'at', 'reason'],
    ),
  );
}
