/** Models with their schema, and environments (SERVICE.md S4.8, F7.2 and F7.5). */
import { listAnswer } from '../lists.ts';
import { rowsSinceBegin } from '../monitoring/traffic.ts';
import { idOfReference, requiredOf } from '../record-parts.ts';
import type { Service } from '../service.ts';
import { malformed, notFound } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import type { HandlerRequest, Handlers } from './handler.ts';

const ENVIRONMENT_TYPES: readonly string[] = ['PRODUCTION', 'PRE_PRODUCTION'];

/** A model as in lists: without the fields that only a single model has. */
function compactModel(model: JsonRecord): JsonRecord {
  const { schema, spec, task_params, ...rest } = model;
  return rest;
}

function environmentRecords(service: Service, request: HandlerRequest, modelId?: string): JsonRecord[] {
  const type = request.query('type');
  if (type !== null && !ENVIRONMENT_TYPES.includes(type)) {
    throw malformed(`type must be ${ENVIRONMENT_TYPES.join(' or ')}; "${type}" was sent.`);
  }
  return service.stores.resources
    .list('environment', modelId)
    .filter((record) => type === null || record['type'] === type)
    .map((record) => ({ ...record, row_count: rowCount(service, record) }));
}

/**
 * Row count of an environment: for production its traffic, for others the initial rows, and in both cases the events
 * published since.
 */
function rowCount(service: Service, environment: JsonRecord): number {
  const published = service.stores.events.countOfEnvironment(String(environment['id']));
  if (environment['type'] === 'PRODUCTION') {
    const untilMs = Math.min(service.clock.nowMs(), service.settings.trafficUntilMs);
    return rowsSinceBegin(environment, idOfReference(environment, 'model') ?? '', untilMs) + published;
  }
  const initial = environment['row_count'];
  return (typeof initial === 'number' ? initial : 0) + published;
}

/** The reference to a model in other records. */
export function modelReference(model: JsonRecord): JsonRecord {
  return { id: model['id'], name: model['name'], version: model['version'] };
}

export const requireModel = requiredOf('model', 'Model');

export const modelHandlers = {
  'models.list': ({ stores }, request) =>
    listAnswer(stores.resources.list('model').map(compactModel), request),

  'models.get': (service, request) => ({
    kind: 'record',
    data: requireModel(service, request.path('model_id')),
  }),

  'environments.list': (service, request) => listAnswer(environmentRecords(service, request), request),

  'environments.get': (service, request) => {
    const id = request.path('env_id');
    const environment = service.stores.resources.get('environment', id);
    if (environment === null) throw notFound('Environment', id);
    return { kind: 'record', data: { ...environment, row_count: rowCount(service, environment) } };
  },

  'models.environments': (service, request) => {
    const modelId = request.path('model_id');
    requireModel(service, modelId);
    return listAnswer(environmentRecords(service, request, modelId), request);
  },
} satisfies Pick<
  Handlers,
  'models.list' | 'models.get' | 'environments.list' | 'environments.get' | 'models.environments'
>;
