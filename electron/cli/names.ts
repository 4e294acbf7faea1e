/** Finds the id of a record by its name. */
import { endpoint, type OperationId } from '../api/endpoints.ts';
import { AppError, isUnknownToService, toAppError } from '../shared/errors.ts';
import type { CommandContext } from './context.ts';
import { readList } from './read-library.ts';
import { nearest } from './suggestions.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Maximum records that are searched for suggestions. */
const MAX_LOOKED = 500;
const MAX_SAID = 5;
/** Minimum length of a text that is searched for within names; shorter texts occur in too many. */
const SHORTEST_PART = 3;

interface Named {
  id: string;
  name: string;
  /** Name of the record to which this one belongs; null if there is none. */
  owner: string | null;
}

/** Fields that name the owner of a record, the closest owner first. */
const OWNERS = ['application', 'model', 'dataset', 'project'];

/**
 * An id is returned unchanged; a name must occur exactly once in the list. With `mayBeId`, a word that is not a name
 * may be an id that is not a UUID; it must then be in the list, or the list must have such ids. Throws NOT_FOUND with
 * suggestions.
 */
export async function resolveName(
  context: CommandContext,
  operation: OperationId,
  given: string,
  { mayBeId = false } = {},
): Promise<string> {
  if (UUID.test(given)) return given;
  const { all: found } = await named(context, operation, given).catch((thrown: unknown) => {
    const error = toAppError(thrown);
    throw isUnknownToService(error) ? unlistedError(operation, given, error) : error;
  });
  const matches = found.filter(({ name }) => name === given);
  const [first] = matches;
  if (matches.length === 1 && first !== undefined) return first.id;
  const resource = operation.slice(0, operation.indexOf('.'));
  if (first !== undefined) throw severalError(resource, given, matches);
  const { all, isWhole } = await named(context, operation, null);
  const isOfOtherForm = !isWhole && all.some(({ id }) => !UUID.test(id));
  if (mayBeId && (all.some(({ id }) => id === given) || (isOfOtherForm && !/\s/.test(given)))) return given;
  throw noneError(resource, given, all);
}

function unlistedError(operation: OperationId, given: string, error: AppError): AppError {
  const noun = nounOf(operation.slice(0, operation.indexOf('.')));
  const text = `This service does not list its ${noun}s, so "${given}" cannot be looked up. Give the ${noun}'s id (8-4-4-4-12 hexadecimal digits).`;
  return new AppError('NOT_FOUND', text, error.details, error);
}

const nounOf = (resource: string): string => resource.replace(/s$/, '').replaceAll('-', ' ');
const text = ({ id, name }: Named): string => (name === '' ? id : `${name} (${id})`);

function severalError(resource: string, given: string, matches: readonly Named[]): AppError {
  const ids = matches.slice(0, MAX_SAID).map(({ id, owner }) => (owner === null ? id : `${id} (${owner})`));
  const more = matches.length > ids.length ? ', …' : '';
  return new AppError(
    'NOT_FOUND',
    `More than one ${nounOf(resource)} named "${given}". Use its id: ${ids.join(', ')}${more}.`,
  );
}

function noneError(resource: string, given: string, all: readonly Named[]): AppError {
  const noun = nounOf(resource);
  const none = `No ${noun} named "${given}", and none with that id.`;
  const lists = `ls ${resource} lists them.`;
  if (all.length === 0) return new AppError('NOT_FOUND', `${none} This connection has no ${noun}.`);
  const meant = meantBy(given, all);
  const guess = meant.slice(0, MAX_SAID).map(text).join(', ');
  const hint = guess === '' ? '' : ` Did you mean ${guess}?`;
  return new AppError('NOT_FOUND', `${none}${hint} Expected the exact name, or the id; ${lists}`);
}

/**
 * Records that were probably meant: with the same name in another case, an id with this beginning, the text in the
 * name, or the most similar name.
 */
function meantBy(given: string, all: readonly Named[]): Named[] {
  const typed = given.toLowerCase();
  const close = all.filter(
    ({ id, name }) =>
      name.toLowerCase() === typed || (typed.length >= 4 && id.toLowerCase().startsWith(typed)),
  );
  if (close.length > 0) return close;
  const withText =
    typed.length < SHORTEST_PART ? [] : all.filter((one) => one.name.toLowerCase().includes(typed));
  if (withText.length > 0) return withText;
  const name = nearest(
    given,
    all.map((one) => one.name).filter((one) => one !== ''),
  );
  return name === null ? [] : all.filter((one) => one.name === name);
}

/**
 * Records with id and name: the results of a search for the name, or the first records of the list if `name` is null.
 */
async function named(
  context: CommandContext,
  operation: OperationId,
  name: string | null,
): Promise<{ all: Named[]; isWhole: boolean }> {
  const { rows, freshness } = await rowsOf(context, operation, name);
  const identity = endpoint(operation).identity ?? 'id';
  const all = rows.flatMap(({ record }): Named[] => {
    const { name: called, [identity]: id } = record;
    if (typeof id !== 'string') return [];
    return [{ id, name: typeof called === 'string' ? called : '', owner: ownerOf(record) }];
  });
  return { all, isWhole: freshness.isComplete };
}

function ownerOf(record: Readonly<Record<string, unknown>>): string | null {
  for (const field of OWNERS) {
    const owner = record[field];
    if (typeof owner === 'object' && owner !== null && 'name' in owner && typeof owner.name === 'string')
      return owner.name;
  }
  return null;
}

async function rowsOf(context: CommandContext, operation: OperationId, name: string | null) {
  const whole = { operation, path: {}, query: {} };
  if (name === null) return readList(context, whole, MAX_LOOKED);
  if (!Object.hasOwn(endpoint(operation).query, 'search'))
    return readList(context, whole, Number.POSITIVE_INFINITY);
  try {
    return await readList(context, { ...whole, query: { search: name } }, Number.POSITIVE_INFINITY);
  } catch (thrown) {
    // Offline, the list without a search may be stored although this search is not.
    if (!context.args.isOffline || !(thrown instanceof AppError) || thrown.code !== 'NOT_STORED')
      throw thrown;
    return readList(context, whole, Number.POSITIVE_INFINITY);
  }
}
