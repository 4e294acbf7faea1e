/** Fields of a new alert rule (SERVICE.md F6.1). Pure. */

import { AUTOMATIC } from '../../../electron/shared/alert-rule.ts';
import { ANY_COLUMN, type MetricChoice } from '../../../electron/shared/metrics.ts';
import { type FormField, type FormValues, textOf } from '../form/fields.ts';
import { COMPARE_DELTAS, PRIORITIES, RULE_BINS } from './alert-rule.ts';

/** Data of the chosen model, which may still be loading. */
interface RuleChoices {
  metrics: () => readonly MetricChoice[];
  /** Whether the metrics are still loading. */
  isReading: () => boolean;
  metric: () => MetricChoice | undefined;
  /** Known values of the chosen columns, for metrics about one value. */
  categories: () => readonly string[];
}

export const word = (value: string): string => value.charAt(0) + value.slice(1).toLowerCase();
export const PRIORITY_CHOICES = PRIORITIES.map((value) => ({ value, title: word(value) }));

/** The distance in words: `1 bin`, `7 bins (a week)`. */
function deltaTitle(bin: string, delta: number): string {
  const spans: Readonly<Record<string, string>> = {
    'Hour 24': 'a day',
    'Hour 168': 'a week',
    'Hour 720': '30 days',
    'Hour 2160': '90 days',
    'Day 7': 'a week',
  };
  const span = spans[`${bin} ${delta}`];
  const bins = delta === 1 ? '1 bin' : `${delta} bins`;
  return span === undefined ? bins : `${bins} (${span})`;
}

const isAutomatic = (values: FormValues): boolean => textOf(values, 'threshold_type') === AUTOMATIC;
const number = (values: FormValues, name: string): number | null => {
  const text = textOf(values, name).trim();
  const value = Number(text);
  return text === '' || !Number.isFinite(value) ? null : value;
};

/** A warning that is beyond the critical threshold would never be raised: every alert would be critical. */
export function thresholdProblem(values: FormValues, isAbove: boolean): string | null {
  const [warning, critical] = [number(values, 'warning_threshold'), number(values, 'critical_threshold')];
  if (warning === null || critical === null) return null;
  if (isAbove ? warning < critical : warning > critical) return null;
  return `A warning ${isAbove ? 'above' : 'below'} ${warning} would never come before the critical alert at ${critical}.`;
}

export function multiplierFields(isShown: (values: FormValues) => boolean): FormField[] {
  return (['critical', 'warning'] as const).map((level) => ({
    name: `${level}_multiplier`,
    label: `${word(level)} multiplier`,
    line: 'multipliers',
    kind: 'number',
    min: 0,
    hint: 'Standard deviations from the mean of earlier bins.',
    isShown,
  }));
}

const isTraffic = (metric: MetricChoice | undefined): boolean => metric?.id === 'traffic';

/** The default metric: one that every model has and that needs no column; empty if there is none. */
export const usualMetric = (metrics: readonly MetricChoice[]): string =>
  (
    metrics.find(isTraffic) ??
    metrics.find(({ columns, requiresCategories }) => columns.length === 0 && !requiresCategories)
  )?.id ?? '';

/** Default side of the thresholds. For traffic, missing events are the usual problem. */
export const usualCondition = (metric: MetricChoice | undefined): 'greater' | 'lesser' =>
  isTraffic(metric) ? 'lesser' : 'greater';

/** Name of a new rule until the user types one: `Average of amount too high`; empty if there is no metric. */
export function proposedName(values: FormValues, metric: MetricChoice | undefined): string {
  if (metric === undefined) return '';
  const chosen = values['feature_names'];
  const ids = typeof chosen === 'object' ? chosen : [];
  const titles = ids.map((id) => metric.columns.find((column) => column.id === id)?.title ?? id);
  const about =
    titles.length === 1 ? ` of ${titles[0]}` : titles.length > 1 ? ` of ${titles.length} columns` : '';
  return `${metric.name}${about} ${textOf(values, 'condition') === 'lesser' ? 'too low' : 'too high'}`;
}

/** Fields of a new rule. Fields that depend on the model read its data when they are drawn. */
export function newRuleFields(choices: RuleChoices): FormField[] {
  return [
    {
      name: 'model_id',
      label: 'Model',
      word: 'In',
      kind: 'reference',
      operation: 'models.list',
      noun: 'model',
      isRequired: true,
    },
    {
      name: 'metric_id',
      label: 'Metric',
      word: 'when',
      kind: 'select',
      isSearched: true,
      isRequired: true,
      isShown: (values) => textOf(values, 'model_id') !== '',
      get options() {
        return choices.metrics().map(({ id, name, typeName }) => ({
          value: id,
          title: name,
          ...(typeName === name ? {} : { note: typeName }),
        }));
      },
      get isReading() {
        return choices.isReading();
      },
      // If the metrics cannot be read or there are none, an id can still be typed.
      get allowsOther() {
        return choices.metrics().length === 0 && !choices.isReading();
      },
    },
    {
      name: 'feature_names',
      label: 'Columns',
      word: 'of',
      kind: 'multi',
      noneText: 'Choose columns',
      isRequired: true,
      isShown: () => (choices.metric()?.columns.length ?? 0) > 0,
      get options() {
        const own = (choices.metric()?.columns ?? []).map(({ id, title }) => ({ value: id, title }));
        return own.some(({ value }) => value === ANY_COLUMN)
          ? own
          : [{ value: ANY_COLUMN, title: 'Every column' }, ...own];
      },
    },
    {
      name: 'category',
      label: 'Category',
      word: 'counting',
      kind: 'select',
      allowsOther: true,
      isRequired: true,
      hint: 'The category that is counted.',
      isShown: () => choices.metric()?.requiresCategories === true,
      get options() {
        return choices.categories().map((value) => ({ value }));
      },
    },
    {
      name: 'baseline_id',
      label: 'Baseline',
      word: 'against',
      kind: 'reference',
      operation: 'models.baselines',
      path: (values) => ({ model_id: textOf(values, 'model_id') }),
      noun: 'baseline',
      isRequired: true,
      hint: 'Drift is measured against this baseline.',
      isShown: () => choices.metric()?.requiresBaseline === true,
    },
    ...comparisonFields(),
    ...thresholdFields(),
    {
      name: 'segment_id',
      label: 'Segment',
      kind: 'text',
      isMono: true,
      isRare: true,
      hint: 'Segment id. Leave empty for all events.',
    },
  ];
}

function comparisonFields(): FormField[] {
  return [
    {
      name: 'bin_size',
      label: 'Bin',
      word: 'each',
      kind: 'select',
      isRequired: true,
      start: 'Day',
      options: RULE_BINS.map((value) => ({ value })),
    },
    {
      name: 'compare_to',
      label: 'What is watched',
      word: 'as',
      kind: 'select',
      isRequired: true,
      start: 'raw_value',
      options: [
        { value: 'raw_value', title: 'its value' },
        { value: 'time_period', title: 'its change against earlier bins' },
      ],
    },
    ...RULE_BINS.map(
      (bin): FormField => ({
        name: deltaName(bin),
        label: 'Compared with the bin before, by',
        word: 'over',
        kind: 'select',
        isRequired: true,
        start: String(COMPARE_DELTAS[bin]?.[0] ?? 1),
        options: (COMPARE_DELTAS[bin] ?? []).map((delta) => ({
          value: String(delta),
          title: deltaTitle(bin, delta),
        })),
        isShown: (values) =>
          textOf(values, 'compare_to') === 'time_period' && textOf(values, 'bin_size') === bin,
      }),
    ),
    {
      name: 'condition',
      label: 'Fires when it is',
      word: 'is',
      kind: 'select',
      isRequired: true,
      start: 'greater',
      options: [
        { value: 'greater', title: 'above' },
        { value: 'lesser', title: 'below' },
      ],
    },
  ];
}

/** Name of the distance field for a bin size. Each bin size has its own, as the available distances depend on it. */
export const deltaName = (bin: string): string => `compare_bin_delta.${bin}`;

function thresholdFields(): FormField[] {
  const isManual = (values: FormValues) => !isAutomatic(values);
  return [
    {
      name: 'threshold_type',
      label: 'Thresholds',
      word: 'limits',
      kind: 'select',
      isRequired: true,
      start: 'manual',
      options: [
        { value: 'manual', title: 'set by hand' },
        { value: AUTOMATIC, title: 'automatic, by standard deviations' },
      ],
    },
    {
      name: 'critical_threshold',
      label: 'Critical threshold',
      line: 'thresholds',
      kind: 'number',
      isRequired: true,
      isShown: isManual,
    },
    {
      name: 'warning_threshold',
      label: 'Warning threshold',
      line: 'thresholds',
      kind: 'number',
      isShown: isManual,
      check: (values) => thresholdProblem(values, textOf(values, 'condition') !== 'lesser'),
    },
    ...multiplierFields(isAutomatic),
    { name: 'name', label: 'Name', line: 'name', kind: 'text', isRequired: true },
    {
      name: 'priority',
      label: 'Priority',
      line: 'name',
      kind: 'select',
      isRequired: true,
      start: 'MEDIUM',
      options: PRIORITY_CHOICES,
    },
    {
      name: 'evaluation_delay',
      label: 'Evaluation delay, hours',
      kind: 'number',
      min: 0,
      max: 8_760,
      isWhole: true,
      isRare: true,
      hint: 'Hours to wait after the end of a bin before it is evaluated. At most a year.',
    },
  ];
}
