/** The steps with which stored rows are ordered: selection, filtering, sorting. Pure except for the pauses. */
import type { ListReads } from '../db/list-reads.ts';
import type { ListQuery, RowWindow } from '../shared/model.ts';
import { parseStored } from '../shared/record-parts.ts';
import type { WordTable } from '../shared/shown-words.ts';
import { createMatcher, shownTextOf } from '../shared/text-filter.ts';
import { derivationOf } from './derive.ts';
import { PositionList } from './position-list.ts';
import type { Positions } from './positions.ts';
import type { Slices } from './slices.ts';
import { sortRows } from './sort-rows.ts';

/** `tables`: those by which the list shows constants. */
export interface TextFilter {
  typed: string;
  tables: readonly WordTable[];
}

export type OrderStep =
  /** Selects the rows of a base list that belong to the list of `query`. */
  | { kind: 'select'; query: ListQuery }
  | ({ kind: 'text-filter' } & TextFilter)
  | { kind: 'sort'; sort: NonNullable<RowWindow['sort']> };

export interface OrderQuery {
  generationId: number;
  step: OrderStep;
  /**
   * Positions to consider; null for all rows. A selection always applies to all rows; a text filter needs ascending
   * positions. Sorting keeps the order of equal rows.
   */
  within: Positions | null;
}

/**
 * Positions of the remaining rows, in order; null if the selection cannot be derived. Throws INVALID_ARGUMENT for an
 * invalid expression.
 */
export async function runStep(
  reads: ListReads,
  { generationId, step, within }: OrderQuery,
  slices: Slices,
): Promise<Positions | null> {
  if (step.kind === 'sort') return sortRows(reads, generationId, within, step.sort, slices);
  if (step.kind === 'text-filter') return filterByText(reads, generationId, step, within, slices);
  return (await derivationOf(step.query)?.select(reads, generationId, slices)) ?? null;
}

async function filterByText(
  reads: ListReads,
  generationId: number,
  { typed, tables }: TextFilter,
  within: Positions | null,
  slices: Slices,
): Promise<Positions> {
  const matches = createMatcher(typed, tables);
  // Both lists ascend, so they are merged in one pass instead of building a set first.
  let next = 0;
  const isAllowed = (position: number): boolean => {
    if (within === null) return true;
    while ((within[next] ?? Number.POSITIVE_INFINITY) < position) next += 1;
    return within[next] === position;
  };
  const found = new PositionList();
  await slices.each((from, limit) => {
    const { positions, texts } = reads.textsFrom(generationId, from, limit);
    for (const [index, position] of positions.entries()) {
      if (!isAllowed(position)) continue;
      if (matches(texts[index] ?? longText(reads, generationId, position))) found.add(position);
    }
    return positions;
  });
  return found.values().slice();
}

/** The text of a row that is too long to be stored in the row itself. */
function longText(reads: ListReads, generationId: number, position: number): string {
  for (const { json } of reads.recordsFrom(generationId, position, 1)) {
    const record = parseStored(json);
    if (typeof record === 'object' && record !== null) return shownTextOf({ ...record });
  }
  return '';
}
