/** GenAI applications (INTERFACE 4.2). */
import { listAnswer } from '../lists.ts';
import type { Service } from '../service.ts';
import { notFound } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import type { Handlers } from './handler.ts';

/** Throws a 404 where there is none. */
export function requireApplication(service: Service, id: string): JsonRecord {
  const application = service.stores.resources.get('application', id);
  if (application === null) throw notFound('Application', id);
  return application;
}

export const applicationHandlers = {
  'applications.list': ({ stores }, request) => listAnswer(stores.resources.list('application'), request),

  'applications.get': (service, request) => ({
    kind: 'record',
    data: requireApplication(service, request.path('application_id')),
  }),
} satisfies Pick<Handlers, 'applications.list' | 'applications.get'>;
