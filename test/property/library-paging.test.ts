/** However a list changes between its pages: each row once, none that stayed is missing unless the list says it moved. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  /** Where, as a share of the list. */
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
        expect(freshness).toMatchObject({ isComplete: true, refresh: { phase: 'idle' } });
        expect(new Set(got).size).toBe(got.length);
        expect(freshness.storedRows).toBe(got.length);
        const missing = [...stayed].filter((name) => !got.includes(name));
        // Pages of one row overlap with nothing: a change is only seen where the service stated another total.
        // Found: [9, [delete 8 from the front, then insert 8 at the end, both after page 5], 1].
        const isSeen = cap !== 1 || new Set(list.pages.map(({ total }) => total)).size > 1;
        if (isSeen && !freshness.hasMovedWhileRead) expect(missing).toEqual([]);
        if (!hasChanged) {
          expect(freshness.hasMovedWhileRead).toBe(false);
          expect(got).toEqual(before.map(({ name }) => name));
        }
        // A service that gives a row at a time leaves no seam to look at.
        if (cap === undefined || cap > 1) expect(missing).toEqual([]);
        rig.library.release('view');
      },
    ),
    { numRuns: RUNS },
  );
}, 600_000);
