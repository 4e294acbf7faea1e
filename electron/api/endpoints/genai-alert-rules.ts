/** Alert rules of applications (SERVICE.md F15). */
import * as records from '../records.ts';
import { type Endpoint, list } from './row.ts';

export const genaiAlertRuleEndpoints = {
  'genai-alert-rules.list': list({
    path: '/v3/genai-alert-rules',
    title: 'Alert rules of applications',
    help: 'Which metrics of applications are watched, and their thresholds.',
    section: 'F15',
    errors: [400, 401, 403, 500],
    // The parameters for filter, search and ordering are not published.
    query: {},
    item: records.genaiAlertRule,
  }),
} satisfies Record<string, Endpoint>;
