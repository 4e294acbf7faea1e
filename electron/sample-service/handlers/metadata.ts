/** Server information and attributes. */
import { listAnswer } from '../lists.ts';
import { ORGANIZATION } from '../record-parts.ts';
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
      // The list of attributes says float for values that the catalog calls numeric (SERVICE.md F5).
      data_type: entity.data_type === 'numeric' ? 'float' : 'string',
      scope: entity.scope,
      type: entity.name.startsWith('fiddler.') ? 'user' : 'system',
    }));
    return listAnswer(records, request);
  },
} satisfies Pick<Handlers, 'server-info.get' | 'attributes.list'>;
