/**
 * The resources that a person can list, get, create, update and delete by name. They are derived from the endpoint
 * table: paths determine which operations belong together, and methods determine their verbs. Pure.
 */
import { ENDPOINTS, type Endpoint, endpoint, OPERATION_IDS, type OperationId } from '../api/endpoints.ts';
import { hasDedicatedSender } from '../resources/dedicated-senders.ts';

export const VERBS = ['ls', 'get', 'create', 'update', 'delete'] as const;
export type Verb = (typeof VERBS)[number];

export interface Resource {
  name: string;
  title: string;
  /**
   * The operations of each verb. There are several if the records can also be listed below another resource
   * (`--model`).
   */
  operations: Readonly<Record<Verb, readonly OperationId[]>>;
}

/** Suffixes of operations on the resource itself. */
const PLAIN = new Set(['list', 'get', 'create', 'update', 'delete']);

/**
 * Whether the operation sends a query in a body and changes nothing. Such operations have commands of their own
 * (ask-commands.ts).
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
 * The name for all operations on a path: the prefix of a plain operation, or else of the one that reads, or else of the
 * only one.
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

/**
 * The flag for a parameter: `--application` for `application_id`, `--start` for `start_time`, `--entity-type` for
 * `entity_type`.
 */
export function flagOf(parameter: string): string {
  return parameter.replace(/(?<=.)_id$|(?<=^start|^end)_time$/, '').replaceAll('_', '-');
}

/** The resource of the record that a path parameter names, e.g. `datasets` for `dataset_id`. */
export function resourceOfParameter(parameter: string): Resource | null {
  return (
    RESOURCES.find(({ operations }) =>
      operations.get.some((id) => ENDPOINTS[id].path.endsWith(`/{${parameter}}`)),
    ) ?? null
  );
}
