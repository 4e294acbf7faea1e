/** Recipients of alert notifications (SERVICE.md S4.1, F6.4). Nothing is ever sent from here. */
import type { NotificationBody } from '../../api/endpoints.ts';
import type { Service } from '../service.ts';
import { malformed, ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import { requireRule } from './alert-rules.ts';
import type { Handlers } from './handler.ts';

/** Services that an administrator of the sample organization has set up. */
const PAGERDUTY_SERVICES: readonly string[] = ['risk-on-call', 'data-platform'];
const WEBHOOKS: readonly string[] = [
  '3f0b7f0e-6a52-4a55-9b57-5f4c2d6e1a01',
  '3f0b7f0e-6a52-4a55-9b57-5f4c2d6e1a02',
];
const PAGERDUTY_SEVERITIES: readonly string[] = ['info', 'warning', 'error', 'critical'];

interface NotificationRecord extends JsonRecord {
  emails: string[];
  pagerduty_services: string[];
  pagerduty_severity: string;
  webhooks: string[];
}

const EMPTY: NotificationRecord = {
  emails: [],
  pagerduty_services: [],
  pagerduty_severity: '',
  webhooks: [],
};

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function stored(service: Service, ruleId: string): NotificationRecord {
  const record = service.stores.resources.get('notification', ruleId);
  if (record === null) return EMPTY;
  return {
    ...record,
    emails: texts(record['emails']),
    pagerduty_services: texts(record['pagerduty_services']),
    pagerduty_severity: String(record['pagerduty_severity']),
    webhooks: texts(record['webhooks']),
  };
}

function refuseUnknown(what: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ServiceError(400, `${what} "${unknown}" is not set up. An administrator has to add it first.`);
}

/** Applies the body to the record `before`, checks the result, and stores it. */
function save(
  service: Service,
  ruleId: string,
  before: NotificationRecord,
  body: NotificationBody,
): NotificationRecord {
  const { emails, pagerduty_services, pagerduty_severity, webhooks, ...rest } = body;
  const after: NotificationRecord = {
    ...before,
    ...rest,
    emails: emails ?? before.emails,
    pagerduty_services: pagerduty_services ?? before.pagerduty_services,
    pagerduty_severity: pagerduty_severity ?? before.pagerduty_severity,
    webhooks: webhooks ?? before.webhooks,
  };
  const wrong = after.emails.find((address) => !/^[^\s@]+@[^\s@]+$/.test(address));
  if (wrong !== undefined) throw malformed(`emails: "${wrong}" is not an address.`);
  refuseUnknown('The PagerDuty service', after.pagerduty_services, PAGERDUTY_SERVICES);
  refuseUnknown('The webhook', after.webhooks, WEBHOOKS);
  if (after.pagerduty_severity !== '' && !PAGERDUTY_SEVERITIES.includes(after.pagerduty_severity)) {
    throw malformed(`pagerduty_severity must be one of ${PAGERDUTY_SEVERITIES.join(', ')}.`);
  }
  if (after.emails.length + after.pagerduty_services.length + after.webhooks.length === 0) {
    throw malformed('Name at least one of emails, pagerduty_services and webhooks.');
  }
  const { resources } = service.stores;
  if (resources.get('notification', ruleId) === null) resources.add('notification', ruleId, ruleId, after);
  else resources.replace('notification', ruleId, after);
  return after;
}

function testResults(notification: NotificationRecord): JsonRecord[] {
  const channels = [
    ['email', notification.emails],
    ['pagerduty', notification.pagerduty_services],
    ['webhook', notification.webhooks],
  ] as const;
  return channels.flatMap(([channel, recipients]) =>
    recipients.map((recipient) => ({
      channel,
      recipient,
      status: 'SUCCESS',
      message: 'Sample service: nothing was sent.',
    })),
  );
}

export const notificationHandlers = {
  'alert-rules.notification': (service, request) => {
    const id = request.path('alert_id');
    requireRule(service, id);
    return { kind: 'record', data: stored(service, id) };
  },

  'alert-rules.create-notification': (service, request) => {
    const id = request.path('alert_id');
    requireRule(service, id);
    return { kind: 'record', data: save(service, id, EMPTY, request.body) };
  },

  'alert-rules.update-notification': (service, request) => {
    const id = request.path('alert_id');
    requireRule(service, id);
    return { kind: 'record', data: save(service, id, stored(service, id), request.body) };
  },

  'alert-rules.test-notification': (service, request) => {
    const id = request.path('alert_id');
    requireRule(service, id);
    const results = testResults(stored(service, id));
    if (results.length === 0)
      throw new ServiceError(400, 'The rule has no channel to test. Set its notification first.');
    return { kind: 'record', data: { results } };
  },
} satisfies Pick<
  Handlers,
  | 'alert-rules.notification'
  | 'alert-rules.create-notification'
  | 'alert-rules.update-notification'
  | 'alert-rules.test-notification'
>;
