/** The flags of the command line in the form of the parser; flags of an operation come from the endpoint table. */
import type { ParseArgsOptionsConfig } from 'node:util';
import { endpoint, type OperationId } from '../api/endpoints.ts';
import { bodyFields } from './body-fields.ts';
import { flagOf, pathParameters, type Verb } from './resource-table.ts';

export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;

/** One flag with a value for each name. */
export function textOptions(names: Iterable<string>): ParseArgsOptionsConfig {
  return Object.fromEntries([...names].map((name) => [name, text]));
}

/** Flags of an operation for one verb, in addition to the common ones. */
export function optionsOf(verb: Verb, operation: OperationId): ParseArgsOptionsConfig {
  const row = endpoint(operation);
  const paging = verb === 'ls' ? ['limit', 'offset'] : [];
  const own = [...paging, ...pathParameters(row).map(flagOf), ...Object.keys(row.query).map(flagOf)];
  const names = withSince(own);
  if (verb === 'delete')
    return {
      ...textOptions([...names, ...bodyFlags(operation), 'start-at']),
      yes: flag,
      plan: flag,
      'no-wait': flag,
      outbox: flag,
    };
  const withBody = textOptions(row.body === null ? names : [...names, 'body']);
  if (verb === 'create') return { ...withBody, outbox: flag };
  return verb === 'update' ? { ...withBody, 'start-at': text, plan: flag, outbox: flag } : withBody;
}

/** Adds `since` to every range with a start and an end: a length of time before now can replace the start. */
export function withSince(names: readonly string[]): string[] {
  return names.includes('start') && names.includes('end') ? [...names, 'since'] : [...names];
}

/** Flags that an operation requires; with `isByPosition`, ids in the path are given without a flag. */
export function requiredFlags(operation: OperationId, isByPosition: boolean): string[] {
  const row = endpoint(operation);
  const ofBody = bodyFields(operation).filter(({ kind, isRequired }) => isRequired && kind !== 'ids');
  return [
    ...(isByPosition ? [] : pathParameters(row)),
    ...row.requiredQuery,
    ...ofBody.map(({ name }) => name),
  ].map(flagOf);
}

/** Flags for the fields of an operation's body; ids are given by position. */
export function bodyFlags(operation: OperationId): string[] {
  return bodyFields(operation)
    .filter(({ kind }) => kind !== 'ids')
    .map(({ name }) => flagOf(name));
}

/** Flags of a list. */
export const ofList = (operation: OperationId): ParseArgsOptionsConfig => optionsOf('ls', operation);

/** Flags of a list whose parent is given by position. */
export function ofListBelow(operation: OperationId): ParseArgsOptionsConfig {
  const inPath = new Set(pathParameters(endpoint(operation)).map(flagOf));
  return Object.fromEntries(Object.entries(ofList(operation)).filter(([name]) => !inPath.has(name)));
}
