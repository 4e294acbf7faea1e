/** GenAI applications (INTERFACE 4.2). */
import * as records from '../records.ts';
import { type Endpoint, list, read } from './row.ts';

export const applicationEndpoints = {
  'applications.list': list({
    path: '/v3/applications',
    title: 'Applications',
    help: 'GenAI applications the token may see.',
    section: '4.2',
    errors: [400, 429, 500],
    item: records.application,
  }),
  'applications.get': read({
    path: '/v3/applications/{application_id}',
    title: 'Application',
    help: 'One application.',
    section: '4.2',
    errors: [400, 404, 429, 500],
    item: records.application,
  }),
} satisfies Record<string, Endpoint>;
