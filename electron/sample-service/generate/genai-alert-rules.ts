/** Alert rules of the sample applications. */
import { CALLER, ORGANIZATION, referenceTo } from '../record-parts.ts';
import type { JsonRecord } from '../store.ts';
import type { Stores } from '../stores.ts';
import type { SeededRandom } from './seeded-random.ts';

const DAY_MS = 86_400_000;
const EMAIL = { config: { recipients: ['on-call@meridian.invalid'] } };

const RULES: readonly JsonRecord[] = [
  {
    ...{ name: 'Traffic stops', metric_name: 'traffic', critical_threshold: 10, warning_threshold: 25 },
    notification_settings: [EMAIL],
  },
  {
    ...{ name: 'Answers get long', metric_name: 'token_count', critical_threshold: 1_200 },
    ...{ token_type: 'output_tokens', notification_settings: [EMAIL] },
  },
  {
    // A notification channel whose form is not documented.
    ...{
      name: 'Refunds asked for',
      metric_name: 'attribute',
      critical_threshold: 0.4,
      warning_threshold: 0.3,
    },
    ...{ attribute_value: 'refund', notification_settings: [{ type: 'PAGER', key: 'desk' }] },
  },
];

/** Adds rules for the sample applications, which must exist. */
export function generateGenaiAlertRules(stores: Stores, random: SeededRandom, baseMs: number): void {
  const made = (days: number) => new Date(baseMs - days * DAY_MS).toISOString();
  for (const application of stores.resources.list('application')) {
    for (const fields of RULES) {
      const id = random.uuid();
      stores.resources.add('genai-alert-rule', id, String(application['id']), {
        ...{ id, organization: ORGANIZATION, project: application['project'], ...fields },
        ...{ application: referenceTo(application), created_by: CALLER, updated_by: CALLER },
        ...{ created_at: made(45), updated_at: made(12) },
      });
    }
  }
}
