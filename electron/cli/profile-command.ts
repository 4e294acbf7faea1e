/** `profile RESOURCE [ID]`, `profile FILE`: column profiles of a stored list, or of a file. */
import type { ColumnProfile, ListProfile } from '../shared/analysis-model.ts';
import { AppError } from '../shared/errors.ts';
import type { ListQuery } from '../shared/model.ts';
import { chosenList } from './chosen-list.ts';
import type { CommandContext } from './context.ts';
import { lookAt, notesAsRead, offerOne } from './given-file.ts';
import { counted, numberText } from './human-text.ts';
import { table } from './output.ts';
import { READ_FLAGS } from './read-flags.ts';
import { readList } from './read-library.ts';
import { RESOURCES } from './resource-table.ts';
import { refuseUnfit, VALUE_FLAGS } from './value-flags.ts';
import { readingNotes, valueReadings } from './value-readings.ts';
import { createWaiter } from './waiter.ts';

const FILE_FLAGS = [...READ_FLAGS, ...VALUE_FLAGS];
/** Characters of paths that are not in any name of a resource or view. */
const PATH_SIGNS = /[./\\]/;

export async function profile(context: CommandContext): Promise<void> {
  const [typed = ''] = context.args.positionals;
  const isFile = PATH_SIGNS.test(typed) && !RESOURCES.some(({ name }) => name === typed);
  return isFile ? profileOfFile(context, typed) : profileOfList(context);
}

/** Accepts only one file, because each file of a folder or an archive would need an answer of its own. */
async function profileOfFile(context: CommandContext, typed: string): Promise<void> {
  const { args, engine, output } = context;
  const foreign = args.given.filter((name) => !FILE_FLAGS.includes(name));
  if (foreign.length > 0 || args.positionals.length > 1) {
    const flags = FILE_FLAGS.map((name) => `--${name}`).join(', ');
    throw new AppError(
      'INVALID_ARGUMENT',
      `profile of a file takes ${flags} alone, got ${[...foreign.map((name) => `--${name}`), ...args.positionals.slice(1)].join(', ')}.`,
    );
  }
  const { fileId } = await offerOne(context, 'profile', typed);
  const { preview, read, unfit } = await lookAt(context, fileId, null);
  refuseUnfit(unfit);
  const readings = valueReadings(context, preview.columns);
  for (const note of [...notesAsRead(preview, readings), ...readingNotes(preview.columns, readings)])
    output.note(note);
  const { rows, badRows, notes, columns, types } = await engine.profileFile(fileId, read, null, readings);
  for (const note of notes) output.note(note);
  for (const { name, changes } of types)
    for (const { line, value, before, after } of changes.slice(0, 1))
      output.note(`${name}: ${before} up to line ${line}, where “${value}” makes it ${after}.`);
  if (rows === 0 && badRows === 0) output.note('The file has no rows.');
  if (badRows > 0)
    output.note(
      `${counted(badRows, 'row')} could not be read and ${badRows === 1 ? 'is' : 'are'} not counted.`,
    );
  output.answer(
    { items: columns, total: columns.length, complete: badRows === 0, rows, badRows, types },
    () => [
      ...table(linesOf(columns), HEADS, 80).split('\n'),
      `${counted(columns.length, 'column')} over ${counted(rows, 'row')}`,
    ],
  );
}

async function profileOfList(context: CommandContext): Promise<void> {
  const ofFile = context.args.given.find((name) => FILE_FLAGS.includes(name));
  if (ofFile !== undefined)
    throw new AppError('INVALID_ARGUMENT', `--${ofFile} belongs to a file, got a list.`);
  const query = await chosenList(context);
  if (context.args.isAll && !context.args.isOffline) await readList(context, query, Number.POSITIVE_INFINITY);
  let found = await exactProfile(context, query);
  if (found === null && !context.args.isOffline) {
    await readList(context, query, 1);
    found = await exactProfile(context, query);
  }
  if (found === null)
    throw new AppError('NOT_STORED', 'This was never read on this computer. Run it once without --offline.');
  const { columns, storedRows, totalRows, isComplete } = found;
  context.output.answer(
    { items: columns, total: columns.length, complete: isComplete, storedRows, totalRows },
    () => text(columns, storedRows, totalRows),
  );
  if (context.args.isAll && !isComplete)
    throw new AppError('INCOMPLETE', 'Not all of the list is stored: the profile is that of a part.');
}

/** Waits for a long list to be prepared, because only a sample is available until then. */
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

const MAX_TOPS = 3;

const HEADS = ['column', 'kind', 'absent', 'null', 'empty', 'distinct', 'values'];

function linesOf(columns: readonly ColumnProfile[]): Record<string, string>[] {
  return columns.map((column) => ({
    column: column.field,
    kind: column.kind,
    absent: numberText(column.absent.total),
    null: numberText(column.nulls.total),
    empty: numberText(column.empty.total),
    distinct: `~${numberText(column.distinct)}`,
    values: valuesText(column),
  }));
}

function text(columns: readonly ColumnProfile[], stored: number, total: number | null): string {
  const known = total === null || total === stored ? '' : ` of ${numberText(total)}`;
  return `${table(linesOf(columns), HEADS, 80)}\n${counted(columns.length, 'column')} over ${counted(stored, 'row')} stored${known}`;
}

function valuesText({ kind, bars, tops, range }: ColumnProfile): string {
  if (range !== undefined) return `${range.min} … ${range.max}`;
  const [first, last] = [bars[0], bars.at(-1)];
  if (first !== undefined && last !== undefined) {
    const end = kind === 'integer' && !bars.some(({ to, from }) => to - from > 1) ? last.from : last.to;
    const shown = (value: number) => (kind === 'time' ? new Date(value).toISOString() : String(value));
    return `${shown(first.from)} … ${shown(end)}`;
  }
  return tops
    .slice(0, MAX_TOPS)
    .map(({ value, total }) => `${value} ×${numberText(total)}`)
    .join(', ');
}
