/** Finds the resource and the operation for a typed word; errors list the valid choices. */
import { endpoint, type OperationId } from '../api/endpoints.ts';
import { AppError } from '../shared/errors.ts';
import { optionsOf } from './command-options.ts';
import { COMMANDS } from './command-specs.ts';
import type { CommandContext } from './context.ts';
import {
  flagOf,
  pathParameters,
  RESOURCES,
  type Resource,
  resourcesWith,
  type Verb,
  verbsOf,
} from './resource-table.ts';
import { didYouMean } from './suggestions.ts';

/** Throws INVALID_ARGUMENT with the resources that have the verb, and the name most similar to the typed one. */
export function findResource(verb: Verb, typed: string | undefined): Resource {
  const names = resourcesWith(verb).map(({ name }) => name);
  if (typed === undefined) {
    throw new AppError('INVALID_ARGUMENT', `${verb} expects RESOURCE, one of: ${names.join(', ')}.`);
  }
  const found = RESOURCES.find(
    ({ name, operations }) => name === typed || operations[verb].some((id) => id === typed),
  );
  if (found !== undefined && found.operations[verb].length > 0) return found;
  const commands = found === undefined ? commandsOf(typed) : commandsAbout(found);
  if (commands.length > 0) {
    throw new AppError('INVALID_ARGUMENT', `${typed} has no ${verb}. It has: ${commands.join(', ')}.`);
  }
  const known = RESOURCES.map(({ name }) => name);
  const guess = didYouMean(typed, known);
  throw new AppError(
    'INVALID_ARGUMENT',
    `No resource named ${typed}.${guess} ${verb} takes: ${names.join(', ')}.`,
  );
}

/** The operation of a verb. If a resource has several lists, the one whose path flags are given. */
export function findOperation(context: CommandContext, verb: Verb, resource: Resource): OperationId {
  const operations = resource.operations[verb];
  const isGiven = (parameter: string) => context.args.text(flagOf(parameter)) !== null;
  const ranked = operations
    .filter((id) => pathParameters(endpoint(id)).every(isGiven))
    .toSorted((a, b) => pathParameters(endpoint(b)).length - pathParameters(endpoint(a)).length);
  const operation = ranked[0] ?? operations[0];
  if (operation !== undefined) return operation;
  throw new AppError('INTERNAL', `${resource.name} has no ${verb}.`);
}

/** Throws INVALID_ARGUMENT for a flag of another resource, which would be silently ignored. */
export function checkFlags(
  context: CommandContext,
  verb: Verb,
  resource: Resource,
  operation: OperationId,
  /** Flags of the command itself, which are always accepted. */
  own: readonly string[] = [],
): void {
  const known = optionsOf(verb, operation);
  const extra = context.args.given.find((name) => !Object.hasOwn(known, name) && !own.includes(name));
  if (extra === undefined) return;
  const names = new Set(resource.operations[verb].flatMap((id) => Object.keys(optionsOf(verb, id))));
  const all = [...names].map((name) => `--${name}`).join(', ');
  throw new AppError(
    'INVALID_ARGUMENT',
    `${verb} ${resource.name} takes no --${extra}. It takes: ${all || 'no flags of its own'}.`,
  );
}

/** The commands for a resource: its own verbs, and commands about it. */
function commandsAbout(resource: Resource): string[] {
  return [...verbsOf(resource).map((verb) => `${verb} ${resource.name}`), ...commandsOf(resource.name)];
}

/** Commands with operations of this name, e.g. `upload` and `delete-events` for `events`. */
function commandsOf(name: string): string[] {
  return COMMANDS.filter(({ operations }) => operations.some((id) => id.startsWith(`${name}.`))).map(
    (spec) => spec.name,
  );
}
