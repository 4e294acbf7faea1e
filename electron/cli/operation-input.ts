/** Converts the arguments of a command line to the parameters of an operation, using its row in the endpoint table. */
import { type Endpoint, endpoint, type OperationId } from '../api/endpoints.ts';
import { AppError } from '../shared/errors.ts';
import { exactNumber, parseExact } from '../shared/exact-json.ts';
import { bodyFields } from './body-fields.ts';
import type { CommandContext } from './context.ts';
import { listFilter, spanFilter, type Unknown } from './filter-flag.ts';
import { resolveName } from './names.ts';
import { flagOf, pathParameters, resourceOfParameter } from './resource-table.ts';

/** The path parameters from their flags; `id` is used for the last one without a flag. */
export async function pathInput(
  context: CommandContext,
  operation: OperationId,
  id: string | null,
): Promise<Record<string, string>> {
  const names = pathParameters(endpoint(operation));
  const path: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const flag = context.args.text(flagOf(name));
    const isLast = index === names.length - 1;
    if (isLast && id !== null && flag !== null) {
      throw new AppError(
        'INVALID_ARGUMENT',
        `Both ${id} and --${flagOf(name)} ${flag} were given. One is enough.`,
      );
    }
    const given = isLast ? (id ?? flag) : flag;
    if (given === null) {
      throw new AppError(
        'INVALID_ARGUMENT',
        `${endpoint(operation).title} expects --${flagOf(name)}: an id or a name.`,
      );
    }
    path[name] = await idOf(context, name, given, isLast && id !== null);
  }
  return path;
}

/** The id for a parameter; a name is looked up among the records of the parameter's resource. */
async function idOf(
  context: CommandContext,
  parameter: string,
  given: string,
  mayBeId: boolean,
): Promise<string> {
  const lister = resourceOfParameter(parameter)?.operations.ls.find(
    (operation) => pathParameters(endpoint(operation)).length === 0,
  );
  return lister === undefined ? given : resolveName(context, lister, given, { mayBeId });
}

/** Query parameters from their flags. Throws INVALID_ARGUMENT for a missing or malformed value. */
export function queryInput(context: CommandContext, operation: OperationId): Record<string, string> {
  const row = endpoint(operation);
  const query: Record<string, string> = {};
  for (const [name, kind] of Object.entries(row.query)) {
    const given = context.args.text(flagOf(name));
    if (given !== null)
      query[name] =
        kind === 'filter'
          ? listFilter(operation, given, meetIn(context, operation))
          : checked(kind, name, given);
  }
  const missing = row.requiredQuery.filter((name) => query[name] === undefined || query[name] === '');
  if (missing.length === 0) return query;
  throw new AppError(
    'INVALID_ARGUMENT',
    `${row.title} expects ${missing.map((name) => `--${flagOf(name)}`).join(' and ')}.`,
  );
}

function checked(kind: Endpoint['query'][string], name: string, given: string): string {
  if (kind === 'number' && exactNumber(given) === null) {
    throw new AppError('INVALID_ARGUMENT', `--${flagOf(name)} expects a number, got ${given}.`);
  }
  return given;
}

/** Fields of a body from their flags. Ids may be given as names, and objects as JSON. */
export async function bodyInput(
  context: CommandContext,
  operation: OperationId,
): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const { name, kind } of bodyFields(operation)) {
    const given = context.args.text(flagOf(name));
    if (given === null || kind === 'ids') continue;
    if (kind === 'json') body[name] = jsonField(context, { operation, name, given });
    else if (kind === 'number') body[name] = exactNumber(checked('number', name, given));
    else body[name] = name.endsWith('_id') ? await idOf(context, name, given, false) : given;
  }
  return body;
}

/**
 * Prints a note about an unknown part of a filter. A command that changes or exports the selected records refuses a
 * part that is similar to a known name, because a service that ignores it would return everything.
 */
function meetIn({ args, output }: CommandContext, operation: OperationId): (unknown: Unknown) => void {
  const isActing = args.command === 'export' || endpoint(operation).isWrite;
  return ({ words, near }) => {
    if (isActing && near !== '')
      throw new AppError(
        'INVALID_ARGUMENT',
        `${words} is not known to this version.${near} Nothing was done. The commands ls and spans send it unchanged.`,
      );
    const sent = args.isOffline ? '' : ' and is sent unchanged';
    output.note(`--filter: ${words} is not known to this version${sent}.${near}`);
  };
}

function jsonField(
  context: CommandContext,
  { operation, name, given }: { operation: OperationId; name: string; given: string },
): unknown {
  const isSpanFilter = name === 'filter' && operation.startsWith('spans.');
  return isSpanFilter ? spanFilter(given, meetIn(context, operation)) : jsonOf(given, flagOf(name));
}

function jsonOf(text: string, flag: string): unknown {
  try {
    return parseExact(text);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new AppError('INVALID_ARGUMENT', `--${flag} expects JSON: ${reason}.`, {}, thrown);
  }
}
