/** Forms of alert rules, and the request bodies that they produce. */
import { describe, expect, test } from 'vitest';
import { createAlertRuleBody, updateAlertRuleBody } from '../../electron/api/endpoints.ts';
import {
  type FormField,
  type FormValues,
  formBody,
  linesOf,
  startValues,
  valuesOf,
} from '../../renderer/lib/form/fields.ts';
import {
  changeFields,
  changeRequest,
  changeValues,
  likeValues,
  ruleRequest,
} from '../../renderer/lib/monitoring/alert-change.ts';
import {
  newRuleFields,
  proposedName,
  thresholdProblem,
  usualCondition,
  usualMetric,
} from '../../renderer/lib/monitoring/alert-form.ts';
import { readTestResults } from '../../renderer/lib/monitoring/alert-history.ts';
import {
  hasRecipients,
  NOTIFICATION_FIELDS,
  notificationRequest,
} from '../../renderer/lib/monitoring/notification-form.ts';
import { METRICS, MODEL, RECORD } from '../helpers/alert-rule.ts';

describe('forms of alert rules', () => {
  const form = (chosen: string) =>
    newRuleFields({
      metrics: () => METRICS,
      isReading: () => false,
      metric: () => METRICS.find(({ id }) => id === chosen),
      categories: () => ['grocery'],
    });
  const values = (chosen: string, own: FormValues): FormValues => ({
    ...startValues(form(chosen)),
    name: 'Rule',
    model_id: MODEL,
    metric_id: chosen,
    critical_threshold: '5',
    ...own,
  });
  const bodyOf = (chosen: string, own: FormValues = {}) => {
    const { body, problems } = formBody(form(chosen), values(chosen, own), '');
    return { body: ruleRequest(body), problems };
  };

  test('fields appear with the fields they depend on, and the operation accepts the body', () => {
    const { body, problems } = bodyOf('traffic');
    expect(problems).toEqual({});
    expect(createAlertRuleBody.safeParse(body).success).toBe(true);
    expect(body).toEqual({
      name: 'Rule',
      model_id: MODEL,
      metric_id: 'traffic',
      bin_size: 'Day',
      compare_to: 'raw_value',
      condition: 'greater',
      threshold_type: 'manual',
      critical_threshold: 5,
      priority: 'MEDIUM',
    });
    expect(Object.keys(bodyOf('jsd').problems).sort()).toEqual(['baseline_id', 'feature_names']);
    expect(Object.keys(bodyOf('frequency').problems).sort()).toEqual(['category', 'feature_names']);
  });

  test('the comparison distance is asked only for a change, and limited to the options of the bin', () => {
    const { body } = bodyOf('traffic', {
      compare_to: 'time_period',
      bin_size: 'Hour',
      'compare_bin_delta.Hour': '168',
    });
    expect(body).toMatchObject({ compare_to: 'time_period', compare_bin_delta: 168 });
    expect(bodyOf('traffic', { compare_to: 'time_period', bin_size: 'Week' }).body['compare_bin_delta']).toBe(
      1,
    );
  });

  test('automatic thresholds are multipliers in one object, without fixed thresholds', () => {
    const { body, problems } = bodyOf('traffic', {
      threshold_type: 'standard_deviation_auto_threshold',
      critical_threshold: '',
      critical_multiplier: '3',
    });
    expect(problems).toEqual({});
    expect(body['auto_threshold_params']).toEqual({ critical_multiplier: 3 });
    expect(body).not.toHaveProperty('critical_threshold');
    expect(body).not.toHaveProperty('critical_multiplier');
  });

  test('warns about a warning that would never be raised', () => {
    const told = (warning: string, isAbove: boolean) =>
      thresholdProblem({ warning_threshold: warning, critical_threshold: '5' }, isAbove);
    expect(told('6', true)).toMatch(/never come/);
    expect(told('4', true)).toBeNull();
    expect(told('4', false)).toMatch(/never come/);
    expect(told('', true)).toBeNull();
  });

  test('a copy starts with the values of the rule: metric, columns, baseline, distance, multipliers', () => {
    const record = {
      ...RECORD,
      compare_to: 'time_period',
      compare_bin_delta: 7,
      auto_threshold_params: { warning_multiplier: 2 },
    };
    const fields = form('jsd');
    const copied = likeValues(record, fields);
    expect(copied).toMatchObject({
      metric_id: 'jsd',
      feature_names: ['fraud_score'],
      baseline_id: 'b1',
      model_id: MODEL,
      'compare_bin_delta.Day': '7',
      'compare_bin_delta.Hour': '1',
      warning_multiplier: '2',
      critical_threshold: '0.25',
    });
  });

  test('a change sends the differences, and both multipliers together', () => {
    const fields = changeFields({ isAutomatic: false, isAbove: true });
    const before = changeValues(RECORD, valuesOf(fields, RECORD));
    const after = { ...before, priority: 'LOW', warning_threshold: '' };
    const { body } = formBody(fields, after, '', before);
    const sent = changeRequest(body, after);
    expect(sent).toEqual({ priority: 'LOW', warning_threshold: null });
    expect(updateAlertRuleBody.safeParse(sent).success).toBe(true);

    const automatic = { ...RECORD, auto_threshold_params: { warning_multiplier: 2, critical_multiplier: 3 } };
    const own = changeFields({ isAutomatic: true, isAbove: true });
    const was = changeValues(automatic, valuesOf(own, automatic));
    const now = { ...was, critical_multiplier: '4' };
    expect(changeRequest(formBody(own, now, '', was).body, now)).toEqual({
      auto_threshold_params: { warning_multiplier: 2, critical_multiplier: 4 },
    });
  });

  test('a notification needs a recipient; an emptied channel is an empty list', () => {
    const before = valuesOf(NOTIFICATION_FIELDS, {
      emails: ['a@b.c'],
      pagerduty_services: ['on-call'],
      webhooks: [],
    });
    const nobody = { ...before, emails: [], pagerduty_services: [] };
    expect(formBody(NOTIFICATION_FIELDS, nobody, '', before).problems['emails']).toMatch(/at least one/);
    const fewer = { ...before, pagerduty_services: [] };
    expect(notificationRequest(formBody(NOTIFICATION_FIELDS, fewer, '', before).body)).toEqual({
      pagerduty_services: [],
    });
    expect(
      formBody(NOTIFICATION_FIELDS, { ...before, emails: ['nobody'] }, '', before).problems['emails'],
    ).toBe('“nobody” is not an email address.');
    expect(hasRecipients({ emails: [], webhooks: ['x'] })).toBe(true);
    expect(hasRecipients({ emails: [] })).toBe(false);
    expect(hasRecipients(null)).toBe(false);
  });

  test('results of a test are read from a list, or from one field per channel', () => {
    expect(
      readTestResults({ results: [{ channel: 'email', recipient: 'a@b.c', status: 'SUCCESS' }] }),
    ).toMatchObject([{ channel: 'email', recipient: 'a@b.c', isOk: true }]);
    expect(
      readTestResults({ emails: [{ email: 'a@b.c', success: false, error: 'Refused.' }], webhooks: 'ok' }),
    ).toMatchObject([
      { channel: 'emails', recipient: 'a@b.c', isOk: false, message: 'Refused.' },
      { channel: 'webhooks', isOk: true },
    ]);
    expect(readTestResults({ results: [{ channel: 'sms', status: 'QUEUED' }] })[0]?.isOk).toBeNull();
    expect(readTestResults(null)).toEqual([]);
  });
});

describe('proposals of a new rule', () => {
  const metric = (id: string, columns: readonly string[] = []) => ({
    ...{ id, name: id === 'jsd' ? 'Distance' : 'Traffic', type: '', typeName: '' },
    ...{ requiresBaseline: false, requiresCategories: false, requiresThreshold: false, requiresTopK: false },
    columns: columns.map((name) => ({ id: `id of ${name}`, title: name, group: '', dataType: '' })),
  });

  test('proposes traffic below its thresholds, or else a metric without columns', () => {
    expect(usualMetric([metric('jsd', ['age']), metric('traffic')])).toBe('traffic');
    expect(usualMetric([metric('jsd', ['age']), metric('rows')])).toBe('rows');
    expect(usualMetric([metric('jsd', ['age'])])).toBe('');
    expect([usualCondition(metric('traffic')), usualCondition(metric('jsd'))]).toEqual(['lesser', 'greater']);
  });

  test('names the metric, its one column, and the side', () => {
    const drift = metric('jsd', ['age', 'amount']);
    const name = (chosen: readonly string[], condition: string) =>
      proposedName({ feature_names: chosen, condition }, drift);
    expect(name(['id of age'], 'greater')).toBe('Distance of age too high');
    expect(name(['id of age', 'id of amount'], 'lesser')).toBe('Distance of 2 columns too low');
    expect(name([], 'greater')).toBe('Distance too high');
    expect(proposedName({}, undefined)).toBe('');
  });
});

test('fields of one line are side by side only if they are consecutive', () => {
  const field = (name: string, line?: string): FormField => ({
    ...{ name, label: name, kind: 'text' },
    ...(line === undefined ? {} : { line }),
  });
  const lines = linesOf([field('a'), field('b', 'x'), field('c', 'x'), field('d'), field('e', 'x')]);
  expect(lines.map((line) => line.map(({ name }) => name))).toEqual([['a'], ['b', 'c'], ['d'], ['e']]);
});
