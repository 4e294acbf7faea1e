/** Finds stored data that a change makes outdated, using the endpoint table. Pure. */
import { endpoint, OPERATION_IDS, type OperationId } from '../api/endpoints.ts';
import type { Invalidation } from '../library/types.ts';
import type { ActRequest } from './types.ts';

/** Operations that read spans and values computed from them. */
const OF_SPANS: readonly OperationId[] = [
  'spans.query',
  'spans.fields',
  'queries.run',
  'catalog.list',
  'catalog.values',
];

/** Changes that affect more or less than their own resource. */
const REACH: Partial<Record<OperationId, (request: ActRequest) => Invalidation[]>> = {
  // Only sends messages, so no readable data changes.
  'alert-rules.test-notification': () => [],
  // The service answers before it deletes, so the effects are known only when the job ends (applicationGone).
  'applications.delete': () => [{ operation: 'jobs.list' }],
  'traces.delete': ({ body }) => ofApplication(OF_SPANS, body?.['application_id']),
  'sessions.delete': ({ body }) => ofApplication(OF_SPANS, body?.['application_id']),
  'alert-rules.create-notification': ({ path }) => [{ operation: 'alert-rules.notification', path }],
  'alert-rules.update-notification': ({ path }) => [{ operation: 'alert-rules.notification', path }],
};

/** Operations of other resources that also show a change, e.g. a custom metric in the list of its model's metrics. */
const ALSO: Readonly<Record<string, readonly OperationId[]>> = { 'custom-metrics': ['models.metrics'] };

/** The stored lists and records that a change affects. `isDone`: the change was made, as far as is known. */
export function invalidatedBy(operation: OperationId, request: ActRequest, isDone: boolean): Invalidation[] {
  const own = REACH[operation];
  if (own !== undefined) return own(request);
  const resource = resourceOf(operation);
  const reads = [...readsOf(resource), ...(ALSO[resource] ?? [])];
  const isGone = isDone && endpoint(operation).method === 'DELETE';
  return reads.flatMap((read) => invalidationOf(read, request, resource, isGone));
}

/**
 * The data that is deleted with an application, after its deletion job has ended: everything that names the
 * application, and all lists that contained it.
 */
export function applicationGone(applicationId: string): Invalidation[] {
  const path = { application_id: applicationId };
  const request = { operation: 'applications.delete', path, query: {}, body: null };
  const itsOwn = readsOf('applications').flatMap((read) =>
    invalidationOf(read, request, 'applications', true),
  );
  const named = OPERATION_IDS.filter((id) => !endpoint(id).isWrite).map((operation) => ({
    operation,
    mentions: applicationId,
  }));
  // Datasets belong to an application, but a list of them need not name it.
  const lists: OperationId[] = [
    'datasets.list',
    'datasets.get',
    'datasets.items',
    'datasets.schema',
    'attributes.list',
    'jobs.list',
  ];
  return [...itsOwn, ...named, ...lists.map((operation) => ({ operation }))];
}

/** Operations that read a resource; `models.baselines` reads baselines like `baselines.list`. */
function readsOf(resource: string): OperationId[] {
  return OPERATION_IDS.filter((id) => {
    const [prefix, what] = id.split('.');
    return !endpoint(id).isWrite && (prefix === resource || what === resource);
  });
}

function resourceOf(operation: OperationId): string {
  return operation.split('.')[0] ?? operation;
}

/**
 * Restricts an invalidation to the records that the change names in its path or body. A parameter that the change does
 * not name matches any value. The id of a new record cannot be in a stored read.
 */
function invalidationOf(
  read: OperationId,
  request: ActRequest,
  resource: string,
  isGone: boolean,
): Invalidation[] {
  const named: Record<string, unknown> = { ...request.body, ...request.path };
  const path: Record<string, string> = {};
  for (const parameter of parametersOf(read)) {
    const value = named[parameter];
    if (typeof value === 'string') path[parameter] = value;
    else if (parameter === ownParameter(resource)) return [];
  }
  if (Object.keys(path).length === 0) return [{ operation: read }];
  return [{ operation: read, path, ...(isGone && isOf(path, request.path) ? { isGone } : {}) }];
}

/** Whether the read concerns exactly the deleted record. */
function isOf(path: Readonly<Record<string, string>>, deleted: Readonly<Record<string, string>>): boolean {
  return Object.keys(deleted).some((name) => path[name] === deleted[name]);
}

function parametersOf(operation: OperationId): string[] {
  return [...endpoint(operation).path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
}

/** The path parameter of a resource's single record, e.g. `baseline_id` for baselines. */
function ownParameter(resource: string): string | null {
  const getter = OPERATION_IDS.find((id) => id === `${resource}.get`);
  return getter === undefined ? null : (parametersOf(getter).at(-1) ?? null);
}

function ofApplication(operations: readonly OperationId[], applicationId: unknown): Invalidation[] {
  if (typeof applicationId !== 'string') return operations.map((operation) => ({ operation }));
  return operations.map((operation) => ({ operation, mentions: applicationId }));
}
