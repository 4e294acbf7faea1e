/**
 * Snapshots of datasets: any past state can be restored exactly, and the difference converts one state into the other.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeColumns, encodeColumns, type SnapshotColumns } from '../../electron/core/snapshots/columns.ts';
import { pairItems } from '../../electron/core/snapshots/match-items.ts';
import { openSnapshotStore } from '../../electron/db/snapshot-store.ts';
import { diffWords, foldPieces } from '../../electron/shared/word-diff.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const DATASET = 'a-dataset';

interface Item {
  id: string;
  inputs: Record<string, string>;
  expected_outputs?: Record<string, unknown> | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  source_id: string | null;
}

const word = fc.constantFrom('refund', 'order', 'late', 'voucher', '結', '果', 'Zahlung', '149', '€');
const sentence = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
const item: fc.Arbitrary<Item> = fc.record({
  id: fc.integer({ min: 1, max: 12 }).map((number) => `item-${number}`),
  // Often the same, so that items differ in one other field only.
  inputs: fc.record({ question: fc.oneof(fc.constant('refund order late'), sentence) }),
  expected_outputs: fc.oneof(
    fc.constant({}),
    fc.constant(undefined),
    fc.record({ answer: fc.oneof(sentence, fc.integer(), fc.constant(null)) }),
  ),
  metadata: fc.oneof(
    fc.constantFrom(undefined, null, {}, {}),
    fc.record({ 'a.b': fc.oneof(fc.boolean(), fc.array(word)) }),
  ),
  source_id: fc.constantFrom(null, null, 's1', 's2'),
});
const state = fc.uniqueArray(item, { maxLength: 10, selector: ({ id }) => id });

const textsOf = (items: readonly Item[]): string[] => items.map((each) => JSON.stringify(each));
const listed = (items: readonly Item[]) =>
  items.map((each) => ({ identity: each.id, json: JSON.stringify(each) }));

/** The texts of an item by path, as a user reads them. An empty bucket has none. */
function fieldTexts(given: unknown): Map<string, string> {
  const item: Record<string, unknown> = JSON.parse(JSON.stringify(given));
  const texts = new Map<string, string>();
  const put = (path: string, value: unknown) => {
    const isNested = typeof value === 'object' && value !== null;
    texts.set(path, typeof value === 'string' ? value : JSON.stringify(value, null, isNested ? 2 : 0));
  };
  for (const [field, value] of Object.entries(item)) {
    if (field === 'id') continue;
    if (typeof value !== 'object' || value === null) put(field, value);
    else for (const [key, part] of Object.entries(value)) put(`${field}.${key}`, part);
  }
  return texts;
}

type Pieces = readonly { kind: string; text: string }[];
const sideOf = (pieces: Pieces, kind: string): string =>
  pieces
    .filter((piece) => piece.kind === 'same' || piece.kind === kind)
    .map(({ text }) => text)
    .join('');

function open(folder: DataFolder) {
  return openSnapshotStore({
    file: folder.file('snapshots.db'),
    clock: new VirtualClock(),
    logger: silentLogger,
  });
}

/** Columns of a list whose numbers repeat often, and are close together or far apart. */
const columns = fc
  .array(
    fc.tuple(...Array.from({ length: 4 }, () => fc.constantFrom(0, 1, 2, 3, 16, 17, 1_000_000, 2 ** 31 - 1))),
    {
      maxLength: 40,
    },
  )
  .map((rows): SnapshotColumns => {
    const column = (of: number) => Int32Array.from(rows, (row) => row[of] ?? 0);
    return {
      names: column(0),
      contents: column(1),
      bodies: column(1),
      sources: column(2),
      inputs: column(3),
    };
  });

describe('snapshots', () => {
  test('pair each item at most once, and leave no two with a common id or content', () => {
    fc.assert(
      fc.property(columns, columns, (from, to) => {
        const { same, changed, removed, added } = pairItems(from, to, () => '');
        expect([same + changed.length + removed.length, same + changed.length + added.length]).toEqual([
          from.names.length,
          to.names.length,
        ]);
        const places = [
          changed.map((pair) => pair.from).concat(removed),
          changed.map((pair) => pair.to).concat(added),
        ];
        for (const each of places) expect(new Set(each).size).toBe(each.length);
        for (const column of ['names', 'bodies'] as const) {
          const gone = new Set(removed.map((place) => from[column][place]));
          gone.delete(0);
          expect(added.filter((place) => gone.has(to[column][place]))).toEqual([]);
        }
      }),
    );
  });

  test('restore any past state exactly, even after the store was closed', () => {
    fc.assert(
      fc.property(fc.array(state, { minLength: 1, maxLength: 5 }), (states) => {
        using folder = new DataFolder();
        const store = open(folder);
        const ids = states.map(
          (items, index) => store.take(DATASET, listed(items), items.length, index)?.snapshotId ?? 0,
        );
        store.close();
        const again = open(folder);
        states.forEach((items, index) => {
          const id = ids[index] ?? 0;
          const found = [...again.items(id)];
          expect(found.toSorted()).toEqual(textsOf(items).toSorted());
          // A state that differs only in the order equals the previous one.
          expect(found).toEqual(textsOf(states[ids.indexOf(id)] ?? []));
          const read = again.page({ action: 'items', snapshotId: id, search: '', offset: 0, limit: 200 });
          expect(read.items.map((each) => JSON.stringify(each))).toEqual(found);
          const byPlace = again.itemsByPlace(id);
          expect(found.map((_, place) => byPlace(place))).toEqual(found);
        });
        again.close();
      }),
      { numRuns: 60 },
    );
  });

  test('a difference applied to the earlier state results in the later one, item for item and field for field', () => {
    fc.assert(
      fc.property(state, state, (before, after) => {
        using folder = new DataFolder();
        const store = open(folder);
        const from = store.take(DATASET, listed(before), before.length, 1)?.snapshotId ?? 0;
        const to = store.take(DATASET, listed(after), after.length, 2)?.snapshotId ?? 0;
        const page = { offset: 0, limit: 200 };
        const { counts, changes, total } = store.diff({ action: 'diff', from, to, kind: null, ...page });
        expect(total).toBe(counts.added + counts.changed + counts.removed);
        expect(counts.same + counts.changed + counts.removed).toBe(before.length);
        const whole = [...store.changes({ from, to, kind: null })];
        expect(whole.map((each) => each['fields'])).toEqual(changes.map(({ fields }) => fields));
        const state = new Map<string, number>();
        const count = (texts: ReadonlyMap<string, string>, by: number) => {
          const key = JSON.stringify([...texts].toSorted());
          state.set(key, (state.get(key) ?? 0) + by);
          // Only items that exist are changed or removed.
          if (by < 0) expect(state.get(key)).toBeGreaterThanOrEqual(0);
        };
        for (const each of before) count(fieldTexts(each), 1);
        whole.forEach((change, index) => {
          const was = change['before'] === null ? null : fieldTexts(change['before']);
          if (was !== null) count(was, -1);
          if (change['change'] === 'removed') return;
          // The earlier item, with the changes of each field applied.
          const is = new Map(was ?? []);
          const shown = store.compare({ action: 'compare', from, to, kind: null, index });
          if (was !== null) expect(shown.changes).not.toEqual([]);
          for (const { path, kind, pieces } of shown.changes) {
            expect(sideOf(pieces, 'removed')).toBe(is.get(path) ?? '');
            if (kind === 'removed') is.delete(path);
            else is.set(path, sideOf(pieces, 'added'));
          }
          expect([...is.keys()].toSorted()).toEqual([...fieldTexts(change['after']).keys()].toSorted());
          count(is, 1);
        });
        for (const each of after) count(fieldTexts(each), -1);
        expect([...state.values()].every((left) => left === 0)).toBe(true);
        store.close();
      }),
      { numRuns: 100 },
    );
  });

  test('beyond a maximum the oldest are deleted with the data only they used; the others are unchanged', () => {
    fc.assert(
      fc.property(fc.array(state, { minLength: 12, maxLength: 24 }), (states) => {
        using folder = new DataFolder();
        const store = open(folder);
        const other = store.take('another', listed(states[0] ?? []), states[0]?.length ?? 0, 0);
        const taken: { id: number; texts: string[] }[] = [];
        states.forEach((items, index) => {
          const id = store.take(DATASET, listed(items), items.length, index + 1)?.snapshotId ?? 0;
          if (taken.at(-1)?.id !== id) taken.push({ id, texts: textsOf(items) });
          store.prune(DATASET, 3);
          const kept = taken.slice(-3);
          expect(store.list(DATASET).snapshots.map(({ snapshotId }) => snapshotId)).toEqual(
            kept.map((one) => one.id).toReversed(),
          );
          for (const one of kept) expect([...store.items(one.id)].toSorted()).toEqual(one.texts.toSorted());
          const [from, to] = kept.slice(-2).map((one) => one.id);
          if (from === undefined || to === undefined) return;
          const { counts } = store.diff({ action: 'diff', from, to, kind: null, offset: 0, limit: 200 });
          expect(counts.same + counts.changed + counts.added).toBe(kept.at(-1)?.texts.length);
        });
        expect([...store.items(other?.snapshotId ?? 0)].toSorted()).toEqual(
          textsOf(states[0] ?? []).toSorted(),
        );
        store.close();
      }),
      { numRuns: 15 },
    );
  });

  test('the file of the versions does not grow with removed versions', () => {
    using folder = new DataFolder();
    const store = open(folder);
    const long = 'x'.repeat(4_000);
    const sizes: number[] = [];
    for (let round = 0; round < 60; round += 1) {
      const items = Array.from({ length: 20 }, (_, at) => ({
        ...{ id: `${round}-${at}`, inputs: { question: `${long}${round} ${at}` } },
        ...{ expected_outputs: {}, source_id: null },
      }));
      store.take(DATASET, listed(items), items.length, round);
      store.prune(DATASET, 5);
      sizes.push(store.list(DATASET).fileBytes);
    }
    expect(sizes.at(-1)).toBeLessThan((sizes[29] ?? 0) * 1.2);
    store.close();
  });

  test('an unchanged state is recorded as seen, not stored again', () => {
    using folder = new DataFolder();
    const store = open(folder);
    const items = [{ id: '1', inputs: { question: 'a' }, expected_outputs: {}, source_id: null }];
    store.take(DATASET, listed(items), 1, 10);
    store.take(DATASET, listed(items), 1, 20);
    const { snapshots } = store.list(DATASET);
    expect(snapshots).toMatchObject([{ number: 1, takenAtMs: 10, seenAtMs: 20, added: 1 }]);
    store.close();
  });

  test('a list that lost rows while it was read is not stored as a version', () => {
    using folder = new DataFolder();
    const store = open(folder);
    const items = [{ id: '1', inputs: { question: 'a' }, expected_outputs: {}, source_id: null }];
    expect(store.take(DATASET, listed(items), 2, 10)).toBeNull();
    expect(store.list(DATASET).snapshots).toEqual([]);
    store.close();
  });

  test('a fetch interrupted while it is stored leaves nothing behind', () => {
    using folder = new DataFolder();
    const store = open(folder);
    const items = [{ id: '1', inputs: { question: 'a' }, expected_outputs: {}, source_id: null }];
    const first = store.take(DATASET, listed(items), 1, 10)?.snapshotId ?? 0;
    function* broken() {
      yield { identity: '2', json: '{"id":"2"}' };
      throw new Error('The thread was ended.');
    }
    expect(() => store.take(DATASET, broken(), 2, 20)).toThrow('ended');
    expect(store.list(DATASET).snapshots).toMatchObject([{ snapshotId: first, number: 1 }]);
    expect([...store.items(first)]).toEqual(textsOf(items));
    store.close();
  });

  test('of many items recreated with other texts, 95 of 100 are paired', () => {
    using folder = new DataFolder();
    const store = open(folder);
    const texts = 'refund order parcel late voucher card address invoice return damaged colour size'.split(
      ' ',
    );
    const said = (at: number) =>
      Array.from({ length: 12 }, (_, word) => texts[(at * 31 + word * word * 7) % texts.length]).join(' ');
    const take = (prefix: string, atMs: number) => {
      const items = Array.from({ length: 4_000 }, (_, at) => {
        const question = `${prefix === 'b' ? 'please ' : ''}${said(at)} ${at}`;
        const id = `${prefix}${at}`;
        return { identity: id, json: JSON.stringify({ id, inputs: { question } }) };
      });
      return store.take(DATASET, items, items.length, atMs)?.snapshotId ?? 0;
    };
    const [from, to] = [take('a', 1), take('b', 2)];
    const pairs = [...store.changes({ from, to, kind: 'changed' })];
    const idOf = (item: unknown) => (item as { id: string }).id.slice(1);
    const right = pairs.filter(({ before, after }) => idOf(before) === idOf(after));
    expect(right.length).toBeGreaterThanOrEqual(3_800);
    store.close();
  });

  test('a recreated item with another text is paired and its schema drift is reported', () => {
    using folder = new DataFolder();
    const store = open(folder);
    const text = 'When do I get the money for order 4711 back that I returned on Friday';
    const was = { id: 'a', inputs: { question: text }, expected_outputs: {}, metadata: { order: 1 } };
    const is = {
      ...was,
      id: 'b',
      inputs: { question: `${text} evening` },
      metadata: { order: '1', policy: 'x' },
    };
    const take = (one: { id: string }, atMs: number) =>
      store.take(DATASET, [{ identity: one.id, json: JSON.stringify(one) }], 1, atMs)?.snapshotId ?? 0;
    const from = take(was, 1);
    const to = take(is, 2);
    const found = store.diff({ action: 'diff', from, to, kind: null, offset: 0, limit: 10 });
    expect(found.changes).toMatchObject([{ kind: 'changed', itemId: 'b', by: 'text' }]);
    expect(found.drift).toEqual([
      { path: 'metadata.order', kind: 'type', before: ['number'], after: ['string'], items: 1 },
      { path: 'metadata.policy', kind: 'new', before: [], after: ['string'], items: 1 },
    ]);
    store.close();
  });
});

test('columns of any numbers are read back', () => {
  const numbers = fc.integer({ min: 0, max: 2 ** 31 - 1 });
  fc.assert(
    fc.property(fc.array(fc.tuple(numbers, numbers, numbers, numbers, numbers)), (rows) => {
      const column = (index: 0 | 1 | 2 | 3 | 4) => Int32Array.from(rows, (row) => row[index]);
      const columns = {
        names: column(0),
        contents: column(1),
        bodies: column(2),
        sources: column(3),
        inputs: column(4),
      };
      expect(decodeColumns(encodeColumns(columns), rows.length)).toEqual(columns);
    }),
  );
});

describe('differences of texts by word', () => {
  const anyText = fc.oneof(
    fc.array(word, { maxLength: 60 }).map((words) => words.join(' ')),
    fc.string({ unit: 'grapheme', maxLength: 80 }),
  );

  test('the pieces add up to both texts', () => {
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        const pieces = diffWords(before, after);
        expect(sideOf(pieces, 'removed')).toBe(before);
        expect(sideOf(pieces, 'added')).toBe(after);
      }),
    );
  });

  test('also for long texts that differ in more words than are searched', () => {
    const make = (seed: number) =>
      Array.from({ length: 4_000 }, (_, index) =>
        index % 7 === 0 ? `only${index}` : `w${(index * seed) % 97}`,
      ).join(' ');
    const [before, after] = [make(3), make(5)];
    const pieces = diffWords(before, after);
    expect(sideOf(pieces, 'removed')).toBe(before);
    expect(sideOf(pieces, 'added')).toBe(after);
    // Words that occur only once are found in both texts.
    expect(pieces.some(({ kind, text }) => kind === 'same' && text.includes('only3997'))).toBe(true);
  });

  test('a single changed word is the only one marked', () => {
    expect(diffWords('All 149 € go back', 'All 89 € go back')).toEqual([
      { kind: 'same', text: 'All ' },
      { kind: 'removed', text: '149' },
      { kind: 'added', text: '89' },
      { kind: 'same', text: ' € go back' },
    ]);
  });

  test('a long equal stretch is folded and shows its length', () => {
    const long = 'same '.repeat(1_000);
    const folded = foldPieces(diffWords(`${long}a`, `${long}b`));
    expect(folded.reduce((sum, { text, hidden }) => sum + text.length + (hidden ?? 0), 0)).toBe(
      long.length + 2,
    );
    expect(folded.map(({ text }) => text).join('').length).toBeLessThan(600);
  });
});
