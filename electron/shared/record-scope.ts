/** Which stored rows of several lists are one record. Pure. */
import { entityTypeOf } from './catalog-entity.ts';
import type { ListQuery } from './model.ts';

/** Records of these operations have an id that is their own in every list. */
const KNOWN_EVERYWHERE: ReadonlySet<string> = new Set(['spans.query']);
/** Lists of one resource: of all, and of those that belong to a model. */
const RESOURCE_OF: Readonly<Record<string, string>> = {
  'models.environments': 'environments.list',
  'models.baselines': 'baselines.list',
  'models.custom-metrics': 'custom-metrics.list',
};

/** The operation that lists all records of which this one lists some. */
export function resourceOf(operation: string): string {
  return RESOURCE_OF[operation] ?? operation;
}

/**
 * Within what the identity of a row is its own: rows of one scope and one identity are one record, whatever selection,
 * order or time range their lists have. An entity is its own in its application under its type, which has to follow from
 * the record: the same entity stands in lists of all types and in lists of one.
 */
export function recordScopeOf(
  { operation, path, query }: Pick<ListQuery, 'operation' | 'path' | 'query'>,
  record: Readonly<Record<string, unknown>>,
): string {
  if (operation === 'catalog.list')
    return JSON.stringify([operation, path['application_id'], entityTypeOf(record, '')]);
  if (operation === 'catalog.values')
    return JSON.stringify([operation, path['application_id'], query['entity_type'], query['name']]);
  const resource = resourceOf(operation);
  if (KNOWN_EVERYWHERE.has(operation) || resource.endsWith('.list')) return resource;
  return JSON.stringify([operation, path]);
}
