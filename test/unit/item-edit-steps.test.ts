/** Undo and redo of edits to items turn back the named edit only. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EditedItems } from '../../renderer/views/datasets/item-edits.svelte.ts';

const row = (id: string) => ({ id, inputs: { q: `question ${id}` } });
const item = (q: string) => ({ inputs: { q } });
function addAll(edited: EditedItems, questions: readonly string[]): void {
  for (const q of questions) edited.add(item(q));
}

test('undoing an earlier edit keeps the edits of other items', () => {
  const edited = new EditedItems();
  edited.change(() => edited.replace('a', item('A'), row('a')));
  edited.change(() => edited.replace('b', item('B'), row('b')));
  const revertA = edited.change(() => edited.restore('a'));
  edited.change(() => edited.restore('b'));
  revertA.undo();
  expect(edited.edits.replaced).toEqual([{ itemId: 'a', item: item('A') }]);
  revertA.redo();
  expect(edited.edits.replaced).toEqual([]);
});

test('undoing a paste keeps a cell edited since, and the paste does not come back with that edit undone', () => {
  const edited = new EditedItems();
  const paste = edited.change(() => addAll(edited, ['one', 'two']));
  const cell = edited.change(() => edited.replace('a', item('A'), row('a')));
  paste.undo();
  expect(edited.edits).toEqual({ replaced: [{ itemId: 'a', item: item('A') }], removed: [], added: [] });
  cell.undo();
  expect(edited.count).toBe(0);
});

test('an item that was edited again since keeps the later edit', () => {
  const edited = new EditedItems();
  const first = edited.change(() => edited.replace('a', item('first'), row('a')));
  edited.change(() => edited.replace('a', item('second'), row('a')));
  first.undo();
  expect(edited.edits.replaced).toEqual([{ itemId: 'a', item: item('second') }]);
});

test('new items return to their place', () => {
  const edited = new EditedItems();
  addAll(edited, ['one', 'two', 'three']);
  const removal = edited.change(() => edited.putAdded(1, null));
  edited.change(() => edited.add(item('four')));
  removal.undo();
  expect(edited.edits.added).toEqual(['one', 'two', 'three', 'four'].map(item));
});

type Edit = readonly [
  kind: 'replace' | 'remove' | 'restore' | 'add' | 'put' | 'drop' | 'clear',
  at: number,
  q: string,
];

function perform(edited: EditedItems, [kind, at, q]: Edit): void {
  const id = `i${at}`;
  if (kind === 'replace') edited.replace(id, item(q), row(id));
  else if (kind === 'remove') edited.remove([id], [row(id)]);
  else if (kind === 'restore') edited.restore(id);
  else if (kind === 'add') edited.add(item(q));
  else if (kind === 'put') edited.putAdded(at, item(q));
  else if (kind === 'drop') edited.putAdded(at, null);
  else edited.clear();
}

const sorted = ({ edits }: EditedItems) => ({
  ...edits,
  replaced: edits.replaced.toSorted((a, b) => a.itemId.localeCompare(b.itemId)),
  removed: edits.removed.toSorted(),
});

test('undoing all edits in reverse order passes through the same states, and redoing them too', () => {
  const edit = fc.tuple(
    fc.constantFrom('replace', 'remove', 'restore', 'add', 'put', 'drop', 'clear' as const),
    fc.nat(3),
    fc.constantFrom('x', 'y', 'z'),
  ) as fc.Arbitrary<Edit>;
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 12 }), (edits) => {
      const edited = new EditedItems();
      const states = [sorted(edited)];
      const steps = edits.map((each) => {
        const step = edited.change(() => perform(edited, each));
        states.push(sorted(edited));
        return step;
      });
      for (let at = steps.length - 1; at >= 0; at -= 1) {
        steps[at]?.undo();
        expect(sorted(edited)).toEqual(states[at]);
      }
      for (const [at, step] of steps.entries()) {
        step.redo();
        expect(sorted(edited)).toEqual(states[at + 1]);
      }
    }),
  );
});
