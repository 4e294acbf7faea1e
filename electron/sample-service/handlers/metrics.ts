/** Custom metrics and the metrics of a model (SERVICE.md S4.7, F7.3 and F7.5). */
import { listAnswer } from '../lists.ts';
import { definitionIssue } from '../monitoring/definition.ts';
import { columnsOf, modelMetricsRecord } from '../monitoring/metrics.ts';
import { requiredOf } from '../record-parts.ts';
import { ServiceError } from '../service-error.ts';
import { refuseWhileWatched } from './baselines.ts';
import { addDefined, isNameTaken } from './definitions.ts';
import type { Handlers } from './handler.ts';
import { requireModel } from './models.ts';

const requireMetric = requiredOf('custom-metric', 'Custom metric');

export const metricHandlers = {
  'custom-metrics.list': ({ stores }, request) => listAnswer(stores.resources.list('custom-metric'), request),

  'custom-metrics.create': (service, request) => {
    const { body } = request;
    const model = requireModel(service, body.model_id);
    const issue = definitionIssue(body.definition, new Set(columnsOf(model).map((column) => column.name)));
    if (issue !== null) {
      throw new ServiceError(400, `The definition is not valid: ${issue}.`, { reason: 'InvalidDefinition' });
    }
    if (isNameTaken(service, 'custom-metric', body)) {
      const message = `The model has a custom metric named "${body.name}" already.`;
      throw new ServiceError(400, message, { reason: 'Conflict' });
    }
    return addDefined(service, 'custom-metric', model, body);
  },

  'custom-metrics.get': (service, request) => ({
    kind: 'record',
    data: requireMetric(service, request.path('uuid')),
  }),

  'custom-metrics.delete': (service, request) => {
    const id = request.path('uuid');
    requireMetric(service, id);
    refuseWhileWatched(service, 'metric', id);
    service.stores.resources.remove('custom-metric', id);
    return { kind: 'record', data: {} };
  },

  'models.custom-metrics': (service, request) => {
    const modelId = request.path('model_id');
    requireModel(service, modelId);
    return listAnswer(service.stores.resources.list('custom-metric', modelId), request);
  },

  'models.metrics': (service, request) => ({
    kind: 'record',
    data: modelMetricsRecord(service.stores, requireModel(service, request.path('model_id'))),
  }),
} satisfies Pick<
  Handlers,
  | 'custom-metrics.list'
  | 'custom-metrics.create'
  | 'custom-metrics.get'
  | 'custom-metrics.delete'
  | 'models.custom-metrics'
  | 'models.metrics'
>;
