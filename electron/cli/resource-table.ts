/**
 * The resources that a person can list, get, create, update and delete by name, derived from the endpoint table: the
 * paths determine which operations belong together, the methods their verbs. Pure.
 */
import { ENDPOINTS, type Endpoint, endpoint, OPERATION_IDS, type OperationId } from '../api/endpoints.ts';
import { hasDedicatedSender } from '../resources/dedicated-senders.ts';

export const VERBS = ['ls', 'get', 'create', 'update', 'delete'] as const;
export type Verb = (typeof VERBS)[number];

export interface Resource {
  name: string;
  title: string;
  /** The operations of each verb; several if a list exists under another resource, too (`--model`). */
  operations: Readonly<Record<Verb, readonly OperationId[]>>;
}

/** Suffixes of the operations on the resource itself. */
const PLAIN = new Set(['list', 'get', 'create', 'update', 'delete']);

/**
 * True if the operation queries with a body and changes nothing; these have commands of their own (ask-commands.ts).
 */
export function isAsk(operation: OperationId): boolean {
  const { method, isWrite } = endpoint(operation);
  return !isWrite && method !== 'GET';
}

function verbOf(operation: OperationId): Verb | null {
  const { method, answer } = endpoint(operation);
  if (isAsk(operation) || hasDedicatedSender(operation)) return null;
  if (method === 'GET') return answer === 'paginated' ? 'ls' : 'get';
  return method === 'POST' ? 'create' : method === 'PATCH' ? 'update' : 'delete';
}

const split = (operation: OperationId): [string, string] => {
  const dot = operation.indexOf('.');
  return [operation.slice(0, dot), operation.slice(dot + 1)];
};

/**
 * The name for everything that shares a path: the prefix of a plain operation, otherwise of the one that reads it,
 * otherwise of the only one.
 */
function nameOfPath(path: string): string {
  const sharing = OPERATION_IDS.filter((id) => ENDPOINTS[id].path === path && !isAsk(id));
  const plain = sharing.find((id) => PLAIN.has(split(id)[1]));
  if (plain !== undefined) return split(plain)[0];
  return sharing.find((id) => !endpoint(id).isWrite) ?? sharing[0] ?? path;
}

/** The resource that an operation such as `models.baselines` lists. */
function listedBy(operation: OperationId, names: ReadonlySet<string>): string | null {
  const [, what] = split(operation);
  return verbOf(operation) === 'ls' && names.has(what) ? what : null;
}

function buildTable(): Resource[] {
  const plainNames = new Set(OPERATION_IDS.filter((id) => PLAIN.has(split(id)[1])).map((id) => split(id)[0]));
  const table = new Map<string, { title: string; operations: Record<Verb, OperationId[]> }>();
  for (const id of OPERATION_IDS) {
    const verb = verbOf(id);
    if (verb === null) continue;
    const name = listedBy(id, plainNames) ?? nameOfPath(ENDPOINTS[id].path);
    const found = table.get(name) ?? {
      title: ENDPOINTS[id].title,
      operations: { ls: [], get: [], create: [], update: [], delete: [] },
    };
    found.operations[verb].push(id);
    table.set(name, found);
  }
  return [...table].map(([name, rest]) => ({ name, ...rest })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export const RESOURCES: readonly Resource[] = buildTable();

export function resourcesWith(verb: Verb): Resource[] {
  return RESOURCES.filter(({ operations }) => operations[verb].length > 0);
}

export function verbsOf({ operations }: Resource): Verb[] {
  return VERBS.filter((verb) => operations[verb].length > 0);
}

/** Names of the path's parameters in order. */
export function pathParameters({ path }: Pick<Endpoint, 'path'>): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}

/** `application_id` has the flag `--application`, `start_time` `--start`, `entity_type` `--entity-type`. */
export function flagOf(parameter: string): string {
  return parameter.replace(/(?<=.)_id$|(?<=^start|^end)_time$/, '').replaceAll('_', '-');
}

/** The resource whose record a path parameter names: `dataset_id` one of `datasets`. */
export function resourceOfParameter(parameter: string): Resource | null {
  return (
    RESOURCES.find(({ operations }) =>
      operations.get.some((id) => ENDPOINTS[id].path.endsWith(`/{${parameter}}`)),
    ) ?? null
  );
}
