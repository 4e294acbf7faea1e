/** Sorted rows are in the order of a plain comparison of their values, and equal rows keep their order. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { type ListReads, openListReads } from '../../electron/db/list-reads.ts';
import { sortIndices } from '../../electron/library/merge-sort.ts';
import { Slices } from '../../electron/library/slices.ts';
import { sortRows } from '../../electron/library/sort-rows.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { runs } from '../helpers/runs.ts';
import { storeRows } from '../helpers/stored-rows.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

let folder: DataFolder;
let store: LibraryStore;
let reads: ListReads;
const clock = new VirtualClock();
beforeAll(() => {
  folder = new DataFolder();
  const file = folder.file('library.db');
  store = openLibraryStore({ file, clock, logger: silentLogger });
  reads = openListReads(file);
});
afterAll(() => {
  store.close();
  folder[Symbol.dispose]();
});

/**
 * Texts with the same beginning, with characters of one to four bytes, and with surrogates next to higher code units.
 */
const text = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'same beginning ', 'é', 'ß', '\u0000', '名', '\ufb01', '😀', '~'), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
const value = fc.oneof(
  { weight: 3, arbitrary: text },
  fc.constantFrom('status_a', 'status_b', 'status_c'),
  fc.constantFrom(0, -0, 1, -1.5, 1e300, -1e300, 12, '12', '-3.5', '1e3', '0x1', '12 apples'),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, undefined),
  fc.constantFrom(['b'], { a: 2 }, { a: 1 }),
);

const NUMERIC = /^-?\d{1,15}(\.\d{1,15})?(e[+-]?\d{1,2})?$/i;
function keyOf(given: unknown): [rank: number, key: number | string] {
  if (given === null || given === undefined) return [3, 0];
  if (typeof given === 'number' || typeof given === 'boolean') return [0, Number(given)];
  if (typeof given === 'string')
    return NUMERIC.test(given) ? [0, Number(given)] : [1, given.toLowerCase().normalize('NFC')];
  return [2, JSON.stringify(given)];
}

function compare(one: unknown, other: unknown, isDescending: boolean): number {
  const [[rank, key], [otherRank, otherKey]] = [keyOf(one), keyOf(other)];
  if (rank !== otherRank && Math.max(rank, otherRank) === 3) return rank - otherRank;
  const order = rank === otherRank ? Number(key > otherKey) - Number(key < otherKey) : rank - otherRank;
  return isDescending ? -order : order;
}

const seededOrder = (length: number, seed: number): number[] =>
  Array.from({ length }, (_, at) => at).toSorted(
    (a, b) =>
      ((Math.imul(a + seed, 2_654_435_761) >>> 0) % 1_009) -
      ((Math.imul(b + seed, 2_654_435_761) >>> 0) % 1_009),
  );

test('values of all kinds are sorted like by a plain comparison, also within chosen and reordered rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { maxLength: 300, size: 'max' }),
      fc.boolean(),
      fc.constantFrom('all', 'some', 'reordered'),
      fc.constantFrom('plain', 'nested.value'),
      fc.nat(),
      async (values, isDescending, rows, field, seed) => {
        const rowOf = (at: number) =>
          field === 'plain' ? { plain: values[at] } : { nested: { value: values[at] } };
        const key = `list ${seed} ${values.length} ${isDescending} ${field}`;
        const generationId = storeRows(store, { key, query: { key }, rows: values.length, rowOf });
        const order = seededOrder(values.length, seed);
        const some = rows === 'reordered' ? order : order.toSorted((a, b) => a - b);
        const chosen = rows === 'all' ? some : some.filter((at) => at % 3 !== 1);
        const within = rows === 'all' ? null : Int32Array.from(chosen);
        const sorted = await sortRows(
          reads,
          generationId,
          within,
          { field, isDescending },
          new Slices(clock),
        );
        expect([...sorted]).toEqual(chosen.toSorted((a, b) => compare(values[a], values[b], isDescending)));
      },
    ),
    { numRuns: runs(60) },
  );
});

test('indices of any number are sorted, and equal ones keep their order', async () => {
  for (const length of [0, 1, 15, 16, 17, 1_023, 1_025, 40_000]) {
    const keys = Array.from({ length }, (_, at) => (Math.imul(at, 2_654_435_761) >>> 0) % 257);
    const byKey = (a: number, b: number) => (keys[a] ?? 0) - (keys[b] ?? 0);
    const sorted = await sortIndices(length, byKey, new Slices(clock));
    expect([...sorted]).toEqual(Array.from({ length }, (_, at) => at).toSorted(byKey));
  }
});
