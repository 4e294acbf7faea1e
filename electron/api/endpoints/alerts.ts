/** Alert rules, their notifications, records and thresholds (SERVICE.md S4.1, F6). */
import * as z from '../../shared/zod.ts';
import * as records from '../records.ts';
import { type Endpoint, list, listQuery, nothing, read, write } from './row.ts';

const threshold = z.number().nullish();
const autoThreshold = z
  .looseObject({ warning_multiplier: z.number().nullish(), critical_multiplier: z.number().nullish() })
  .nullish();

/** SERVICE.md F6.1 */
export const createAlertRuleBody = z.looseObject({
  name: z.string().min(1),
  model_id: z.uuid(),
  metric_id: z.string().min(1),
  priority: z.string().min(1),
  bin_size: z.string().min(1),
  compare_to: z.string().min(1),
  condition: z.string().min(1),
  critical_threshold: threshold,
  warning_threshold: threshold,
  threshold_type: z.string().nullish(),
  auto_threshold_params: autoThreshold,
  feature_names: z.array(z.string()).nullish(),
  category: z.string().nullish(),
  baseline_id: z.uuid().nullish(),
  segment_id: z.uuid().nullish(),
  compare_bin_delta: z.int().min(1).nullish(),
  /** In hours, up to a year. */
  evaluation_delay: z.int().min(0).max(8_760).nullish(),
});
export type CreateAlertRuleBody = z.infer<typeof createAlertRuleBody>;

/** SERVICE.md F6.3: metric, bin and comparison cannot be changed. */
export const updateAlertRuleBody = z.looseObject({
  name: z.string().min(1).optional(),
  priority: z.string().min(1).optional(),
  enable_notification: z.boolean().optional(),
  critical_threshold: threshold,
  warning_threshold: threshold,
  evaluation_delay: z.int().min(0).max(8_760).nullish(),
  auto_threshold_params: autoThreshold,
});
export type UpdateAlertRuleBody = z.infer<typeof updateAlertRuleBody>;

/** SERVICE.md F6.4: all fields are optional, but the service rejects an entirely empty set. */
export const notificationBody = z.looseObject({
  emails: z.array(z.string()).nullish(),
  pagerduty_services: z.array(z.string()).nullish(),
  pagerduty_severity: z.string().nullish(),
  webhooks: z.array(z.string()).nullish(),
});
export type NotificationBody = z.infer<typeof notificationBody>;

const range = { start_time: 'text', end_time: 'text' } as const;
const requiredRange = ['start_time', 'end_time'];

export const alertEndpoints = {
  'alert-rules.list': list({
    path: '/v3/alert-rules',
    title: 'Alert rules',
    help: 'Rules that watch a metric of a model.',
    section: 'S4.1',
    errors: [400, 500],
    item: records.alertRule,
  }),
  'alert-rules.create': write({
    method: 'POST',
    path: '/v3/alert-rules',
    title: 'Create an alert rule',
    help: 'Metric, bin and comparison cannot be changed later.',
    section: 'S4.1, F6.1',
    errors: [400, 500, 503],
    body: createAlertRuleBody,
    item: records.alertRule,
  }),
  'alert-rules.summary': list({
    path: '/v3/alert-rules/summary',
    title: 'Alert summary',
    help: 'Each rule with its latest record in a time range.',
    section: 'S4.1, F6.5',
    errors: [400, 500],
    query: { ...listQuery, ...range },
    requiredQuery: requiredRange,
    item: records.alertRuleSummary,
    identity: 'alert_rule_id',
  }),
  'alert-rules.get': read({
    path: '/v3/alert-rules/{alert_id}',
    title: 'Alert rule',
    help: 'One alert rule.',
    section: 'S4.1',
    errors: [400, 404, 500],
    item: records.alertRule,
  }),
  'alert-rules.update': write({
    method: 'PATCH',
    path: '/v3/alert-rules/{alert_id}',
    title: 'Change an alert rule',
    help: 'Changes name, priority, thresholds, delay and whether it notifies.',
    section: 'S4.1, F6.3',
    errors: [400, 404, 500],
    body: updateAlertRuleBody,
    item: records.alertRule,
    isRepeatSafe: true,
  }),
  'alert-rules.delete': write({
    method: 'DELETE',
    path: '/v3/alert-rules/{alert_id}',
    title: 'Delete an alert rule',
    help: 'Deletes the rule with its notification and records.',
    section: 'S4.1',
    errors: [400, 404, 500],
    body: null,
    item: nothing,
    identity: null,
    isRepeatSafe: true,
  }),
  'alert-rules.records': list({
    path: '/v3/alert-rules/{alert_id}/records',
    title: 'Alert records',
    help: 'Records of a rule whose time bucket lies in the range.',
    section: 'S4.1, F6.5',
    errors: [400, 500],
    query: { ...range, ordering: 'text', search: 'text', feature_name: 'text' },
    requiredQuery: requiredRange,
    item: records.alertRecord,
  }),
  'alert-rules.history': read({
    path: '/v3/alert-rules/{alert_id}/record-history',
    title: 'Alert history',
    help: 'The latest record of each time bucket in the range.',
    section: 'S4.1, F6.5',
    errors: [400, 500],
    query: { ...range, feature_name: 'text' },
    requiredQuery: requiredRange,
    item: records.alertRecordHistory,
    identity: null,
  }),
  'alert-rules.thresholds': read({
    path: '/v3/alert-rules/{alert_id}/get-thresholds',
    title: 'Alert thresholds of a bin',
    help: 'Thresholds that a time bin was evaluated with.',
    section: 'S4.1',
    errors: [400, 500],
    query: { alert_time_bucket: 'number', feature_name: 'text' },
    requiredQuery: ['alert_time_bucket'],
    item: records.alertThresholds,
    identity: null,
  }),
  'alert-rules.notification': read({
    path: '/v3/alert-rules/{alert_id}/notification',
    title: 'Notification of an alert rule',
    help: 'Recipients when the rule fires.',
    section: 'S4.1, F6.4',
    errors: [400, 404, 500],
    item: records.notification,
    identity: null,
  }),
  'alert-rules.create-notification': write({
    method: 'POST',
    path: '/v3/alert-rules/{alert_id}/notification',
    title: 'Set the notification of an alert rule',
    help: 'Sets who is notified when the rule fires.',
    section: 'S4.1, F6.4',
    errors: [400, 404, 500, 503],
    body: notificationBody,
    item: records.notification,
    identity: null,
  }),
  'alert-rules.update-notification': write({
    method: 'PATCH',
    path: '/v3/alert-rules/{alert_id}/notification',
    title: 'Change the notification of an alert rule',
    help: 'Changes the channels that are sent and leaves the others.',
    section: 'S4.1, F6.4',
    errors: [400, 404, 500, 503],
    body: notificationBody,
    item: records.notification,
    identity: null,
    isRepeatSafe: true,
  }),
  'alert-rules.test-notification': write({
    method: 'POST',
    path: '/v3/alert-rules/{alert_id}/test-notification',
    title: 'Test the notification of an alert rule',
    help: 'Sends a test over every channel and reports the result of each.',
    section: 'S4.1',
    errors: [400, 403, 404, 500],
    body: null,
    item: records.testNotificationResult,
    identity: null,
  }),
} satisfies Record<string, Endpoint>;
