/** Server information, applications, attributes. */
import { listAnswer } from '../lists.ts';
import { ORGANIZATION } from '../record-parts.ts';
import { notFound } from '../service-error.ts';
import type { Handlers } from './handler.ts';

export const metadataHandlers = {
  'server-info.get': () => ({
    kind: 'record',
    data: {
      server_version: '26.14.0-sample',
      feature_flags: { genai_applications: true, evals_datasets: true, event_deletion: true },
      organization: ORGANIZATION,
    },
  }),

  'applications.list': ({ stores }, request) => listAnswer(stores.resources.list('application'), request),

  'applications.get': ({ stores }, request) => {
    const id = request.path('application_id');
    const application = stores.resources.get('application', id);
    if (application === null) throw notFound('Application', id);
    return { kind: 'record', data: application };
  },

  'attributes.list': ({ stores }, request) => {
    const applications = new Map(
      stores.resources
        .list('application')
        .map((record) => [record['id'], { id: record['id'], name: record['name'] }]),
    );
    const records = stores.catalog.attributes().map((entity) => ({
      id: entity.id,
      name: entity.name,
      application: applications.get(entity.application_id),
      // The attribute list says float where the catalog says numeric (API_FACTS section 5).
      data_type: entity.data_type === 'numeric' ? 'float' : 'string',
      scope: entity.scope,
      type: entity.name.startsWith('fiddler.') ? 'user' : 'system',
    }));
    return listAnswer(records, request);
  },
} satisfies Pick<Handlers, 'server-info.get' | 'applications.list' | 'applications.get' | 'attributes.list'>;
