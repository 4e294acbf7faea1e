/** Recognizes the same record among the stored rows of several lists. Pure. */
import { entityTypeOf } from './catalog-entity.ts';
import type { ListQuery } from './model.ts';

/** Records of these operations have an id that is unique across lists. */
const KNOWN_EVERYWHERE: ReadonlySet<string> = new Set(['spans.query']);
/** Lists of one resource: of all records, and of those that belong to a model. */
const RESOURCE_OF: Readonly<Record<string, string>> = {
  'models.environments': 'environments.list',
  'models.baselines': 'baselines.list',
  'models.custom-metrics': 'custom-metrics.list',
};

/** The operation that lists all records, of which this one lists some. */
export function resourceOf(operation: string): string {
  return RESOURCE_OF[operation] ?? operation;
}

/**
 * The scope in which a row's identity is unique: rows with equal scope and identity are the same record, whatever the
 * selection, order or time range of their lists. An entity is unique in its application by its type, which must be
 * taken from the record: the same entity is in lists of all types and in lists of one type.
 */
export function recordScopeOf(
  { operation, path, query }: Pick<ListQuery, 'operation' | 'path' | 'query'>,
  record: Readonly<Record<string, unknown>>,
): string {
  return (
    scopeOfList({ operation, path, query }) ??
    JSON.stringify([operation, path['application_id'], entityTypeOf(record, '')])
  );
}

/** The scope of all rows of a list; null if it must be taken from each record. */
export function scopeOfList({
  operation,
  path,
  query,
}: Pick<ListQuery, 'operation' | 'path' | 'query'>): string | null {
  if (operation === 'catalog.list') return null;
  if (operation === 'catalog.values')
    return JSON.stringify([operation, path['application_id'], query['entity_type'], query['name']]);
  const resource = resourceOf(operation);
  if (KNOWN_EVERYWHERE.has(operation) || resource.endsWith('.list')) return resource;
  return JSON.stringify([operation, path]);
}
