/** Server information, projects, models, environments, attributes, catalog, jobs. */
import { z } from 'zod';
import * as records from '../records.ts';
import { type Endpoint, list, listQuery, read, write } from './row.ts';

export const createProjectBody = z.looseObject({
  name: z.string().min(1),
  asset_type: z.string().optional(),
});
export type CreateProjectBody = z.infer<typeof createProjectBody>;

export const metadataEndpoints = {
  'server-info.get': read({
    path: '/v3/server-info',
    title: 'Server information',
    help: 'Version and organization of the service; the cheapest connection test.',
    section: 'API_FACTS 7.7',
    errors: [401, 500],
    item: records.serverInfo,
    identity: null,
  }),
  'projects.list': list({
    path: '/v3/projects',
    title: 'Projects',
    help: 'Projects the token may see.',
    section: 'API_FACTS 7.4',
    errors: [400, 401, 403, 429, 500],
    item: records.project,
  }),
  'projects.create': write({
    method: 'POST',
    path: '/v3/projects',
    title: 'Create a project',
    help: 'A project holds models or applications.',
    section: 'API_FACTS 7.4',
    errors: [400, 401, 403, 409, 429, 500],
    body: createProjectBody,
    item: records.project,
  }),
  'attributes.list': list({
    path: '/v3/attributes',
    title: 'Attributes',
    help: 'Attribute records; filter by application_id, data_type and scope.',
    section: '4.3',
    errors: [400, 500],
    item: records.openRecord,
  }),
  'catalog.list': list({
    path: '/v3/applications/{application_id}/catalog',
    title: 'Catalog',
    help: 'Entity names observed for an application.',
    section: '4.5',
    errors: [400, 500],
    query: { entity_type: 'text', data_type: 'list', semantic_name: 'list', search: 'text' },
    item: records.catalogItem,
    identity: 'name',
  }),
  'catalog.values': list({
    path: '/v3/applications/{application_id}/catalog/values',
    title: 'Catalog values',
    help: 'Distinct values of one entity.',
    section: '4.5',
    errors: [400, 500],
    query: { entity_type: 'text', name: 'text', search: 'text' },
    requiredQuery: ['entity_type', 'name'],
    item: records.catalogValueItem,
    identity: 'value',
  }),
  'environments.list': list({
    path: '/v3/environments',
    title: 'Environments',
    help: 'Environments of the projects the token may access.',
    section: '4.8',
    errors: [400, 401, 403, 500],
    query: { type: 'text', ...listQuery },
    item: records.environment,
  }),
  'models.environments': list({
    path: '/v3/models/{model_id}/environments',
    title: 'Environments of a model',
    help: 'Environments events can be published to.',
    section: '4.8',
    errors: [400, 401, 403, 404, 500],
    query: { type: 'text', ...listQuery },
    item: records.environment,
  }),
  'models.list': list({
    path: '/v3/models',
    title: 'Models',
    help: 'Models events belong to.',
    section: 'API_FACTS 7.5',
    errors: [400, 401, 403, 500],
    item: records.model,
  }),
  'models.get': read({
    path: '/v3/models/{model_id}',
    title: 'Model',
    help: 'One model with the schema its events follow.',
    section: 'API_FACTS 7.5',
    errors: [400, 401, 403, 404, 500],
    item: records.model,
  }),
  'jobs.get': read({
    path: '/v3/jobs/{job_id}',
    title: 'Job',
    help: 'State of an asynchronous job.',
    section: 'API_FACTS 7.6',
    errors: [401, 403, 404, 500],
    item: records.job,
  }),
} satisfies Record<string, Endpoint>;
