/**
 * Request bodies of the alert rule forms, and the fields that PATCH accepts for an edit (SERVICE.md F6.1, F6.3). Pure.
 */
import type { RuleParts } from '../../../electron/shared/alert-rule.ts';
import { isRawNumber } from '../../../electron/shared/exact-json.ts';
import { type FormField, type FormValues, startValues, textOf, valuesOf } from '../form/fields.ts';
import { deltaName, multiplierFields, PRIORITY_CHOICES, thresholdProblem } from './alert-form.ts';

const number = (values: FormValues, name: string): number | null => {
  const text = textOf(values, name).trim();
  const value = Number(text);
  return text === '' || !Number.isFinite(value) ? null : value;
};

const DELTA = /^compare_bin_delta\./;
const MULTIPLIERS = ['warning_multiplier', 'critical_multiplier'] as const;

/** Combines the form fields that belong to one field of the interface. */
export function ruleRequest(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const sent: Record<string, unknown> = {};
  const multipliers: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (DELTA.test(name)) sent['compare_bin_delta'] = Number(value);
    else if (MULTIPLIERS.some((multiplier) => multiplier === name)) multipliers[name] = value;
    else sent[name] = value;
  }
  if (Object.keys(multipliers).length > 0) sent['auto_threshold_params'] = multipliers;
  return sent;
}

/** Values for a new rule that copies this record. Missing values are those of an empty form. */
export function likeValues(record: Record<string, unknown>, fields: readonly FormField[]): FormValues {
  const metric = record['metric'];
  const metricId =
    typeof metric === 'object' && metric !== null && 'id' in metric
      ? String(metric.id)
      : String(metric ?? '');
  const given = Object.entries(valuesOf(fields, record)).filter(([, value]) => value !== '');
  return {
    ...startValues(fields),
    ...Object.fromEntries(given),
    ...partValues(record),
    metric_id: metricId,
  };
}

/** Form fields whose values are nested in the record or stored under another name. */
function partValues(record: Record<string, unknown>): FormValues {
  const parameters = record['auto_threshold_params'];
  const inside = typeof parameters === 'object' && parameters !== null ? Object.entries(parameters) : [];
  const multipliers = inside.flatMap(([name, value]) =>
    MULTIPLIERS.some((each) => each === name) && (typeof value === 'number' || isRawNumber(value))
      ? [[name, String(value)] as const]
      : [],
  );
  const [bin, delta] = [record['bin_size'], record['compare_bin_delta']];
  const compared =
    typeof bin === 'string' && typeof delta === 'number' ? [[deltaName(bin), String(delta)] as const] : [];
  return Object.fromEntries([...multipliers, ...compared]);
}

/** Fields of an edit: exactly those that PATCH accepts. */
export function changeFields(rule: { isAutomatic: boolean; isAbove: boolean }): FormField[] {
  return [
    { name: 'name', label: 'Name', kind: 'text', isRequired: true },
    { name: 'priority', label: 'Priority', kind: 'select', isRequired: true, options: PRIORITY_CHOICES },
    { name: 'enable_notification', label: 'Notify when fired', kind: 'flag' },
    ...(rule.isAutomatic
      ? multiplierFields(() => true)
      : ([
          { name: 'critical_threshold', label: 'Critical threshold', kind: 'number', isRequired: true },
          {
            name: 'warning_threshold',
            label: 'Warning threshold',
            kind: 'number',
            check: (values: FormValues) => thresholdProblem(values, rule.isAbove),
          },
        ] satisfies FormField[])),
    {
      name: 'evaluation_delay',
      label: 'Evaluation delay, hours',
      kind: 'number',
      min: 0,
      max: 8_760,
      isWhole: true,
    },
  ];
}

/** Form values of an edit. */
export function changeValues(record: Record<string, unknown>, values: FormValues): FormValues {
  return { ...values, ...partValues(record) };
}

/** Both multipliers are sent together: sending one would remove the other. */
export function changeRequest(
  body: Readonly<Record<string, unknown>>,
  values: FormValues,
): Record<string, unknown> {
  const sent = ruleRequest(body);
  if (sent['auto_threshold_params'] === undefined) return sent;
  const both = MULTIPLIERS.map((name) => [name, number(values, name)]);
  return { ...sent, auto_threshold_params: Object.fromEntries(both) };
}

/** The rule with the thresholds or multipliers that are typed in the edit form. */
export function withThresholds(rule: RuleParts, values: FormValues): RuleParts {
  if (rule.isAutomatic) {
    const multiplier = (level: 'warning' | 'critical') => number(values, `${level}_multiplier`);
    return { ...rule, multipliers: { warning: multiplier('warning'), critical: multiplier('critical') } };
  }
  return {
    ...rule,
    warning: number(values, 'warning_threshold'),
    critical: number(values, 'critical_threshold'),
  };
}
