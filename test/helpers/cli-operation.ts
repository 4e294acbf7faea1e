/** The command line for an operation with the parameters of a test case, as a user would type it. */
import { endpoint, type OperationId } from '../../electron/api/endpoints.ts';
import { bodyFields } from '../../electron/cli/body-fields.ts';
import { COMMANDS } from '../../electron/cli/command-specs.ts';
import {
  flagOf,
  isAsk,
  pathParameters,
  RESOURCES,
  VERBS,
  type Verb,
} from '../../electron/cli/resource-table.ts';
import type { Sending } from '../contract/sample-service-cases/world.ts';

/** Verb and resource for an operation; null if it has its own command. */
export function verbAndResource(operation: OperationId): { verb: Verb; resource: string } | null {
  for (const { name, operations } of RESOURCES) {
    const verb = VERBS.find((candidate) => operations[candidate].includes(operation));
    if (verb !== undefined) return { verb, resource: name };
  }
  return null;
}

/** Arguments that send the request of the case. Throws if neither a verb nor `ask` can send it. */
export function argumentsOf(
  operation: OperationId,
  { parameters = {}, query = '', body }: Sending,
): string[] {
  if (isAsk(operation)) return [askOf(operation), '--body', JSON.stringify(body)];
  const reached = verbAndResource(operation);
  if (reached === null) throw new Error(`${operation} has a command of its own.`);
  const { verb, resource } = reached;
  const names = pathParameters(endpoint(operation));
  const asFlag = ([name, value]: [string, string]) => [`--${flagOf(name)}`, value];
  const path = Object.entries(parameters);
  return [
    verb,
    resource,
    ...(verb === 'ls' ? path.flatMap(asFlag) : names.map((name) => parameters[name] ?? '')),
    ...[...new URLSearchParams(query)].flatMap(asFlag),
    ...(verb === 'delete' ? ['--yes', ...idsAndFlags(operation, body)] : []),
    ...(verb !== 'delete' && body !== undefined ? ['--body', JSON.stringify(body)] : []),
  ];
}

/** Arguments for a deletion that names its records in the body: ids by position, everything else by flags. */
function idsAndFlags(operation: OperationId, body: unknown): string[] {
  const given = { ...(body as Record<string, unknown> | undefined) };
  return bodyFields(operation).flatMap(({ name, kind }) => {
    const value = given[name];
    if (kind === 'ids') return value as string[];
    return value === undefined ? [] : [`--${flagOf(name)}`, String(value)];
  });
}

function askOf(operation: OperationId): string {
  const spec = COMMANDS.find(({ operations }) => operations.includes(operation));
  if (spec === undefined) throw new Error(`${operation} has no command.`);
  return spec.name;
}
