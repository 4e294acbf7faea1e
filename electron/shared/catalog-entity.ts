/** Interprets items of the catalog. Pure. */

/** Known entity types; the set is open. */
export const ENTITY_TYPES: readonly string[] = ['attribute', 'agent_name', 'span_type', 'span_name'];

/** Marks an attribute without a concept (SERVICE.md S2.4). */
export const UNMAPPED = 'UNKNOWN';

/**
 * The entity type for listing a catalog item's values. If the item does not state it, it is the type that the list was
 * filtered by, or a semantic name that is itself an entity type.
 */
export function entityTypeOf(item: Readonly<Record<string, unknown>>, filteredBy: string): string {
  const { entity_type: own, semantic_name: meaning } = item;
  if (typeof own === 'string' && own !== '') return own;
  if (filteredBy !== '') return filteredBy;
  return typeof meaning === 'string' && ENTITY_TYPES.includes(meaning) ? meaning : 'attribute';
}

/**
 * Keys under which spans may have an attribute of the catalog. The catalog writes user attributes with their scope
 * (`fiddler.span.user.x`) and system attributes without (`gen_ai.x`); spans have `user.x` and `system.gen_ai.x`.
 */
export function keysOf(name: string): string[] {
  const own = name.replace(/^fiddler\.(span|session)\./, '');
  return own === name && !/^(user|system)\./.test(name)
    ? [name, `system.${name}`]
    : [...new Set([own, name])];
}
