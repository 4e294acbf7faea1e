/** Sorts positions by the values of one field. Pure except for the pauses. */
import { readField } from '../core/text/filters.ts';
import type { ListReads } from '../db/list-reads.ts';
import { isRawNumber } from '../shared/exact-json.ts';
import { fold } from '../shared/fold.ts';
import { parseStored } from '../shared/record-parts.ts';
import type { Positions } from './positions.ts';
import type { Slices } from './slices.ts';

const NUMBER = 0;
const TEXT = 1;
const OTHER = 2;
const MISSING = 3;
/** Numeric texts are sorted as numbers, because catalog values are texts. */
const NUMERIC = /^-?(\d{1,15})(\.\d{1,15})?(e[+-]?\d{1,2})?$/i;
/** Most texts do not even begin like a number. */
function looksNumeric(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first === 45 || (first >= 48 && first <= 57)) && NUMERIC.test(text);
}

/** The keys of all rows are in memory at once, so only this many characters of a long value are compared. */
const KEY_CHARS = 1_000;
const headOf = (text: string): string => (text.length > KEY_CHARS ? text.slice(0, KEY_CHARS) : text);

/** Size of chunks sorted in one step; about 1 ms. */
const CHUNK = 1_024;

/** Numbers by size, then texts ignoring case, then other values by their JSON; missing values last. */
class SortKeys {
  readonly positions: number[] = [];
  readonly ranks: number[] = [];
  readonly numbers: number[] = [];
  readonly texts: string[] = [];

  add(position: number, value: unknown): void {
    this.positions.push(position);
    if (typeof value === 'number' || typeof value === 'boolean' || isRawNumber(value))
      this.#push(NUMBER, Number(value), '');
    else if (typeof value === 'string') {
      if (looksNumeric(value)) this.#push(NUMBER, Number(value), '');
      else this.#push(TEXT, 0, fold(headOf(value)));
    } else if (value === null || value === undefined) this.#push(MISSING, 0, '');
    else this.#push(OTHER, 0, headOf(JSON.stringify(value)));
  }

  #push(rank: number, number: number, text: string): void {
    this.ranks.push(rank);
    this.numbers.push(number);
    this.texts.push(text);
  }
}

/** Sorts `within` (null for all rows) by the field. Equal values keep the order of `within`. */
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
  await slices.pause();
  const { positions } = keys;
  const places = new Map<number, number>();
  if (isReordered) for (const [place, position] of within.entries()) places.set(position, place);
  const placeOf = (index: number): number => places.get(positions[index] ?? 0) ?? index;
  const compare = comparator(keys, sort.isDescending);
  const order = await sortIndices(
    positions.length,
    (a, b) => compare(a, b) || (isReordered ? placeOf(a) - placeOf(b) : a - b),
    slices,
  );
  await slices.pause();
  return Int32Array.from(order, (index) => positions[index] ?? 0);
}

const isAscending = (positions: Positions): boolean =>
  positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? 0));

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

type Compare = (a: number, b: number) => number;

/** 0 for equal values. */
function comparator({ ranks, numbers, texts }: SortKeys, isDescending: boolean): Compare {
  const sign = isDescending ? -1 : 1;
  if (ranks.every((rank) => rank === NUMBER)) {
    return (a, b) => sign * ((numbers[a] ?? 0) - (numbers[b] ?? 0));
  }
  return (a, b) => {
    const rankA = ranks[a] ?? MISSING;
    const rankB = ranks[b] ?? MISSING;
    if (rankA !== rankB) {
      if (rankA === MISSING || rankB === MISSING) return rankA - rankB;
      return sign * (rankA - rankB);
    }
    if (rankA === NUMBER) return sign * ((numbers[a] ?? 0) - (numbers[b] ?? 0));
    const textA = texts[a] ?? '';
    const textB = texts[b] ?? '';
    return textA === textB ? 0 : textA < textB ? -sign : sign;
  };
}

/** The numbers below `length` in order: a stable merge sort that can pause between steps. */
export async function sortIndices(length: number, compare: Compare, slices: Slices): Promise<number[]> {
  let runs: number[][] = [];
  for (let start = 0; start < length; start += CHUNK) {
    const size = Math.min(CHUNK, length - start);
    runs.push(Array.from({ length: size }, (_, index) => start + index).sort(compare));
    await slices.pause();
  }
  while (runs.length > 1) {
    const merged: number[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(await merge(runs[index] ?? [], runs[index + 1] ?? [], compare, slices));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge(
  left: readonly number[],
  right: readonly number[],
  compare: Compare,
  slices: Slices,
): Promise<number[]> {
  const out: number[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const a = left[l];
    const b = right[r];
    if (b === undefined || (a !== undefined && compare(a, b) <= 0)) {
      if (a !== undefined) out.push(a);
      l += 1;
    } else {
      out.push(b);
      r += 1;
    }
    if (out.length % CHUNK === 0) await slices.pause();
  }
  return out;
}
