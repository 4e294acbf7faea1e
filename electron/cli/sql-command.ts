/** `sql "SELECT …"`: runs one query over all stored data. `sql --views` lists the tables. Sends nothing. */
import { resolve } from 'node:path';
import { charactersOf } from '../analysis/cells.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { EXPORT_FORMATS } from '../shared/export-model.ts';
import type { SqlColumn, SqlSource } from '../shared/sql-model.ts';
import { recordOf } from '../shared/sql-record.ts';
import { writeInPlace } from '../uploads/whole-file-writer.ts';
import type { CommandContext } from './context.ts';
import { counted, nameList, numberText } from './human-text.ts';
import { table } from './output.ts';
import { fileFormat } from './row-files.ts';

/** Number of rows that are shown if --limit is absent. */
const SHOWN_ROWS = 1_000;
/**
 * Maximum total length of all shown values. An answer is one text in memory, and escapes make it up to six times as
 * long.
 */
const MAX_SHOWN_CHARACTERS = 32_000_000;

export async function sql(context: CommandContext): Promise<void> {
  const { args, output } = context;
  const [typed] = args.positionals;
  checkOptions(args);
  if (args.flag('views')) return views(context);
  if (typed === undefined || typed.trim() === '')
    throw new AppError(
      'INVALID_ARGUMENT',
      'sql expects a SELECT in quotes, or --views for the list of views.',
    );
  const path = args.text('output');
  try {
    if (path === null) return await show(context, typed);
    const rows = await write(context, typed, resolve(path));
    output.answer({ file: resolve(path), rows }, () => [`Wrote ${counted(rows, 'row')} to ${path}.`]);
  } catch (problem) {
    pointOut(context, typed, toAppError(problem));
    throw problem;
  }
}

/** Throws INVALID_ARGUMENT for an option that would be ignored. */
function checkOptions({ given, positionals }: CommandContext['args']): void {
  const isViews = given.includes('views');
  const isFile = given.includes('output');
  const ignored = isViews
    ? [
        ...given.filter((name) => name !== 'views' && name !== 'kinds'),
        ...(positionals.length > 0 ? [null] : []),
      ]
    : given.filter((name) => name === 'kinds' || (isFile ? name === 'limit' : name === 'exact'));
  const [first] = ignored;
  if (first === undefined) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    first === null
      ? 'sql takes a SELECT or --views, not both.'
      : isViews
        ? `sql --views takes no --${first}.`
        : first === 'limit'
          ? 'sql --output writes all rows and takes no --limit: write LIMIT into the SELECT.'
          : `--${first} belongs to ${first === 'kinds' ? '--views' : '--output'}.`,
  );
}

async function views({ session, output, args }: CommandContext): Promise<void> {
  const found = await (await session()).sql.describe(args.flag('kinds') ? 'kinds' : 'all');
  const items = found.map(({ schema, name, title, operation, query, storedRows, isComplete, oldestMs }) => ({
    name: schema === null ? name : `${schema}."${name}"`,
    title,
    rows: storedRows,
    complete: isComplete,
    asOf: oldestMs === null ? null : new Date(oldestMs).toISOString(),
    operation,
    question: query === null ? null : { ...query.path, ...query.query, ...query.body },
  }));
  output.answer({ items, total: items.length, complete: true, asOf: null }, () =>
    items.length === 0
      ? 'Nothing is stored yet. Read a list first, such as: datasets --all'
      : table(
          items.map((item) => ({
            ...item,
            rows: item.rows === null ? 'not counted' : numberText(item.rows),
            complete: item.complete ? 'yes' : 'no',
          })),
          ['name', 'rows', 'complete', 'asOf', 'title'],
        ),
  );
}

/** Reads one row more than it shows, to find out whether there are more. */
async function show(context: CommandContext, typed: string): Promise<void> {
  const { args, output, signal } = context;
  const limit = args.wholeNumber('limit', 1) ?? SHOWN_ROWS;
  const rows: unknown[][] = [];
  let columns: SqlColumn[] = [];
  let sources: SqlSource[] = [];
  let characters = 0;
  let isTooLong = false;
  for await (const page of (await context.session()).sql.read(typed, signal)) {
    ({ columns, sources } = page);
    for (const row of page.rows) {
      characters += charactersOf(row);
      isTooLong ||= characters > MAX_SHOWN_CHARACTERS && rows.length > 0 && rows.length < limit;
      if (!isTooLong) rows.push(row);
    }
    if (rows.length > limit || isTooLong) break;
  }
  const isCut = rows.length > limit || isTooLong;
  const items = rows.slice(0, limit).map((row) => recordOf(columns, row));
  const names = columns.map(({ name }) => name);
  const shown = counted(items.length, 'row');
  if (isTooLong)
    output.note(
      `Shown: ${shown}, because the values are too long for more. All rows: --output FILE. Only the start of long values: left(column, 1000).`,
    );
  const oldestMs = Math.min(...sources.map(({ oldestMs: own }) => own ?? Number.POSITIVE_INFINITY));
  const asOf = Number.isFinite(oldestMs) ? new Date(oldestMs).toISOString() : null;
  const more = isCut && !isTooLong ? ' shown; there are more: --limit N, or --output FILE' : '';
  output.answer(
    { columns, items, total: isCut ? null : items.length, complete: !isCut, asOf },
    () => table(items, names),
    { footer: [`${shown}${more}`, ...sourceText(sources, asOf)].join(' · ') },
  );
}

/** Names the views of a query and their age, because records that were never read are missing in them. */
function sourceText(sources: readonly SqlSource[], asOf: string | null): string[] {
  if (sources.length === 0) return [];
  const names = [...new Set(sources.map(({ name }) => name))];
  return [
    `over what is stored of ${nameList(names)}${asOf === null ? '' : `, as of ${asOf} at the earliest`}`,
  ];
}

/** Writes all rows to a file, which gets its name only when it is complete. */
async function write(context: CommandContext, typed: string, path: string): Promise<number> {
  const { args, output, signal } = context;
  const form = { format: fileFormat(path, EXPORT_FORMATS), columns: null, partitionBy: null };
  const { sql: reader } = await context.session();
  const how = { ...form, isExact: args.flag('exact') };
  const onProgress = (rows: number) => output.progress(counted(rows, 'row'));
  const { rows } = await writeInPlace(path, (part) => reader.write(typed, how, part, signal, onProgress));
  return rows;
}

/** Prints the typed line, with a caret below the error. */
function pointOut({ args, output }: CommandContext, typed: string, { details }: AppError): void {
  const { place } = details;
  if (place === undefined || args.isJson) return;
  const line = typed.split('\n')[place.line - 1] ?? '';
  const from = Math.max(0, place.column - 60);
  output.note(`LINE ${place.line}: ${line.slice(from, from + 100)}`);
  output.note(`${' '.repeat(`LINE ${place.line}: `.length + place.column - 1 - from)}^`);
}
