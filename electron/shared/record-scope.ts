/** Identifies the same record in several stored lists. Pure. */
import { entityTypeOf } from './catalog-entity.ts';
import type { ListQuery } from './model.ts';

/** Operations whose records have ids that are unique across lists. */
const KNOWN_EVERYWHERE: ReadonlySet<string> = new Set(['spans.query']);
/** Maps the lists of one model's records to the operation that lists the records of all models. */
const RESOURCE_OF: Readonly<Record<string, string>> = {
  'models.environments': 'environments.list',
  'models.baselines': 'baselines.list',
  'models.custom-metrics': 'custom-metrics.list',
};

/**
 * The operation that lists the records of all models, if this one lists those of one model; otherwise the operation
 * itself.
 */
export function resourceOf(operation: string): string {
  return RESOURCE_OF[operation] ?? operation;
}

/**
 * The scope in which a row's identity is unique. Rows with equal scope and identity are the same record, whatever the
 * selection, order or time range of their lists. The scope of an entity includes its application and its type. The type
 * is taken from the record, because the same entity is in lists of all types and in lists of one type.
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

/** The scope of all rows of a list; null if it depends on the record. */
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
