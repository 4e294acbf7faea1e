/** From what a person calls a record to its id. */
import type { OperationId } from '../api/endpoints.ts';
import { AppError } from '../shared/errors.ts';
import type { ListQuery, ListRow } from '../shared/model.ts';
import type { CommandContext } from './context.ts';
import { readList } from './read-library.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * An id stays as it is; a name is looked up in the list, and must be there once. With `mayBeId`, what is no name is
 * taken for an id of another form: then the service says whether there is one.
 */
export async function resolveName(
  context: CommandContext,
  operation: OperationId,
  given: string,
  { mayBeId = false } = {},
): Promise<string> {
  if (UUID.test(given)) return given;
  const rows = await rowsNamed(context, operation, given);
  const matches = rows.filter(({ record }) => record['name'] === given);
  const id = matches[0]?.record['id'];
  if (matches.length === 1 && typeof id === 'string') return id;
  if (matches.length === 0 && mayBeId && !/\s/.test(given)) return given;
  throw new AppError(
    'NOT_FOUND',
    `${matches.length === 0 ? 'No' : 'More than one'} ${operation.split('.')[0]?.replace(/s$/, '')} named "${given}". Give its id.`,
  );
}

async function rowsNamed(
  context: CommandContext,
  operation: ListQuery['operation'],
  name: string,
): Promise<ListRow[]> {
  const searched = { operation, path: {}, query: { search: name } };
  try {
    return (await readList(context, searched, Number.POSITIVE_INFINITY)).rows;
  } catch (thrown) {
    // Offline the name may never have been searched for; the list without search may be stored all the same.
    if (!context.args.isOffline || !(thrown instanceof AppError) || thrown.code !== 'NOT_STORED')
      throw thrown;
    return (await readList(context, { ...searched, query: {} }, Number.POSITIVE_INFINITY)).rows;
  }
}
