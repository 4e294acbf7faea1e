/** Sorts positions by the values of one field. Pure, except that it pauses. */
import { readField } from '../core/text/filters.ts';
import type { ListReads } from '../db/list-reads.ts';
import { parseStored } from '../shared/record-parts.ts';
import { indicesBelow } from './merge-sort.ts';
import type { Positions } from './positions.ts';
import type { Slices } from './slices.ts';
import { SortKeys } from './sort-keys.ts';

/** Sorts `within` (null for all rows) by the field. Equal values keep the order of `within`. Throws ANSWER_TOO_LARGE. */
export async function sortRows(
  reads: ListReads,
  generationId: number,
  within: Positions | null,
  sort: { field: string; isDescending: boolean },
  slices: Slices,
): Promise<Positions> {
  const isReordered = within !== null && !isAscending(within);
  const ascending = isReordered ? Int32Array.from(within).sort() : within;
  const keys = await readKeys(reads, generationId, ascending, sort.field, slices);
  const groups = keys.groups(sort.isDescending).filter(({ positions }) => positions.size > 0);
  const sorted: Positions = new Int32Array(groups.reduce((sum, { positions }) => sum + positions.size, 0));
  let count = 0;
  for (const group of groups) {
    const positions = group.positions.values();
    const initial = isReordered ? placesIn(within, positions) : indicesBelow(positions.length);
    await slices.pause();
    for (const index of await group.orderOf(initial, sort.isDescending, slices)) {
      sorted[count] = positions[index] ?? 0;
      count += 1;
    }
    await slices.pause();
  }
  return sorted;
}

const isAscending = (positions: Positions): boolean =>
  positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? 0));

/** The indices in `some` (which ascends) of the positions of `order` that `some` contains, in the order of `order`. */
function placesIn(order: Positions, some: Positions): Uint32Array {
  const placeOf = new Int32Array((some.at(-1) ?? 0) + 1).fill(-1);
  for (const [place, position] of some.entries()) placeOf[position] = place;
  const places = new Uint32Array(some.length);
  let count = 0;
  for (const position of order) {
    const place = placeOf[position] ?? -1;
    if (place < 0) continue;
    places[count] = place;
    count += 1;
  }
  return places;
}

async function readKeys(
  reads: ListReads,
  generationId: number,
  within: ArrayLike<number> | null,
  field: string,
  slices: Slices,
): Promise<SortKeys> {
  const keys = new SortKeys();
  const isPlain = /^[^."]+$/.test(field);
  let next = 0;
  const add = (position: number, value: unknown) => {
    while (within !== null && (within[next] ?? Number.POSITIVE_INFINITY) < position) next += 1;
    if (within === null || within[next] === position) keys.add(position, value);
  };
  const readPlain = (from: number, limit: number): readonly number[] => {
    const { positions, columns } = reads.valuesFrom(generationId, from, limit, [field]);
    for (const [index, position] of positions.entries()) add(position, columns[0]?.[index]);
    return positions;
  };
  const readParsed = (from: number, limit: number): readonly number[] => {
    const positions: number[] = [];
    for (const { position, json } of reads.recordsFrom(generationId, from, limit)) {
      positions.push(position);
      add(position, readField(parseStored(json), field));
    }
    return positions;
  };
  await slices.each(isPlain ? readPlain : readParsed);
  return keys;
}
