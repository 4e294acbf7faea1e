/**
 * However a list changes between its pages, each row is read once, and a list that is reported as complete is complete.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_IDLE_PAGES } from '../../electron/library/fill.ts';
import { MAX_REPAIR_REQUESTS } from '../../electron/library/whole-list.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { LibraryRig } from '../helpers/library-rig.ts';
import { type Item, MovingList } from '../helpers/moving-list.ts';
import { runs } from '../helpers/runs.ts';

const RUNS = runs(100);

let list: MovingList;
let rig: LibraryRig;
beforeAll(async () => {
  list = await MovingList.start();
  rig = new LibraryRig(list.server.baseUrl);
  rig.settings.pageRows = 10;
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await list[Symbol.asyncDispose]();
});

interface Change {
  afterPage: number;
  kind: 'insert' | 'delete' | 'replace';
  /** The position as a share of the list, from 0 to 1. */
  at: number;
  count: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  afterPage: fc.integer({ min: 1, max: 8 }),
  kind: fc.constantFrom('insert', 'delete', 'replace'),
  at: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
  count: fc.integer({ min: 1, max: 12 }),
});

let made = 0;
function newItems(count: number): Item[] {
  return Array.from({ length: count }, () => {
    made += 1;
    return { name: `row ${made}`, row_count: made };
  });
}

function changed(items: readonly Item[], { kind, at, count }: Change): Item[] {
  const index = Math.floor(at * items.length);
  const isGone = kind === 'insert' ? 0 : count;
  return items.toSpliced(index, isGone, ...newItems(kind === 'delete' ? 0 : count));
}

test('lists that change between their pages', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 80 }),
      fc.array(change, { maxLength: 4 }),
      fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
      async (count, changes, cap) => {
        run += 1;
        const query: ListQuery = {
          operation: 'catalog.list',
          path: { application_id: `app-${run}` },
          query: {},
        };
        list.reset(newItems(count));
        list.cap = cap;
        const before = list.items;
        const stayed = new Set(before.map(({ name }) => name));
        let hasChanged = false;
        list.onPage = (pages) => {
          for (const each of changes.filter(({ afterPage }) => afterPage === pages)) {
            const after = changed(list.items, each);
            hasChanged ||=
              after.length !== list.items.length || after.some((row, n) => row !== list.items[n]);
            list.items = after;
            const names = new Set(after.map(({ name }) => name));
            for (const name of stayed) if (!names.has(name)) stayed.delete(name);
          }
        };
        const freshness = await rig.read(query);
        const got = await rig.column(query, 'name');
        expect(freshness).toMatchObject({ refresh: { phase: 'idle' } });
        expect(new Set(got).size).toBe(got.length);
        expect(freshness.storedRows).toBe(got.length);
        if (!hasChanged) {
          expect(freshness).toMatchObject({ isComplete: true, hasMovedWhileRead: false });
          expect(got).toEqual(before.map(({ name }) => name));
        }
        const missing = [...stayed].filter((name) => !got.includes(name));
        // If a service returns one row at a time, there is no overlap to compare.
        if ((cap === undefined || cap > 1) && freshness.isComplete) expect(missing).toEqual([]);
        rig.library.release('view');
      },
    ),
    { numRuns: RUNS },
  );
}, 600_000);

/** A change between two answers: either the total changes, or no row does. */
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom('insert', 'delete'), at: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ kind: fc.constant('shuffle'), at: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.constant(null),
);

/** The same rows in another order, given by a seed between 0 and 1. */
function shuffled(items: readonly Item[], seed: number): Item[] {
  let state = Math.floor(seed * 2_147_483_647) + 1;
  const keyed = items.map((item) => {
    state = (state * 48_271) % 2_147_483_647;
    return { item, state };
  });
  return keyed.toSorted((a, b) => a.state - b.state).map(({ item }) => item);
}

test('a list reported as complete has the rows that the service had at one moment', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 60 }),
      fc.array(step, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      fc.integer({ min: 2, max: 12 }),
      async (count, steps, repeatsSteps, cap) => {
        run += 1;
        let inserted = 0;
        const query: ListQuery = {
          operation: 'catalog.list',
          path: { application_id: `moment-${run}` },
          query: {},
        };
        list.reset(newItems(count));
        list.cap = cap;
        const textOf = (items: readonly Item[]) => JSON.stringify(items.map(({ name }) => name).toSorted());
        const moments = new Set([textOf(list.items)]);
        list.onPage = (pages) => {
          const each = repeatsSteps ? steps[pages % steps.length] : steps[pages - 1];
          if (each === null || each === undefined) return;
          const { kind, at } = each;
          const size = list.items.length;
          if (kind === 'shuffle') list.items = shuffled(list.items, (at + pages / 97) % 1);
          else
            list.items = changed(list.items, {
              afterPage: pages,
              kind: kind === 'insert' ? 'insert' : 'delete',
              at,
              count: 1,
            });
          if (list.items.length !== size) moments.add(textOf(list.items));
          if (list.items.length > size) inserted += 1;
        };
        const freshness = await rig.read(query);
        const got = await rig.column(query, 'name');
        expect(new Set(got).size).toBe(got.length);
        if (freshness.isComplete) {
          expect(freshness).not.toHaveProperty('missingRows');
          expect(moments).toContain(JSON.stringify(got.toSorted()));
        } else if (freshness.refresh.phase === 'failed') {
          // Rows are inserted at the front as fast as they are read.
          expect(freshness.refresh.error.code).toBe('ANSWER_INVALID');
        } else {
          const { totalRows, storedRows } = freshness;
          const missing = totalRows !== null && totalRows > storedRows ? totalRows - storedRows : null;
          expect(freshness).toMatchObject({ missingRows: missing });
        }
        // For each row that ever existed there is at most one page and one step back; then pages without new rows, and
        // repeated reads, which can exceed their limit by the same amount.
        const bound = 2 * (count + inserted) + MAX_IDLE_PAGES + 2 * MAX_REPAIR_REQUESTS;
        expect(list.pages.length, 'within a bound').toBeLessThanOrEqual(bound);
        rig.library.release('view');
      },
    ),
    {
      numRuns: runs(100, 400),
      // Rows are inserted at the front at two of three pages, which makes 202 pages.
      examples: [[49, [null, { kind: 'insert', at: 0 }, { kind: 'insert', at: 0 }], true, 2]],
    },
  );
}, 600_000);
