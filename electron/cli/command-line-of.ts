/** The command for an operation, derived from the tables. Pure. */
import { endpoint, type OperationId } from '../api/endpoints.ts';
import { COMMANDS } from './command-specs.ts';
import { flagOf, pathParameters, RESOURCES, VERBS } from './resource-table.ts';

/**
 * The command, e.g. `get baselines ID`, `ls baselines --model ID`, or the operation's own command; null if only
 * `request` can send the operation.
 */
export function commandLineOf(operation: OperationId): string | null {
  const own = COMMANDS.filter(({ operations }) => operations.includes(operation)).map(({ name }) => name);
  if (own.length > 0) return own.join(', ');
  for (const { name, operations } of RESOURCES) {
    const verb = VERBS.find((candidate) => operations[candidate].includes(operation));
    if (verb === undefined) continue;
    const parameters = pathParameters(endpoint(operation));
    const given =
      verb === 'ls' ? parameters.map((parameter) => `--${flagOf(parameter)} ID`) : parameters.map(() => 'ID');
    const isByBody = verb === 'delete' && parameters.length === 0;
    return [verb, name, ...given, ...(isByBody ? ['ID...'] : [])].join(' ');
  }
  return null;
}
