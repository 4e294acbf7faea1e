/** Alert rules (SERVICE.md S4.1, F6.1 to F6.3). */
import type { CreateAlertRuleBody, UpdateAlertRuleBody } from '../../api/endpoints.ts';
import { listAnswer } from '../lists.ts';
import { ANY_FEATURE } from '../monitoring/alert-evaluation.ts';
import { columnsOf, fitsColumn, METRIC_TYPES, type Metric, metricsOf } from '../monitoring/metrics.ts';
import { changedNow, madeNow, ORGANIZATION, referenceTo, requiredOf, sentFields } from '../record-parts.ts';
import type { Service } from '../service.ts';
import { malformed, ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import { requireBaseline } from './baselines.ts';
import type { Handlers } from './handler.ts';
import { modelReference, requireModel } from './models.ts';

const WORDS: Readonly<
  Record<'priority' | 'bin_size' | 'compare_to' | 'condition' | 'threshold_type', readonly string[]>
> = {
  priority: ['HIGH', 'MEDIUM', 'LOW'],
  bin_size: ['Hour', 'Day', 'Week', 'Month'],
  compare_to: ['raw_value', 'time_period'],
  condition: ['greater', 'lesser'],
  threshold_type: ['manual', 'standard_deviation_auto_threshold'],
};

/** Distances, in bins, that a rule may compare with, by bin size (SERVICE.md F6.1). */
const DELTAS: Readonly<Record<string, readonly number[]>> = {
  Hour: [1, 24, 168, 720, 2_160],
  Day: [1, 7, 30, 90],
  Week: [1],
  Month: [1],
};

const UPDATABLE: readonly string[] = [
  'name',
  'priority',
  'enable_notification',
  'critical_threshold',
  'warning_threshold',
  'evaluation_delay',
  'auto_threshold_params',
];

/** Throws a 404 if there is no such rule. */
export const requireRule = requiredOf('alert-rule', 'Alert rule');

function checkWord(field: keyof typeof WORDS, value: string | null | undefined): void {
  if (value === null || value === undefined || WORDS[field].includes(value)) return;
  throw malformed(`${field} must be one of ${WORDS[field].join(', ')}; "${value}" was sent.`);
}

function checkShape(body: CreateAlertRuleBody): void {
  for (const field of Object.keys(WORDS) as (keyof typeof WORDS)[]) checkWord(field, body[field]);
  const isAutomatic = body.threshold_type === 'standard_deviation_auto_threshold';
  if (!isAutomatic && typeof body.critical_threshold !== 'number') {
    throw malformed('critical_threshold is required unless the threshold_type is automatic.');
  }
  const delta = body.compare_bin_delta ?? null;
  const deltas = DELTAS[body.bin_size] ?? [];
  if (body.compare_to === 'time_period' && (delta === null || !deltas.includes(delta))) {
    throw malformed(
      `compare_bin_delta must be one of ${deltas.join(', ')} for bins of one ${body.bin_size}.`,
    );
  }
}

function checkFeatures(metric: Metric, body: CreateAlertRuleBody, model: JsonRecord): string[] | null {
  const names = body.feature_names ?? [];
  if (metric.about === 'none') return null;
  if (names.length === 0) throw malformed(`feature_names is required for the metric ${metric.id}.`);
  const columns = columnsOf(model).filter((column) => fitsColumn(metric.about, column));
  const unknown = names.find(
    (name) => name !== ANY_FEATURE && !columns.some((column) => column.name === name),
  );
  if (unknown !== undefined)
    throw new ServiceError(400, `The metric ${metric.id} has no column "${unknown}".`);
  return names;
}

/** The baseline of a drift metric. Other metrics must have none. */
function baselineOf(service: Service, metric: Metric, body: CreateAlertRuleBody): JsonRecord | null {
  const id = body.baseline_id ?? null;
  if (metric.type !== 'drift') {
    if (id === null) return null;
    throw malformed(`baseline_id goes with drift metrics only; ${metric.id} is none.`);
  }
  if (id === null) throw malformed(`baseline_id is required for the drift metric ${metric.id}.`);
  return referenceTo(requireBaseline(service, id));
}

interface MetricReference extends JsonRecord {
  id: string;
}

/** A metric in the form in which an alert rule refers to it. */
export function metricReference(metric: Metric): MetricReference {
  return {
    id: metric.id,
    display_name: metric.name,
    type: metric.type,
    type_display_name: METRIC_TYPES[metric.type],
  };
}

function create(service: Service, body: CreateAlertRuleBody): JsonRecord {
  checkShape(body);
  const model = requireModel(service, body.model_id);
  const metric = metricsOf(service.stores, model).find(({ id }) => id === body.metric_id);
  if (metric === undefined) throw new ServiceError(400, `The model has no metric "${body.metric_id}".`);
  const features = checkFeatures(metric, body, model);
  if (metric.about === 'category' && (body.category ?? '') === '') {
    throw malformed(`category is required for the metric ${metric.id}.`);
  }
  const { model_id, metric_id, baseline_id, segment_id, ...rest } = body;
  const id = service.random.uuid();
  const rule = {
    critical_threshold: null,
    warning_threshold: null,
    threshold_type: 'manual',
    auto_threshold_params: null,
    category: null,
    compare_bin_delta: null,
    evaluation_delay: 0,
    enable_notification: true,
    version: '1',
    ...sentFields(rest),
    id,
    feature_names: features,
    metric: metricReference(metric),
    baseline: baselineOf(service, metric, body),
    segment: null,
    model: modelReference(model),
    project: model['project'],
    organization: ORGANIZATION,
    ...madeNow(service),
  };
  service.stores.resources.add('alert-rule', id, body.model_id, rule);
  return rule;
}

function update(service: Service, id: string, body: UpdateAlertRuleBody): JsonRecord {
  const rule = requireRule(service, id);
  const changes = sentFields(body);
  const fixed = Object.keys(changes).find(
    (field) => Object.hasOwn(rule, field) && !UPDATABLE.includes(field),
  );
  const isFixed =
    fixed ?? Object.keys(changes).find((field) => /^(model|metric|baseline|segment)_id$/.test(field));
  if (isFixed !== undefined)
    throw malformed(`${isFixed} of an alert rule cannot be changed. Make another rule.`);
  if (Object.keys(changes).length === 0) throw malformed(`Send at least one of ${UPDATABLE.join(', ')}.`);
  checkWord('priority', body.priority);
  const changed = { ...rule, ...changes, ...changedNow(service) };
  service.stores.resources.replace('alert-rule', id, changed);
  return changed;
}

export const alertRuleHandlers = {
  'alert-rules.list': ({ stores }, request) => listAnswer(stores.resources.list('alert-rule'), request),

  'alert-rules.create': (service, request) => ({ kind: 'record', data: create(service, request.body) }),

  'alert-rules.get': (service, request) => ({
    kind: 'record',
    data: requireRule(service, request.path('alert_id')),
  }),

  'alert-rules.update': (service, request) => ({
    kind: 'record',
    data: update(service, request.path('alert_id'), request.body),
  }),

  'alert-rules.delete': (service, request) => {
    const id = request.path('alert_id');
    requireRule(service, id);
    service.stores.resources.remove('alert-rule', id);
    service.stores.resources.remove('notification', id);
    return { kind: 'record', data: {} };
  },
} satisfies Pick<
  Handlers,
  'alert-rules.list' | 'alert-rules.create' | 'alert-rules.get' | 'alert-rules.update' | 'alert-rules.delete'
>;
