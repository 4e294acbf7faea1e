/** `profile RESOURCE [ID]`: the shape of the columns of a stored list. */
import type { ColumnProfile, ListProfile } from '../shared/analysis-model.ts';
import { AppError } from '../shared/errors.ts';
import type { ListQuery } from '../shared/model.ts';
import { chosenList } from './chosen-list.ts';
import type { CommandContext } from './context.ts';
import { counted, numberText } from './human-text.ts';
import { table } from './output.ts';
import { readList } from './read-library.ts';
import { createWaiter } from './waiter.ts';

export async function profile(context: CommandContext): Promise<void> {
  const query = await chosenList(context);
  if (context.args.isAll && !context.args.isOffline) await readList(context, query, Number.POSITIVE_INFINITY);
  let found = await exactProfile(context, query);
  if (found === null && !context.args.isOffline) {
    await readList(context, query, 1);
    found = await exactProfile(context, query);
  }
  if (found === null)
    throw new AppError('NOT_STORED', 'This was never read on this computer. Run it once without --offline.');
  const { columns, storedRows, totalRows } = found;
  context.output.answer(
    { items: columns, total: columns.length, complete: true, storedRows, totalRows },
    () => text(columns, storedRows, totalRows),
  );
}

/** A long list is prepared first: until then only a sample is known. */
async function exactProfile(context: CommandContext, query: ListQuery): Promise<ListProfile | null> {
  const { library } = await context.session();
  const waiter = createWaiter(context.signal);
  const stop = context.listen('library:profile-changed', () => waiter.wake());
  try {
    for (;;) {
      const found = await library.profile({ query, narrow: null, fields: null, filters: [] });
      if (found?.preparation == null) return found;
      if (context.signal.aborted) throw new AppError('CANCELLED', 'Stopped.');
      const { rows, totalRows } = found.preparation;
      context.output.progress(`${numberText(rows)} of ${counted(totalRows, 'row')} prepared`);
      await waiter.next();
    }
  } finally {
    stop();
    waiter.end();
  }
}

const MOST_TOPS = 3;

function text(columns: readonly ColumnProfile[], stored: number, total: number | null): string {
  const rows = columns.map((column) => ({
    column: column.field,
    kind: column.kind,
    absent: numberText(column.absent.total),
    null: numberText(column.nulls.total),
    empty: numberText(column.empty.total),
    distinct: `~${numberText(column.distinct)}`,
    values: valuesText(column),
  }));
  const heads = ['column', 'kind', 'absent', 'null', 'empty', 'distinct', 'values'];
  const known = total === null || total === stored ? '' : ` of ${numberText(total)}`;
  return `${table(rows, heads, 80)}\n${counted(columns.length, 'column')} over ${counted(stored, 'row')} stored${known}`;
}

function valuesText({ kind, bars, tops }: ColumnProfile): string {
  const [first, last] = [bars[0], bars.at(-1)];
  if (first !== undefined && last !== undefined) {
    const end = kind === 'integer' && !bars.some(({ to, from }) => to - from > 1) ? last.from : last.to;
    const shown = (value: number) => (kind === 'time' ? new Date(value).toISOString() : String(value));
    return `${shown(first.from)} … ${shown(end)}`;
  }
  return tops
    .slice(0, MOST_TOPS)
    .map(({ value, total }) => `${value} ×${numberText(total)}`)
    .join(', ');
}
