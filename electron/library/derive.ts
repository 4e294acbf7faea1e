/**
 * Answers that need no request: a list with a search or selection whose rules SERVICE.md S4.5 states, where the same
 * list without them is stored whole.
 */
import type { ListReads } from '../db/list-reads.ts';
import { fold } from '../shared/fold.ts';
import { textOfIdentity } from '../shared/item-row.ts';
import type { ListQuery } from '../shared/model.ts';
import type { Slices } from './slices.ts';

export interface Derivation {
  /** The list that is searched through. */
  base: ListQuery;
  /** Folded text that the identity must hold, or null. */
  search: string | null;
  /** Field and the values that are accepted for it. */
  selections: { field: string; accepted: ReadonlySet<string> }[];
}

/** Rules by operation: the search looks at the identity (name, value), a selection at a field of its own name. */
const RULES: Readonly<Record<string, { selections: readonly string[] }>> = {
  'catalog.list': { selections: ['data_type', 'semantic_name'] },
  'catalog.values': { selections: [] },
};
/** SERVICE.md S2.4: marks an unmapped attribute, and so does an absent concept. */
const UNMAPPED = 'UNKNOWN';

/** How the list can be derived, or null where it cannot. */
export function derivationOf(query: ListQuery): Derivation | null {
  const rule = RULES[query.operation];
  if (rule === undefined) return null;
  const base = { ...query.query };
  delete base['search'];
  const selections: Derivation['selections'] = [];
  for (const field of rule.selections) {
    const wanted = base[field];
    delete base[field];
    if (wanted !== undefined) selections.push({ field, accepted: new Set(wanted.split(',')) });
  }
  const search = query.query['search'];
  if (search === undefined && selections.length === 0) return null;
  return { base: { ...query, query: base }, search: search === undefined ? null : fold(search), selections };
}

/** Positions of the base list that belong to the derived one, in order. */
export async function derivedPositions(
  reads: ListReads,
  generationId: number,
  { search, selections }: Derivation,
  slices: Slices,
): Promise<number[]> {
  const found: number[] = [];
  await slices.each((from, limit) => {
    const { positions, texts } = reads.identitiesFrom(generationId, from, limit);
    const fields = selections.map(({ field }) => field);
    const { columns } = reads.valuesFrom(generationId, from, limit, fields);
    positions.forEach((position, index) => {
      const matchesSearch = search === null || fold(textOfIdentity(texts[index] ?? '')).includes(search);
      const isSelected = selections.every(({ accepted }, column) =>
        accepted.has(String(columns[column]?.[index] ?? UNMAPPED)),
      );
      if (matchesSearch && isSelected) found.push(position);
    });
    return positions;
  });
  return found;
}
