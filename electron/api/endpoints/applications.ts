/** GenAI applications (SERVICE.md S4.2). */
import * as z from '../../shared/zod.ts';
import * as records from '../records.ts';
import { type Endpoint, list, read, write } from './row.ts';

export const createApplicationBody = z.looseObject({ name: z.string().min(1), project_id: z.uuid() });

export const applicationEndpoints = {
  'applications.list': list({
    path: '/v3/applications',
    title: 'Applications',
    help: 'GenAI applications the token may see.',
    section: 'S4.2',
    errors: [400, 429, 500],
    item: records.application,
  }),
  'applications.create': write({
    method: 'POST',
    path: '/v3/applications',
    title: 'Create an application',
    help: 'An application of a project; its spans arrive later.',
    section: 'S4.2, F7.4',
    errors: [400, 429, 500],
    body: createApplicationBody,
    item: records.application,
  }),
  'applications.get': read({
    path: '/v3/applications/{application_id}',
    title: 'Application',
    help: 'One application.',
    section: 'S4.2',
    errors: [400, 404, 429, 500],
    item: records.application,
  }),
  'applications.delete': write({
    method: 'DELETE',
    path: '/v3/applications/{application_id}',
    title: 'Delete an application',
    help: 'A job deletes the application and everything that belongs to it.',
    section: 'S4.2',
    errors: [400, 401, 403, 404, 429, 500],
    successStatus: 202,
    body: null,
    item: records.applicationDeletionJob,
    identity: null,
    isRepeatSafe: true,
  }),
  'applications.metrics': read({
    path: '/v3/applications/{application_id}/metrics',
    title: 'Metrics of an application',
    help: 'What can be charted (source GENAI_CHARTS) or watched by alerts (GENAI_ALERTS).',
    section: 'S4.2',
    errors: [400, 401, 403, 404, 500],
    query: { source: 'text' },
    item: records.metricsMetadata,
    identity: null,
  }),
} satisfies Record<string, Endpoint>;
