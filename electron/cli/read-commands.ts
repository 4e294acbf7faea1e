/** `ls` and `get` for all resources, and shorter commands for the lists that are read most. */
import { endpoint, type OperationId } from '../api/endpoints.ts';
import { flattened } from '../core/items/flattened.ts';
import { AppError } from '../shared/errors.ts';
import { incompleteError } from '../shared/incomplete.ts';
import { NOT_FINITE } from '../shared/item-row.ts';
import type { Freshness, ListQuery } from '../shared/model.ts';
import { recordFields } from './body-fields.ts';
import type { CommandContext } from './context.ts';
import { checkFlags, findOperation, findResource } from './find-resource.ts';
import { counted, nameList, numberText } from './human-text.ts';
import { shownList } from './list-columns.ts';
import { pathInput, queryInput } from './operation-input.ts';
import { table } from './output.ts';
import { asOf, readList, readRecord, throwIfRefused } from './read-library.ts';
import { pathParameters } from './resource-table.ts';
import { jsonText } from './terminal-text.ts';

/** Runs `ls RESOURCE [flags]`. */
export async function ls(context: CommandContext): Promise<void> {
  const resource = findResource('ls', context.args.positionals[0]);
  const operation = findOperation(context, 'ls', resource);
  checkFlags(context, 'ls', resource, operation);
  await listOperation(context, operation, null);
}

/** Runs `get RESOURCE [ID] [flags]`. */
export async function get(context: CommandContext): Promise<void> {
  const [name, id = null] = context.args.positionals;
  const resource = findResource('get', name);
  const operation = findOperation(context, 'get', resource);
  checkFlags(context, 'get', resource, operation);
  if (id !== null && pathParameters(endpoint(operation)).length === 0) {
    throw new AppError('INVALID_ARGUMENT', `${resource.name} is one record: get takes no id, got ${id}.`);
  }
  await recordOperation(context, operation, id);
}

export const applications = (context: CommandContext) => listOperation(context, 'applications.list', null);
export const attributes = (context: CommandContext) => listOperation(context, 'attributes.list', null);
export const models = (context: CommandContext) => listOperation(context, 'models.list', null);
export const datasets = (context: CommandContext) => listOperation(context, 'datasets.list', null);
export const catalog = (context: CommandContext) =>
  listOperation(context, 'catalog.list', positional(context, 'APP'));
export const values = (context: CommandContext) =>
  listOperation(context, 'catalog.values', positional(context, 'APP'));
export const items = (context: CommandContext) =>
  listOperation(context, 'datasets.items', positional(context, 'DATASET'));
export const schema = (context: CommandContext) =>
  recordOperation(context, 'datasets.schema', positional(context, 'DATASET'));

export async function listOperation(
  context: CommandContext,
  operation: OperationId,
  id: string | null,
): Promise<void> {
  const query = queryInput(context, operation);
  const path = await pathInput(context, operation, id);
  await answerList(context, { operation, path, query });
}

export async function recordOperation(
  context: CommandContext,
  operation: OperationId,
  id: string | null,
): Promise<void> {
  const query = queryInput(context, operation);
  const path = await pathInput(context, operation, id);
  await answerRecord(context, { operation, path, query });
}

/** Reads a list (from the service, or the stored one with --offline) and prints {items, total, complete, asOf}. */
export async function answerList(context: CommandContext, query: ListQuery): Promise<void> {
  const offset = context.args.wholeNumber('offset', 0) ?? 0;
  const limit = context.args.wholeNumber('limit', 1);
  const { rows, freshness, covered, isEnough } = await readList(context, query, offset + (limit ?? 1));
  const found = rows.filter(({ position }) => position >= offset).slice(0, limit ?? Number.POSITIVE_INFINITY);
  const records = found.map(({ record }) => record);
  noteNotFinite(context, records);
  const gone = freshness.goneRows ?? 0;
  const operation = query.operation;
  const { identity } = (await context.session()).client.describe(operation);
  const total = freshness.isComplete ? freshness.storedRows : freshness.totalRows;
  const shown = shownList(operation, records, identity);
  const isChosen = context.args.text('fields') !== null || context.args.text('to-file') !== null;
  context.output.answer(
    {
      items: records,
      total,
      complete: total !== null && records.length === total && freshness.missingRows === undefined,
      ...(gone === 0 ? {} : { gone }),
      ...(covered === null ? {} : { covered }),
      asOf: asOf(freshness),
    },
    () => table(shown.rows, shown.columns),
    {
      footer: `${numberText(records.length)} of ${total === null ? 'unknown' : numberText(total)}${gone === 0 ? '' : ` · ${numberText(gone)} no longer in this list`} · as of ${asOf(freshness) ?? 'never'}${isChosen ? '' : shown.note}`,
      fields: () => recordFields(operation),
    },
  );
  throwIfRefused(context, freshness);
  if (limit === null || records.length < limit)
    throwIfRowsMissing(context, freshness, { isEnough, isPart: covered !== null });
}

/** Prints a note about values that the service wrote as NaN or Infinity, which are shown as no value. */
function noteNotFinite(
  { output }: CommandContext,
  records: readonly Readonly<Record<string, unknown>>[],
): void {
  const marks = records.map((record) => record[NOT_FINITE]).filter((mark) => typeof mark === 'string');
  if (marks.length === 0) return;
  output.note(
    `${counted(marks.length, 'record')} with NaN or Infinity, which JSON does not have, read as no value: ${nameList(marks)}.`,
  );
}

/** Throws after the answer was printed, so that the exit code tells a script that rows are missing. */
function throwIfRowsMissing(
  { args }: CommandContext,
  { missingRows, storedRows }: Freshness,
  { isEnough, isPart }: { isEnough: boolean; isPart: boolean },
): void {
  if (missingRows !== undefined) throw incompleteError({ missingRows, rows: storedRows, isPart });
  if (!args.isAll || isEnough) return;
  const nextStep = args.isOffline ? 'Run it once without --offline.' : 'Run it again to read on.';
  throw new AppError('INCOMPLETE', 'Not all of the list is stored.', { nextStep });
}

/** Maximum width of a value, so that each field stays on one line. */
const MAX_VALUE = 120;

/** One line for each field; fields of inner objects have their path as name. */
function recordText(record: Readonly<Record<string, unknown>>): string {
  const rows = flattened(record).map(([field, value]) => ({ field, value }));
  const isCut = rows.some(({ value }) => jsonText(value).length > MAX_VALUE);
  const text = table(rows, ['field', 'value'], MAX_VALUE);
  return isCut ? `${text}\nLong values are cut; --json has them whole.` : text;
}

/** Prints the fields of a record, with `asOf`. */
export async function answerRecord(
  context: CommandContext,
  query: ListQuery,
  human: (record: Readonly<Record<string, unknown>>) => string | readonly string[] = recordText,
): Promise<void> {
  const { record, freshness, covered, refreshed } = await readRecord(context, query);
  const part = covered === null ? {} : { covered };
  context.output.answer({ ...record, ...part, asOf: asOf(freshness) }, () => human(record), {
    fields: () => recordFields(query.operation),
  });
  throwIfRefused(context, refreshed);
}

function positional(context: CommandContext, name: string): string {
  const value = context.args.positionals[0];
  if (value !== undefined) return value;
  throw new AppError('INVALID_ARGUMENT', `${context.args.command} expects ${name}: an id or a name.`);
}
