/** What an item of the catalog is. Pure. */

/** Entity types that are known of; the set is open. */
export const ENTITY_TYPES: readonly string[] = ['attribute', 'agent_name', 'span_type', 'span_name'];

/** Marks an attribute that is mapped to no concept (SERVICE.md S2.4). */
export const UNMAPPED = 'UNKNOWN';

/**
 * The entity type under which a catalog item's values are listed. The item does not have to say it: then it is
 * what the list was filtered by, or a semantic name that is itself an entity type.
 */
export function entityTypeOf(item: Readonly<Record<string, unknown>>, filteredBy: string): string {
  const { entity_type: own, semantic_name: meaning } = item;
  if (typeof own === 'string' && own !== '') return own;
  if (filteredBy !== '') return filteredBy;
  return typeof meaning === 'string' && ENTITY_TYPES.includes(meaning) ? meaning : 'attribute';
}

/**
 * Keys that spans may have an attribute of the catalog under. The catalog writes a person's own attributes with where
 * they belong (`fiddler.span.user.x`) and the system's without (`gen_ai.x`); spans have `user.x` and `system.gen_ai.x`.
 */
export function keysOf(name: string): string[] {
  const own = name.replace(/^fiddler\.(span|session)\./, '');
  return own === name && !/^(user|system)\./.test(name)
    ? [name, `system.${name}`]
    : [...new Set([own, name])];
}
