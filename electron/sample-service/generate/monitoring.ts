/**
 * Baselines, custom metrics and alert rules of the sample models; thresholds are derived from the series themselves.
 */
import { metricReference } from '../handlers/alert-rules.ts';
import { modelReference } from '../handlers/models.ts';
import { evaluate, watchedRule } from '../monitoring/alert-evaluation.ts';
import { type BinSize, binBefore, binOf, DAY_MS } from '../monitoring/bins.ts';
import { metricsOf } from '../monitoring/metrics.ts';
import { baselineRows } from '../monitoring/traffic.ts';
import { CALLER, ORGANIZATION } from '../record-parts.ts';
import type { JsonRecord } from '../store.ts';
import type { Stores } from '../stores.ts';
import type { SeededRandom } from './seeded-random.ts';

interface RulePlan {
  name: string;
  /** Id of a built-in metric, or the name of a custom one. */
  metric: string;
  features: string[] | null;
  binSize: BinSize;
  condition: 'greater' | 'lesser';
  priority: 'HIGH' | 'MEDIUM' | 'LOW';
  /** Distance, in bins, to the bin that a bin is compared with. */
  compareDelta?: number;
  isAutomatic?: boolean;
  category?: string;
  emails?: string[];
  /** Shares of the bins that are within the thresholds; default: the values for all rules. */
  within?: Within;
}

interface Within {
  warning: number;
  critical: number;
}

interface ModelMonitoring {
  model: string;
  customMetrics: { name: string; description: string; definition: string }[];
  rules: RulePlan[];
}

const PLANS: readonly ModelMonitoring[] = [
  {
    model: 'Card fraud',
    customMetrics: [
      {
        name: 'Blocked amount',
        description: 'Amount of the payments that were blocked.',
        definition: 'sum(if(fraud_score > 0.8, amount, 0))',
      },
      {
        name: 'Online share',
        description: 'Share of payments made online.',
        definition: 'count(if(is_online, 1, null)) / count(amount)',
      },
    ],
    rules: [
      {
        name: 'Fraud score drifts',
        metric: 'jsd',
        features: ['fraud_score'],
        binSize: 'Day',
        condition: 'greater',
        priority: 'HIGH',
        emails: ['risk.watch@meridian.invalid'],
        // A fifth of the days are peaks, each of which is at least a warning.
        within: { warning: 0.78, critical: 0.9 },
      },
      {
        name: 'Traffic drops',
        metric: 'traffic',
        features: null,
        binSize: 'Hour',
        condition: 'lesser',
        priority: 'HIGH',
        emails: ['platform@meridian.invalid', 'risk.watch@meridian.invalid'],
      },
      {
        name: 'Amounts out of range',
        metric: 'range_violation_percentage',
        features: ['amount', 'hour_of_day'],
        binSize: 'Day',
        condition: 'greater',
        priority: 'MEDIUM',
      },
      {
        name: 'Precision falls',
        metric: 'precision',
        features: null,
        binSize: 'Week',
        condition: 'lesser',
        priority: 'HIGH',
      },
      {
        name: 'Average amount against last week',
        metric: 'average',
        features: ['amount'],
        binSize: 'Day',
        condition: 'greater',
        priority: 'LOW',
        compareDelta: 7,
      },
      {
        name: 'Blocked amount rises',
        metric: 'Blocked amount',
        features: null,
        binSize: 'Day',
        condition: 'greater',
        priority: 'MEDIUM',
      },
    ],
  },
  {
    model: 'Auto insurance value',
    customMetrics: [
      {
        name: 'Premium per policy',
        description: 'Average monthly premium of customers with more than one policy.',
        definition: 'average(if(number_of_policies > 1, monthly_premium_auto, null))',
      },
    ],
    rules: [
      {
        name: 'Premium and income drift',
        metric: 'psi',
        features: ['monthly_premium_auto', 'income'],
        binSize: 'Day',
        condition: 'greater',
        priority: 'HIGH',
        emails: ['pricing@meridian.invalid'],
      },
      {
        name: 'Prediction error grows',
        metric: 'mae',
        features: null,
        binSize: 'Day',
        condition: 'greater',
        priority: 'HIGH',
      },
      {
        name: 'Values are missing',
        metric: 'null_violation_count',
        features: ['__ANY__'],
        binSize: 'Day',
        condition: 'greater',
        priority: 'MEDIUM',
      },
      {
        name: 'Claims leave their usual band',
        metric: 'sum',
        features: ['total_claim_amount'],
        binSize: 'Day',
        condition: 'greater',
        priority: 'LOW',
        isAutomatic: true,
      },
      {
        name: 'Premium coverage is chosen less',
        metric: 'frequency',
        features: ['coverage'],
        binSize: 'Week',
        condition: 'lesser',
        priority: 'LOW',
        category: 'Premium',
      },
    ],
  },
];

/** Number of bins from which thresholds are derived, and the shares of these bins that are within the thresholds. */
const LEARNED_BINS = 90;
const USUAL_WITHIN: Within = { warning: 0.92, critical: 0.97 };

function stamps(random: SeededRandom, baseMs: number, leastDays: number): JsonRecord {
  const createdMs = baseMs - random.int(leastDays, leastDays + 60) * DAY_MS;
  return {
    created_at: new Date(createdMs).toISOString(),
    updated_at: new Date(createdMs + random.int(1, leastDays - 1) * DAY_MS).toISOString(),
    created_by: CALLER,
    updated_by: CALLER,
  };
}

/** Thresholds that some bins exceed: quantiles of the rule's own values at the given shares. */
function learnThresholds(stores: Stores, rule: JsonRecord, nowMs: number, within: Within): JsonRecord {
  const watched = watchedRule(stores, rule);
  if (watched === null) return {};
  const last = binOf(nowMs, watched.binSize);
  const values = Array.from({ length: LEARNED_BINS }, (_, index) =>
    binBefore(last, watched.binSize, index + 1),
  )
    .flatMap((bin) => watched.features.map((column) => evaluate(watched, column, bin)))
    .flatMap((finding) => (finding === null ? [] : [finding.value]))
    .toSorted((a, b) => (watched.isGreater ? a - b : b - a));
  const at = (part: number): number | null => {
    const value = values[Math.floor(part * (values.length - 1))];
    return value === undefined ? null : Number(value.toPrecision(3));
  };
  return { warning_threshold: at(within.warning), critical_threshold: at(within.critical) };
}

function addBaselines(stores: Stores, random: SeededRandom, model: JsonRecord, baseMs: number): JsonRecord[] {
  const modelId = String(model['id']);
  const environments = stores.resources.list('environment', modelId);
  const set = environments.find((record) => record['type'] === 'PRE_PRODUCTION');
  const production = environments.find((record) => record['type'] === 'PRODUCTION');
  const none = { start_time: null, end_time: null, offset_delta: null, window_bin_size: null };
  const fixed = { start_time: baseMs - 180 * DAY_MS, end_time: baseMs - 150 * DAY_MS };
  const plans = [
    set === undefined
      ? { name: 'default_static_baseline', type: 'STATIC', ...none, ...fixed, environment: production }
      : { name: 'default_static_baseline', type: 'STATIC', ...none, environment: set },
    {
      name: 'month before',
      type: 'ROLLING',
      ...none,
      offset_delta: 1,
      window_bin_size: 'Month',
      environment: production,
    },
  ];
  return plans.map(({ environment, ...plan }) => {
    const id = random.uuid();
    const record = {
      id,
      ...plan,
      row_count: baselineRows(stores, environment, { modelId, baseline: plan, nowMs: baseMs }),
      model: modelReference(model),
      project: model['project'],
      organization: ORGANIZATION,
      environment: { id: environment?.['id'], type: environment?.['type'], name: environment?.['name'] },
      ...stamps(random, baseMs, 90),
    };
    stores.resources.add('baseline', id, modelId, record);
    return record;
  });
}

interface Place {
  stores: Stores;
  random: SeededRandom;
  model: JsonRecord;
  baseline: JsonRecord | undefined;
  baseMs: number;
}

function addRule({ stores, random, model, baseline, baseMs }: Place, plan: RulePlan): void {
  const metric = metricsOf(stores, model).find(({ id, name }) => id === plan.metric || name === plan.metric);
  if (metric === undefined) throw new Error(`The sample rule "${plan.name}" names an unknown metric.`);
  const id = random.uuid();
  const rule: JsonRecord = {
    id,
    name: plan.name,
    priority: plan.priority,
    bin_size: plan.binSize,
    compare_to: plan.compareDelta === undefined ? 'raw_value' : 'time_period',
    compare_bin_delta: plan.compareDelta ?? null,
    condition: plan.condition,
    critical_threshold: null,
    warning_threshold: null,
    threshold_type: plan.isAutomatic === true ? 'standard_deviation_auto_threshold' : 'manual',
    auto_threshold_params:
      plan.isAutomatic === true ? { warning_multiplier: 1.5, critical_multiplier: 2.5 } : null,
    feature_names: plan.features,
    category: plan.category ?? null,
    evaluation_delay: 0,
    enable_notification: plan.emails !== undefined,
    version: '1',
    metric: metricReference(metric),
    baseline:
      metric.type === 'drift' && baseline !== undefined
        ? { id: baseline['id'], name: baseline['name'] }
        : null,
    segment: null,
    model: modelReference(model),
    project: model['project'],
    organization: ORGANIZATION,
    ...stamps(random, baseMs, 40),
  };
  const thresholds =
    plan.isAutomatic === true ? {} : learnThresholds(stores, rule, baseMs, plan.within ?? USUAL_WITHIN);
  stores.resources.add('alert-rule', id, String(model['id']), { ...rule, ...thresholds });
  if (plan.emails === undefined) return;
  const notification = { emails: plan.emails, pagerduty_services: [], pagerduty_severity: '', webhooks: [] };
  stores.resources.add('notification', id, id, notification);
}

const SEGMENTS: readonly { model: string; name: string; description: string; definition: string }[] = [
  {
    model: 'Card fraud',
    name: 'Large payments',
    description: 'Payments of more than 500.',
    definition: 'amount > 500',
  },
  {
    model: 'Card fraud',
    name: 'Online at night',
    description: 'Online payments of more than 50.',
    definition: 'is_online and amount > 50',
  },
];

/** Adds segments of the sample models, which must exist. */
export function generateSegments(stores: Stores, random: SeededRandom, baseMs: number): void {
  for (const model of stores.resources.list('model')) {
    for (const { model: name, ...segment } of SEGMENTS) {
      if (name !== model['name']) continue;
      const id = random.uuid();
      stores.resources.add('segment', id, String(model['id']), {
        id,
        ...segment,
        model: modelReference(model),
        project: model['project'],
        organization: ORGANIZATION,
        ...stamps(random, baseMs, 90),
      });
    }
  }
}

/** Adds monitoring for the sample models, which must exist. */
export function generateMonitoring(stores: Stores, random: SeededRandom, baseMs: number): void {
  for (const model of stores.resources.list('model')) {
    const [baseline] = addBaselines(stores, random, model, baseMs);
    const plan = PLANS.find((candidate) => candidate.model === model['name']);
    for (const metric of plan?.customMetrics ?? []) {
      const id = random.uuid();
      stores.resources.add('custom-metric', id, String(model['id']), {
        id,
        ...metric,
        model: modelReference(model),
        project: model['project'],
        organization: ORGANIZATION,
        ...stamps(random, baseMs, 90),
      });
    }
    for (const rule of plan?.rules ?? []) addRule({ stores, random, model, baseline, baseMs }, rule);
  }
}
