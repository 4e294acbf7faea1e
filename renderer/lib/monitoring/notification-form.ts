/** Recipients of a rule's alerts: the form fields, and the body made from them (SERVICE.md F6.4). Pure. */
import type { FormField, FormValues } from '../form/fields.ts';
import { word } from './alert-form.ts';

const CHANNELS = ['emails', 'pagerduty_services', 'webhooks'] as const;

const hasChannel = (values: FormValues): boolean =>
  CHANNELS.some((name) => {
    const value = values[name];
    return Array.isArray(value) && value.length > 0;
  });

export const NOTIFICATION_FIELDS: readonly FormField[] = [
  {
    name: 'emails',
    label: 'Emails',
    kind: 'texts',
    placeholder: 'name@example.com',
    check: (values) => {
      const list = values['emails'];
      const wrong = Array.isArray(list) ? list.find((each) => !/^[^\s@]+@[^\s@]+$/.test(each)) : undefined;
      if (wrong !== undefined) return `“${wrong}” is not an email address.`;
      return hasChannel(values) ? null : 'Name at least one email, PagerDuty service or webhook.';
    },
  },
  {
    name: 'pagerduty_services',
    label: 'PagerDuty services',
    kind: 'texts',
    hint: 'Names as set up by an administrator.',
  },
  {
    name: 'pagerduty_severity',
    label: 'PagerDuty severity',
    kind: 'select',
    options: ['critical', 'error', 'warning', 'info'].map((value) => ({ value, title: word(value) })),
    isShown: ({ pagerduty_services: services }) => Array.isArray(services) && services.length > 0,
  },
  {
    name: 'webhooks',
    label: 'Webhooks',
    kind: 'texts',
    hint: 'Ids as set up by an administrator.',
  },
];

/** A channel that the user cleared is sent as an empty list, as null would leave it unchanged. */
export function notificationRequest(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      value === null && CHANNELS.some((channel) => channel === name) ? [] : value,
    ]),
  );
}

/** Whether the rule notifies anybody. */
export function hasRecipients(record: Record<string, unknown> | null): boolean {
  return CHANNELS.some((name) => {
    const list = record?.[name];
    return Array.isArray(list) && list.length > 0;
  });
}
