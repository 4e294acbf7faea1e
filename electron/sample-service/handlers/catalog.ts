/** The entity catalog of an application and the distinct values of one entity (INTERFACE 4.5). */
import type { Service } from '../service.ts';
import { malformed, notFound } from '../service-error.ts';
import type { Handlers } from './handler.ts';

const ENTITY_TYPES: readonly string[] = ['attribute', 'agent_name', 'span_type', 'span_name'];

function requireApplication(service: Service, id: string): void {
  if (service.stores.resources.get('application', id) === null) throw notFound('Application', id);
}

function checkEntityType(entityType: string): string {
  if (ENTITY_TYPES.includes(entityType)) return entityType;
  throw malformed(`entity_type must be one of ${ENTITY_TYPES.join(', ')}; "${entityType}" was sent.`);
}

export const catalogHandlers = {
  'catalog.list': (service, request) => {
    const applicationId = request.path('application_id');
    requireApplication(service, applicationId);
    const entityType = request.query('entity_type');
    const found = service.stores.catalog.entities({
      applicationId,
      entityType: entityType === null ? null : checkEntityType(entityType),
      dataTypes: request.list('data_type'),
      semanticNames: request.list('semantic_name'),
      search: request.query('search'),
      ...request.page,
    });
    return { kind: 'page', ...found, ...request.page };
  },

  'catalog.values': (service, request) => {
    const applicationId = request.path('application_id');
    requireApplication(service, applicationId);
    const [entityType, name] = [request.query('entity_type') ?? '', request.query('name') ?? ''];
    const found = service.stores.catalog.values({
      applicationId,
      entityType: checkEntityType(entityType),
      name,
      search: request.query('search'),
      ...request.page,
    });
    return { kind: 'page', ...(found ?? { items: [], total: 0 }), ...request.page };
  },
} satisfies Pick<Handlers, 'catalog.list' | 'catalog.values'>;
