/** Values typed into cells of items, and blocks of cells that are pasted from spreadsheets. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { delimitedCells } from '../../electron/shared/delimited.ts';
import { writeExact } from '../../electron/shared/exact-json.ts';
import {
  cellPath,
  cellText,
  pastedCells,
  pastedText,
  pastedValue,
  typedValue,
} from '../../renderer/lib/cell-edit.ts';
import { EditedItems } from '../../renderer/views/datasets/item-edits.svelte.ts';

test.each([
  ['inputs.question', { bucket: 'inputs', key: 'question' }],
  ['extras.trace.id', { bucket: 'extras', key: 'trace.id' }],
  ['metadata', { bucket: 'metadata', key: null }],
  ['id', null],
  ['inputs_old', null],
  ['score.inputs.x', null],
])('the column %s shows a field of an item', (id, expected) => {
  expect(cellPath(id)).toEqual(expected);
});

describe('a typed value', () => {
  test('stays the same if nothing is typed, with all digits', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { text, kind } = cellText(value, false);
        const typed = typedValue(text, kind, false);
        const expected = value === null ? '""' : writeExact(value);
        expect('value' in typed ? writeExact(typed.value) : typed).toBe(expected);
      }),
    );
    const exact = typedValue('9007199254740993', 'json', false);
    expect('value' in exact && writeExact(exact.value)).toBe('9007199254740993');
  });

  test('is refused with a reason while it is not JSON, and a bucket that is not an object', () => {
    expect(typedValue('{"a": ', 'json', false)).toEqual({ problem: expect.stringMatching(/^No JSON: /) });
    expect(typedValue('[1]', 'json', true)).toEqual({
      problem: expect.stringContaining('an object with keys'),
    });
    expect(typedValue('{"a": ', 'text', false)).toEqual({ value: '{"a": ' });
  });
});

describe('a pasted block', () => {
  test('has the copied cells, also with tabs, quotes and line breaks in them', () => {
    const cell = fc.oneof(fc.string(), fc.constantFrom('a\tb', 'line\nbreak', 'say "no"', '"', '', ' x'));
    const block = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }),
      );
    fc.assert(
      fc.property(block, (cells) => {
        // A last line with one empty cell looks the same as a trailing line break.
        fc.pre(cells.at(-1)?.join('') !== '');
        const text = cells.map((line) => delimitedCells(line, { delimiter: '\t', isExact: true })).join('\n');
        expect(pastedCells(text)).toEqual(cells);
        expect(pastedCells(`${text}\r\n`)).toEqual(cells);
      }),
    );
    expect(pastedCells('5" pipe\t"half\r\nb')).toEqual([['5" pipe', '"half'], ['b']]);
  });

  test('keeps the type of a cell if it can, and counts what became text', () => {
    expect(pastedValue('4', 3, 'number')).toEqual({ value: 4, becameText: false });
    expect(pastedValue('4', 'three', 'number')).toEqual({ value: '4', becameText: false });
    expect(pastedValue('four', 3, 'number')).toEqual({ value: 'four', becameText: true });
    expect(pastedValue('4', undefined, 'number')).toEqual({ value: 4, becameText: false });
    expect(pastedValue('', undefined, 'text')).toBeNull();
    expect(
      pastedText({ values: 6, items: 3, texts: 2, rowsLeft: 1, columnsLeft: 0, cut: 0, skipped: 2 }),
    ).toBe(
      '6 values of 3 items pasted. 2 values became text: no JSON. 1 row did not fit. 2 cells skipped: the column cannot be edited.',
    );
  });
});

test('fields of many items change in one step, and one typed back is not a change', () => {
  const edited = new EditedItems();
  const row = (id: string) => ({ id, inputs: { question: 'Why?', turns: 1 }, metadata: { by: 'mara' } });
  const set = (value: unknown) => ({
    row: row('a'),
    fields: [{ bucket: 'inputs' as const, key: 'question', value }],
  });
  const steps = edited.change(() => edited.setFields([set('When?'), { ...set('Who?'), row: row('b') }]));
  expect(edited.count).toBe(2);
  expect(edited.rowOf(row('a'))).toMatchObject({
    inputs: { question: 'When?', turns: 1 },
    metadata: { by: 'mara' },
  });
  edited.setFields([set('Why?')]);
  expect(Object.keys(edited.replaced)).toEqual(['b']);
  steps.undo();
  expect(edited.count).toBe(0);
  // The edit was undone and the service now has another value, so the old text is a change again.
  edited.setFields([set('When?')]);
  edited.setFields([set('Why?')]);
  const refreshed = { ...row('a'), inputs: { question: 'Newer?', turns: 2 } };
  edited.setFields([{ ...set('Why?'), row: refreshed }]);
  expect(edited.rowOf(refreshed)).toMatchObject({ inputs: { question: 'Why?', turns: 2 } });
  edited.clear();
  // An edit of a field includes an excluded item again.
  edited.remove(['a'], [row('a')]);
  edited.setFields([set('When?')]);
  expect([edited.removed, edited.count]).toEqual([[], 1]);
});
