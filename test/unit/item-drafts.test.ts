/**
 * Edits of items before they are sent: which fields changed, how a row shows them, and what does not count as a change.
 */
import { describe, expect, test } from 'vitest';
import type { Column } from '../../renderer/lib/grid/columns.ts';
import { fieldChanges, shortValue } from '../../renderer/lib/item-fields.ts';
import { EditedItems } from '../../renderer/views/datasets/item-edits.svelte.ts';

const row = (id: string) => ({
  ...{ id, inputs: { question: 'Where?' }, expected_outputs: { answer: 'accepted', score: 1 } },
  ...{ metadata: {}, created_at: '2026-11-01T00:00:00Z' },
});
const ANSWER: Column = {
  ...{ id: 'expected_outputs.answer', title: 'answer', kind: 'text', width: 100 },
  get: ({ expected_outputs: fields }) => (fields as Record<string, unknown> | undefined)?.['answer'],
};
const item = (answer: unknown) => ({
  inputs: { question: 'Where?' },
  expected_outputs: { answer, score: 1 },
});

describe('an edited item', () => {
  test('shows the new value with the previous one, and keeps everything else of the row', () => {
    const edited = new EditedItems();
    const column = edited.columnOf(ANSWER);
    edited.replace('a', item('Your parcel missed one connection.'), row('a'));
    expect(column.get(row('a'))).toBe('Your parcel missed one connection.');
    expect(column.change?.(row('a'))).toEqual({ kind: 'changed', was: 'accepted' });
    expect(edited.rowOf(row('a'))).toMatchObject({ created_at: '2026-11-01T00:00:00Z', metadata: {} });
    expect(column.get(row('b'))).toBe('accepted');
    expect(column.change?.(row('b'))).toBeNull();
    expect(edited.list).toMatchObject([
      {
        kind: 'edited',
        changes: [
          { bucket: 'expected_outputs', key: 'answer', before: 'accepted', after: expect.any(String) },
        ],
      },
    ]);
  });

  test('a removed field is shown as none, an untouched field is not a change', () => {
    const edited = new EditedItems();
    edited.replace('a', { inputs: { question: 'Where?' } }, row('a'));
    expect(edited.columnOf(ANSWER).get(row('a'))).toBeUndefined();
    expect(edited.columnOf(ANSWER).change?.(row('a'))).toEqual({ kind: 'changed', was: 'accepted' });
  });

  test('with its original values is not a change, also after other edits and after the draft was restored', () => {
    const edited = new EditedItems();
    edited.replace('a', item('new'), row('a'));
    edited.replace('a', item('accepted'), row('a'));
    expect(edited.count).toBe(0);
    edited.replace('a', item('new'), row('a'));
    const later = new EditedItems();
    later.takeDraft(JSON.parse(JSON.stringify(edited.draft)));
    // Edited in the list of changes, where the row of the dataset is not available.
    later.replace('a', item('accepted'), null);
    expect(later.count).toBe(0);
  });

  test('a removed item stays in its place, marked, with its title in the list', () => {
    const edited = new EditedItems();
    edited.remove(['a', 'gone'], [row('a')]);
    expect(edited.columnOf(ANSWER).change?.(row('a'))).toEqual({ kind: 'out' });
    expect(edited.columnOf(ANSWER).get(row('a'))).toBe('accepted');
    expect(edited.list).toMatchObject([
      { kind: 'left out', itemId: 'a', item: { inputs: { question: 'Where?' } } },
      { kind: 'left out', itemId: 'gone', item: null },
    ]);
  });
});

test('changes of fields name each field once; numbers keep their digits', () => {
  const big = { digits: '9007199254740993' };
  expect(fieldChanges({ inputs: { a: 1, b: 'x' } }, { inputs: { a: 1, c: 'y' }, metadata: {} })).toEqual([
    { bucket: 'inputs', key: 'b', before: 'x', after: undefined },
    { bucket: 'inputs', key: 'c', before: undefined, after: 'y' },
  ]);
  expect(fieldChanges({ inputs: { a: big } }, { inputs: { a: { ...big } } })).toEqual([]);
  expect(shortValue(undefined)).toBe('none');
  expect(shortValue('')).toBe('“”');
  expect(shortValue(`a\n${'b'.repeat(80)}`)).toMatch(/^a b{57}…$/);
});
