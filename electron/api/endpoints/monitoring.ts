/** Baselines, custom metrics, the metrics of a model, metric queries (SERVICE.md S4.4, S4.6, S4.7, F7 and F8). */
import * as z from '../../shared/zod.ts';
import * as records from '../records.ts';
import { ask, type Endpoint, list, nothing, read, write } from './row.ts';

/** In milliseconds since 1970. `window_bin_size` rounds it to whole hours, days and so on. */
export const createBaselineBody = z.looseObject({
  name: z.string().min(1),
  model_id: z.uuid(),
  type: z.string().min(1),
  env_type: z.string().min(1),
  env_id: z.uuid().nullish(),
  start_time: z.number().nullish(),
  end_time: z.number().nullish(),
  offset_delta: z.int().min(1).nullish(),
  window_bin_size: z.string().nullish(),
});
export type CreateBaselineBody = z.infer<typeof createBaselineBody>;

export const createCustomMetricBody = z.looseObject({
  model_id: z.uuid(),
  name: z.string().min(1),
  description: z.string().nullish(),
  definition: z.string().min(1),
});

const queryFilters = z.looseObject({
  time_label: z.string().nullish(),
  time_range: z
    .looseObject({
      start_time: z.union([z.string(), z.number()]),
      end_time: z.union([z.string(), z.number()]),
    })
    .nullish(),
  time_zone: z.string().nullish(),
  bin_size: z.string().nullish(),
});

/** SERVICE.md F8.1 */
export const monitoringQueryBody = z.looseObject({
  project_id: z.uuid(),
  query_type: z.string().min(1),
  time_comparison: z.string().nullish(),
  filters: queryFilters,
  queries: z
    .array(
      z.looseObject({
        query_key: z.string().min(1),
        model_id: z.uuid(),
        metric: z.string().min(1),
        metric_type: z.string().nullish(),
        baseline_id: z.string().nullish(),
        columns: z.array(z.string()).nullish(),
        categories: z.array(z.string()).nullish(),
        viz_type: z.string().nullish(),
      }),
    )
    .min(1),
});
export type MonitoringQueryBody = z.infer<typeof monitoringQueryBody>;

/** LLMQueryRequest is not published. This is the monitoring query with an application in place of models. */
export const llmQueryBody = z.looseObject({
  application_id: z.uuid(),
  query_type: z.string().nullish(),
  filters: queryFilters,
  queries: z
    .array(
      z.looseObject({
        query_key: z.string().min(1),
        metric: z.string().min(1),
        viz_type: z.string().nullish(),
      }),
    )
    .min(1),
});
export type LlmQueryBody = z.infer<typeof llmQueryBody>;

export const queryBody = z.union([monitoringQueryBody, llmQueryBody]);
export type QueryBody = z.infer<typeof queryBody>;

const guarded = [400, 401, 403, 404, 500];

export const monitoringEndpoints = {
  'baselines.list': list({
    path: '/v3/baselines',
    title: 'Baselines',
    help: 'Baselines of the models the token may see.',
    section: 'S4.4',
    errors: [400, 401, 403, 500],
    item: records.baseline,
  }),
  'baselines.create': write({
    method: 'POST',
    path: '/v3/baselines',
    title: 'Create a baseline',
    help: 'What drift is measured against: fixed data, or a window that moves.',
    section: 'S4.4, F7.1',
    errors: [400, 401, 403, 409, 500],
    body: createBaselineBody,
    item: records.baseline,
  }),
  'baselines.get': read({
    path: '/v3/baselines/{baseline_id}',
    title: 'Baseline',
    help: 'One baseline.',
    section: 'S4.4',
    errors: guarded,
    item: records.baseline,
  }),
  'baselines.delete': write({
    method: 'DELETE',
    path: '/v3/baselines/{baseline_id}',
    title: 'Delete a baseline',
    help: 'Deletes one baseline.',
    section: 'S4.4',
    errors: guarded,
    body: null,
    item: nothing,
    identity: null,
    isRepeatSafe: true,
  }),
  'models.baselines': list({
    path: '/v3/models/{model_id}/baselines',
    title: 'Baselines of a model',
    help: 'Baselines of one model.',
    section: 'S4.4',
    errors: guarded,
    item: records.baseline,
  }),
  'queries.run': ask({
    path: '/v3/queries',
    title: 'Query metrics',
    help: 'Metric values by time bin, of models or of an application.',
    section: 'S4.6, F8',
    errors: [400, 401, 404, 500],
    body: queryBody,
    item: records.queryResult,
  }),
  'custom-metrics.list': list({
    path: '/v3/custom-metrics',
    title: 'Custom metrics',
    help: 'Metrics that people have defined.',
    section: 'S4.7',
    errors: [400, 401, 403, 500],
    item: records.customMetric,
  }),
  'custom-metrics.create': write({
    method: 'POST',
    path: '/v3/custom-metrics',
    title: 'Create a custom metric',
    help: 'A metric defined by an expression; it cannot be changed later.',
    section: 'S4.7, F7.3',
    errors: guarded,
    body: createCustomMetricBody,
    item: records.customMetric,
  }),
  'custom-metrics.get': read({
    path: '/v3/custom-metrics/{uuid}',
    title: 'Custom metric',
    help: 'One custom metric.',
    section: 'S4.7',
    errors: [401, 403, 404, 500],
    item: records.customMetric,
  }),
  'custom-metrics.delete': write({
    method: 'DELETE',
    path: '/v3/custom-metrics/{uuid}',
    title: 'Delete a custom metric',
    help: 'Deletes one custom metric.',
    section: 'S4.7',
    errors: guarded,
    body: null,
    item: nothing,
    identity: null,
    isRepeatSafe: true,
  }),
  'models.custom-metrics': list({
    path: '/v3/models/{model_id}/custom-metrics',
    title: 'Custom metrics of a model',
    help: 'Custom metrics of one model.',
    section: 'S4.7',
    errors: guarded,
    item: records.customMetric,
  }),
  'models.metrics': read({
    path: '/v3/models/{model_id}/metrics',
    title: 'Metrics of a model',
    help: 'What can be charted or watched, and the columns it can be about.',
    section: 'F7.5',
    errors: guarded,
    item: records.modelMetrics,
    identity: null,
  }),
} satisfies Record<string, Endpoint>;
