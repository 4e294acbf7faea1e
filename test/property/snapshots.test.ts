/** Snapshots of datasets: any past state comes back exactly, and what differs turns one state into the other. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeColumns, encodeColumns } from '../../electron/core/snapshots/columns.ts';
import { openSnapshotStore } from '../../electron/db/snapshot-store.ts';
import { diffWords, foldPieces } from '../../electron/shared/word-diff.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const DATASET = 'a-dataset';

interface Item {
  id: string;
  inputs: Record<string, string>;
  expected_outputs: Record<string, unknown>;
  source_id: string | null;
}

const word = fc.constantFrom('refund', 'order', 'late', 'voucher', '結', '果', 'Zahlung', '149', '€');
const sentence = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
const item: fc.Arbitrary<Item> = fc.record({
  id: fc.integer({ min: 1, max: 12 }).map((number) => `item-${number}`),
  inputs: fc.record({ question: sentence }),
  expected_outputs: fc.oneof(
    fc.constant({}),
    fc.record({ answer: fc.oneof(sentence, fc.integer(), fc.constant(null)) }),
  ),
  source_id: fc.option(fc.constantFrom('s1', 's2', 's3')),
});
const state = fc.uniqueArray(item, { maxLength: 10, selector: ({ id }) => id });

const textsOf = (items: readonly Item[]): string[] => items.map((each) => JSON.stringify(each));
const listed = (items: readonly Item[]) =>
  items.map((each) => ({ identity: each.id, json: JSON.stringify(each) }));
const bodiesOf = (items: readonly Item[]): string[] =>
  items.map(({ id: _, ...body }) => JSON.stringify(body)).toSorted();

function open(folder: DataFolder) {
  return openSnapshotStore({
    file: folder.file('snapshots.db'),
    clock: new VirtualClock(),
    logger: silentLogger,
  });
}

describe('snapshots', () => {
  test('give back any past state exactly, after the store was closed too', () => {
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
          const found = [...again.items(ids[index] ?? 0)];
          // A state that differs in its order alone is the one before it.
          expect(found.toSorted()).toEqual(textsOf(items).toSorted());
        });
        again.close();
      }),
      { numRuns: 60 },
    );
  });

  test('a difference applied to the earlier state gives the later one', () => {
    fc.assert(
      fc.property(state, state, (before, after) => {
        using folder = new DataFolder();
        const store = open(folder);
        const from = store.take(DATASET, listed(before), before.length, 1)?.snapshotId ?? 0;
        const to = store.take(DATASET, listed(after), after.length, 2)?.snapshotId ?? 0;
        const { counts, changes, total } = store.diff({
          action: 'diff',
          ...{ from, to, kind: null, offset: 0, limit: 200 },
        });
        expect(total).toBe(counts.added + counts.changed + counts.removed);
        expect(counts.same + counts.changed + counts.removed).toBe(before.length);
        expect(counts.same + counts.changed + counts.added).toBe(after.length);
        const byId = new Map(after.map((each) => [each.id, each]));
        const comparisons = changes.map((change, index) => ({
          change,
          ...store.compare({ action: 'compare', from, to, kind: null, index }),
        }));
        const side = (pieces: readonly { kind: string; text: string }[], kind: string) =>
          pieces
            .filter((piece) => piece.kind === 'same' || piece.kind === kind)
            .map(({ text }) => text)
            .join('');
        const removed: string[] = [];
        for (const { change, changes: fields } of comparisons) {
          const question = fields.find(({ path }) => path === 'inputs.question');
          if (change.kind === 'removed') {
            removed.push(side(question?.pieces ?? [], 'removed'));
            continue;
          }
          const now = byId.get(change.itemId);
          expect(now).toBeDefined();
          if (question !== undefined) expect(side(question.pieces, 'added')).toBe(now?.inputs['question']);
          if (change.kind === 'changed') expect(change.fields.length).toBeGreaterThan(0);
        }
        // What is neither changed nor added is in the earlier state, word for word.
        const touched = new Set(changes.filter(({ kind }) => kind !== 'removed').map(({ itemId }) => itemId));
        const kept = bodiesOf(after.filter(({ id }) => !touched.has(id)));
        const earlier = bodiesOf(before);
        for (const body of kept) expect(earlier).toContain(body);
        expect(kept).toHaveLength(counts.same);
        expect(removed).toHaveLength(counts.removed);
        store.close();
      }),
      { numRuns: 100 },
    );
  });

  test('beyond a number the oldest go with what only they had; those that stay are as they were', () => {
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

  test('the file of the versions does not grow with what is removed', () => {
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

  test('an unchanged state is seen again, not stored again', () => {
    using folder = new DataFolder();
    const store = open(folder);
    const items = [{ id: '1', inputs: { question: 'a' }, expected_outputs: {}, source_id: null }];
    store.take(DATASET, listed(items), 1, 10);
    store.take(DATASET, listed(items), 1, 20);
    const { snapshots } = store.list(DATASET);
    expect(snapshots).toMatchObject([{ number: 1, takenAtMs: 10, seenAtMs: 20, added: 1 }]);
    store.close();
  });

  test('a list that lost rows while it was read is not taken', () => {
    using folder = new DataFolder();
    const store = open(folder);
    const items = [{ id: '1', inputs: { question: 'a' }, expected_outputs: {}, source_id: null }];
    expect(store.take(DATASET, listed(items), 2, 10)).toBeNull();
    expect(store.list(DATASET).snapshots).toEqual([]);
    store.close();
  });

  test('a fetch that breaks off while it is stored leaves nothing of it', () => {
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

  test('an item that was created again with another text is paired and its schema drift is said', () => {
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

test('columns of any numbers come back', () => {
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

describe('words', () => {
  const anyText = fc.oneof(
    fc.array(word, { maxLength: 60 }).map((words) => words.join(' ')),
    fc.string({ unit: 'grapheme', maxLength: 80 }),
  );
  const side = (pieces: readonly { kind: string; text: string }[], kind: string) =>
    pieces
      .filter((piece) => piece.kind === 'same' || piece.kind === kind)
      .map(({ text }) => text)
      .join('');

  test('the pieces are both texts', () => {
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        const pieces = diffWords(before, after);
        expect(side(pieces, 'removed')).toBe(before);
        expect(side(pieces, 'added')).toBe(after);
      }),
    );
  });

  test('so they are of long texts that differ in more words than are searched', () => {
    const make = (seed: number) =>
      Array.from({ length: 4_000 }, (_, index) =>
        index % 7 === 0 ? `only${index}` : `w${(index * seed) % 97}`,
      ).join(' ');
    const [before, after] = [make(3), make(5)];
    const pieces = diffWords(before, after);
    expect(side(pieces, 'removed')).toBe(before);
    expect(side(pieces, 'added')).toBe(after);
    // The words that occur once are found in both.
    expect(pieces.some(({ kind, text }) => kind === 'same' && text.includes('only3997'))).toBe(true);
  });

  test('one changed word is the only one marked', () => {
    expect(diffWords('All 149 € go back', 'All 89 € go back')).toEqual([
      { kind: 'same', text: 'All ' },
      { kind: 'removed', text: '149' },
      { kind: 'added', text: '89' },
      { kind: 'same', text: ' € go back' },
    ]);
  });

  test('a long equal stretch is folded and says how much', () => {
    const long = 'same '.repeat(1_000);
    const folded = foldPieces(diffWords(`${long}a`, `${long}b`));
    expect(folded.reduce((sum, { text, hidden }) => sum + text.length + (hidden ?? 0), 0)).toBe(
      long.length + 2,
    );
    expect(folded.map(({ text }) => text).join('').length).toBeLessThan(600);
  });
});
