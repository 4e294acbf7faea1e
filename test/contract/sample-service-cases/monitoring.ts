/** Baselines, custom metrics, metric queries, alert rules. */
import type { OperationId } from '../../../electron/api/endpoints.ts';
import { type Case, UNKNOWN_ID, type World } from './world.ts';

const DAY_MS = 86_400_000;

export function range(days: number): string {
  const endMs = Date.now();
  const [start, end] = [endMs - days * DAY_MS, endMs].map((ms) => new Date(ms).toISOString());
  return `start_time=${start}&end_time=${end}`;
}

export function baselineBody(world: World, name = world.name('Baseline')) {
  return {
    name,
    model_id: world.ids.fraud,
    type: 'ROLLING',
    env_type: 'PRODUCTION',
    offset_delta: 1,
    window_bin_size: 'Week',
  };
}

export function metricBody(world: World) {
  return { name: world.name('Metric'), model_id: world.ids.fraud, definition: 'sum(if(amount > 10, 1, 0))' };
}

export function segmentBody(world: World, name = world.name('Segment')) {
  return { name, model_id: world.ids.fraud, definition: 'amount > 100' };
}

export function ruleBody(world: World) {
  return {
    name: world.name('Rule'),
    model_id: world.ids.fraud,
    metric_id: 'traffic',
    priority: 'LOW',
    bin_size: 'Day',
    compare_to: 'raw_value',
    condition: 'greater',
    warning_threshold: 9_000,
    critical_threshold: 10_500,
  };
}

export function modelQuery(modelId: string, projectId: string) {
  return {
    project_id: projectId,
    query_type: 'MONITORING',
    filters: { time_label: '30d', bin_size: 'Day' },
    queries: [{ query_key: 'a', model_id: modelId, metric: 'traffic', columns: [] }],
  };
}

const makeRule = (world: World) => world.make('alert-rules.create', ruleBody(world));
const ofRule = async (world: World) => ({ parameters: { alert_id: await makeRule(world) } });
const ofBaseline = async (world: World) => ({
  parameters: { baseline_id: await world.make('baselines.create', baselineBody(world)) },
});
const ofMetric = async (world: World) => ({
  parameters: { uuid: await world.make('custom-metrics.create', metricBody(world)) },
});
const ofSegment = async (world: World) => ({
  parameters: { segment_id: await world.make('segments.create', segmentBody(world)) },
});
const ofModel = (world: World) => ({ parameters: { model_id: world.ids.fraud } });
const ofRuleInRange = async (world: World) => ({ ...(await ofRule(world)), query: `?${range(30)}` });
const notifying = async (world: World) => ({
  ...(await ofRule(world)),
  body: { emails: ['someone@meridian.invalid'] },
});
const plain: Case = { success: () => ({}) };

export const MONITORING_CASES = {
  'baselines.list': plain,
  'baselines.create': {
    success: (world) => ({ body: baselineBody(world) }),
    errors: { 409: (world) => ({ body: baselineBody(world, 'default_static_baseline') }) },
  },
  'baselines.get': { success: ofBaseline },
  'baselines.delete': { success: ofBaseline },
  'models.baselines': { success: ofModel },
  'queries.run': {
    success: (world) => ({ body: modelQuery(world.ids.fraud, world.ids.project) }),
    errors: { 404: (world) => ({ body: modelQuery(UNKNOWN_ID, world.ids.project) }) },
  },
  'custom-metrics.list': plain,
  'custom-metrics.create': {
    success: (world) => ({ body: metricBody(world) }),
    errors: { 404: (world) => ({ body: { ...metricBody(world), model_id: UNKNOWN_ID } }) },
  },
  'custom-metrics.get': { success: ofMetric },
  'custom-metrics.delete': { success: ofMetric },
  'segments.list': plain,
  'segments.create': {
    success: (world) => ({ body: segmentBody(world) }),
    errors: {
      404: (world) => ({ body: { ...segmentBody(world), model_id: UNKNOWN_ID } }),
      409: (world) => ({ body: segmentBody(world, 'Large payments') }),
    },
  },
  'segments.get': { success: ofSegment },
  'segments.delete': { success: ofSegment },
  'models.custom-metrics': { success: ofModel },
  'models.metrics': { success: ofModel },
  'alert-rules.list': plain,
  'alert-rules.create': { success: (world) => ({ body: ruleBody(world) }) },
  'alert-rules.summary': { success: () => ({ query: `?${range(7)}` }) },
  'alert-rules.get': { success: ofRule },
  'alert-rules.update': {
    success: async (world) => ({ ...(await ofRule(world)), body: { priority: 'HIGH' } }),
  },
  'alert-rules.delete': { success: ofRule },
  'alert-rules.records': { success: ofRuleInRange },
  'alert-rules.history': { success: ofRuleInRange },
  'alert-rules.thresholds': {
    success: async (world) => ({ ...(await ofRule(world)), query: `?alert_time_bucket=${Date.now()}` }),
  },
  'alert-rules.notification': { success: ofRule },
  'alert-rules.create-notification': { success: notifying },
  'alert-rules.update-notification': { success: notifying },
  'alert-rules.test-notification': {
    success: async (world) => {
      const sending = await notifying(world);
      await world.done('alert-rules.create-notification', sending);
      return { parameters: sending.parameters };
    },
  },
} satisfies Partial<Record<OperationId, Case>>;
