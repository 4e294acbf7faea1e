/** What a change makes outdated of what is stored: derived from the endpoint table. Pure. */
import { endpoint, OPERATION_IDS, type OperationId } from '../api/endpoints.ts';
import type { Touch } from '../library/types.ts';
import type { ActRequest } from './types.ts';

/** Operations that read the spans and what the service computes of them. */
const OF_SPANS: readonly OperationId[] = [
  'spans.query',
  'spans.fields',
  'queries.run',
  'catalog.list',
  'catalog.values',
];

/** Writes whose reach is not that of their resource. */
const REACH: Partial<Record<OperationId, (request: ActRequest) => Touch[]>> = {
  // Sends messages; nothing that can be read changes.
  'alert-rules.test-notification': () => [],
  // The service answers before it deletes: what goes, goes with the job (applicationGone).
  'applications.delete': () => [{ operation: 'jobs.list' }],
  'traces.delete': ({ body }) => ofApplication(OF_SPANS, body?.['application_id']),
  'sessions.delete': ({ body }) => ofApplication(OF_SPANS, body?.['application_id']),
  'alert-rules.create-notification': ({ path }) => [{ operation: 'alert-rules.notification', path }],
  'alert-rules.update-notification': ({ path }) => [{ operation: 'alert-rules.notification', path }],
};

/** The stored lists and records that a change touches; `isDone`: it was made, as far as is known. */
export function touchedBy(operation: OperationId, request: ActRequest, isDone: boolean): Touch[] {
  const own = REACH[operation];
  if (own !== undefined) return own(request);
  const isGone = isDone && endpoint(operation).method === 'DELETE';
  return readsOf(resourceOf(operation)).map((read) => touchOf(read, request.path, isGone));
}

/** What goes with an application, once its deletion job has ended: all that names it, and every list it stood in. */
export function applicationGone(applicationId: string): Touch[] {
  const path = { application_id: applicationId };
  const itsOwn = readsOf('applications').map((read) => touchOf(read, path, true));
  const named = OPERATION_IDS.filter((id) => !endpoint(id).isWrite).map((operation) => ({
    operation,
    mentions: applicationId,
  }));
  // Datasets belong to an application; a list of them need not name it.
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

/** `models.baselines` reads baselines as much as `baselines.list` does. */
function readsOf(resource: string): OperationId[] {
  return OPERATION_IDS.filter((id) => {
    const [prefix, what] = id.split('.');
    return !endpoint(id).isWrite && (prefix === resource || what === resource);
  });
}

function resourceOf(operation: OperationId): string {
  return operation.split('.')[0] ?? operation;
}

/** Narrowed to the same record where the read names it by the same parameter; every list of the resource else. */
function touchOf(read: OperationId, path: Readonly<Record<string, string>>, isGone: boolean): Touch {
  const shared = Object.entries(path).filter(([name]) => endpoint(read).path.includes(`{${name}}`));
  if (shared.length === 0) return { operation: read };
  return { operation: read, path: Object.fromEntries(shared), ...(isGone ? { isGone } : {}) };
}

function ofApplication(operations: readonly OperationId[], applicationId: unknown): Touch[] {
  if (typeof applicationId !== 'string') return operations.map((operation) => ({ operation }));
  return operations.map((operation) => ({ operation, mentions: applicationId }));
}
