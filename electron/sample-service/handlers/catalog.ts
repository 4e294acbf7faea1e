/** The entity catalog of an application and the distinct values of one entity (SERVICE.md S4.5). */
import { malformed } from '../service-error.ts';
import { requireApplication } from './applications.ts';
import type { Handlers } from './handler.ts';

const ENTITY_TYPES: readonly string[] = ['attribute', 'agent_name', 'span_type', 'span_name'];

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
