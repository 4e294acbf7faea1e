/** Baselines (SERVICE.md S4.4, F7.1). */
import type { CreateBaselineBody } from '../../api/endpoints.ts';
import { listAnswer } from '../lists.ts';
import { BIN_SIZES, isBinSize } from '../monitoring/bins.ts';
import { baselineRows } from '../monitoring/traffic.ts';
import { idOfReference, madeNow, ORGANIZATION, requiredOf, sentFields } from '../record-parts.ts';
import type { Service } from '../service.ts';
import { malformed, ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import type { Handlers } from './handler.ts';
import { modelReference, requireModel } from './models.ts';

export const requireBaseline = requiredOf('baseline', 'Baseline');

/** Throws a 400 while an alert rule refers to the record by `name`. */
export function refuseWhileWatched(
  service: Service,
  name: 'baseline' | 'metric' | 'segment',
  id: string,
): void {
  const rule = service.stores.resources
    .list('alert-rule')
    .find((record) => idOfReference(record, name) === id);
  if (rule === undefined) return;
  const message = `The alert rule "${String(rule['name'])}" uses it. Delete the rule first.`;
  throw new ServiceError(400, message, { reason: 'InUse' });
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function checkShape(body: CreateBaselineBody): void {
  if (body.type !== 'STATIC' && body.type !== 'ROLLING') throw malformed('type must be STATIC or ROLLING.');
  if (body.env_type !== 'PRODUCTION' && body.env_type !== 'PRE_PRODUCTION') {
    throw malformed('env_type must be PRODUCTION or PRE_PRODUCTION.');
  }
  if (body.env_type === 'PRE_PRODUCTION' && !isGiven(body.env_id)) {
    throw malformed('env_id is required with env_type PRE_PRODUCTION.');
  }
  if (isGiven(body.window_bin_size) && !isBinSize(body.window_bin_size)) {
    throw malformed(`window_bin_size must be one of ${BIN_SIZES.join(', ')}.`);
  }
  if (body.type === 'ROLLING' && !(isGiven(body.offset_delta) && isGiven(body.window_bin_size))) {
    throw malformed('A ROLLING baseline needs offset_delta and window_bin_size.');
  }
  const { start_time: startMs, end_time: endMs } = body;
  if (typeof startMs === 'number' && typeof endMs === 'number' && endMs <= startMs) {
    throw malformed('end_time must be later than start_time.');
  }
  if (body.type === 'STATIC' && body.env_type === 'PRODUCTION' && !(isGiven(startMs) && isGiven(endMs))) {
    throw malformed('A STATIC baseline of PRODUCTION needs start_time and end_time.');
  }
}

function environmentOf(service: Service, body: CreateBaselineBody): JsonRecord {
  const found = service.stores.resources
    .list('environment', body.model_id)
    .find((record) =>
      isGiven(body.env_id) ? record['id'] === body.env_id : record['type'] === body.env_type,
    );
  if (found === undefined || found['type'] !== body.env_type) {
    throw new ServiceError(400, `The model has no such environment of type ${body.env_type}.`);
  }
  return found;
}

export const baselineHandlers = {
  'baselines.list': ({ stores }, request) => listAnswer(stores.resources.list('baseline'), request),

  'baselines.create': (service, request) => {
    const { body } = request;
    checkShape(body);
    const model = requireModel(service, body.model_id);
    const environment = environmentOf(service, body);
    const isTaken = service.stores.resources
      .list('baseline', body.model_id)
      .some((baseline) => baseline['name'] === body.name);
    if (isTaken) throw new ServiceError(409, `The model has a baseline named "${body.name}" already.`);
    const { model_id, env_type, env_id, ...rest } = body;
    const id = service.random.uuid();
    const baseline = {
      start_time: null,
      end_time: null,
      offset_delta: null,
      window_bin_size: null,
      row_count: baselineRows(service.stores, environment, {
        modelId: body.model_id,
        baseline: sentFields(rest),
        nowMs: service.clock.nowMs(),
      }),
      ...sentFields(rest),
      id,
      model: modelReference(model),
      project: model['project'],
      organization: ORGANIZATION,
      environment: { id: environment['id'], type: environment['type'], name: environment['name'] },
      ...madeNow(service),
    };
    service.stores.resources.add('baseline', id, body.model_id, baseline);
    return { kind: 'record', data: baseline };
  },

  'baselines.get': (service, request) => ({
    kind: 'record',
    data: requireBaseline(service, request.path('baseline_id')),
  }),

  'baselines.delete': (service, request) => {
    const id = request.path('baseline_id');
    requireBaseline(service, id);
    refuseWhileWatched(service, 'baseline', id);
    service.stores.resources.remove('baseline', id);
    return { kind: 'record', data: {} };
  },

  'models.baselines': (service, request) => {
    const modelId = request.path('model_id');
    requireModel(service, modelId);
    return listAnswer(service.stores.resources.list('baseline', modelId), request);
  },
} satisfies Pick<
  Handlers,
  'baselines.list' | 'baselines.create' | 'baselines.get' | 'baselines.delete' | 'models.baselines'
>;
