/** The list that a command works on, named by the words of `ls` or by a view. */
import { endpoint, type OperationId } from '../api/endpoints.ts';
import { AppError } from '../shared/errors.ts';
import type { ListQuery } from '../shared/model.ts';
import { askedSpans } from './ask-commands.ts';
import type { CommandContext } from './context.ts';
import { checkFlags, findOperation, findResource } from './find-resource.ts';
import { pathInput, queryInput } from './operation-input.ts';
import { pathParameters } from './resource-table.ts';

/** Whether the typed text is the whole name of a list, with or without the schema, or its number alone. */
function isNamed(name: string, typed: string | undefined): boolean {
  const given = /^(?:lists\.)?"?(.*?)"?$/s.exec(typed ?? '')?.[1] ?? '';
  return name === given || (/^#\d+$/.test(given) && name.endsWith(` ${given}`));
}

/**
 * The chosen list. `spans` and `session ID` use the flags of the command `spans`. Other words name a stored list as in
 * SQL (`lists."Spans, 19–26 Nov #12"`, `#12`), or the list that `ls` would read. `own`: flags of the command that do
 * not concern the list.
 */
export async function chosenList(context: CommandContext, own: readonly string[] = []): Promise<ListQuery> {
  const [typed, id = null] = context.args.positionals;
  const session = await context.session();
  const given = context.args.given.some((name) => !own.includes(name)) || id !== null;
  const view = given ? undefined : (await session.sql.lists()).find(({ name }) => isNamed(name, typed));
  if (view !== undefined) return view.query;
  if (typed === 'spans') {
    if (id === null) return askedSpans(context, null);
    throw new AppError(
      'INVALID_ARGUMENT',
      `spans takes no name, got ${id}. Did you mean --application "${id}"?`,
    );
  }
  if (typed === 'session') {
    if (id === null || id.trim() === '')
      throw new AppError(
        'INVALID_ARGUMENT',
        `${context.args.command} session expects ID: the id of a session.`,
      );
    return askedSpans(context, id.trim());
  }
  const resource = findResource('ls', typed);
  const operation: OperationId = findOperation(context, 'ls', resource);
  checkFlags(context, 'ls', resource, operation, own);
  if (id !== null && pathParameters(endpoint(operation)).length === 0)
    throw new AppError(
      'INVALID_ARGUMENT',
      `${typed} is one list, and ${id} does not narrow it. For one record: get ${typed} "${id}"`,
    );
  const query = queryInput(context, operation);
  return { operation, path: await pathInput(context, operation, id), query };
}
