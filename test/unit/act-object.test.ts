/** The rows to which an action applies, and their names in its title. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { actObject, chosenText, objectText } from '../../renderer/lib/act-object.ts';

test('prefers selected rows to a range, and a range to the row of the cursor', () => {
  expect(actObject({ ticked: 5, selected: 1 })).toEqual({ kind: 'ticked', count: 5, taken: 5 });
  expect(actObject({ ticked: 1, selected: 3 })).toEqual({ kind: 'ticked', count: 1, taken: 1 });
  expect(actObject({ ticked: 0, selected: 3 })).toEqual({ kind: 'selected', count: 3, taken: 3 });
  expect(actObject({ selected: 1 })).toEqual({ kind: 'row', count: 1, taken: 1 });
  expect(actObject({ selected: 0 })).toEqual({ kind: 'none', count: 0, taken: 0 });
});

test('names the rows with their number, and a single row as this one', () => {
  const text = (ticked: number, selected: number) => objectText(actObject({ ticked, selected }), 'span');
  expect([text(5, 1), text(1, 1), text(0, 1), text(0, 3), text(0, 0)]).toEqual([
    '5 spans',
    '1 span',
    'this span',
    '3 spans',
    'spans',
  ]);
  const one = actObject({ selected: 2 });
  expect(objectText(one, 'entity', 'entities')).toBe('2 entities');
});

test('says so if the action takes fewer rows than are selected', () => {
  expect(objectText(actObject({ selected: 25_000 }), 'item')).toBe('first 20,000 of 25,000 items');
  expect(objectText(actObject({ ticked: 25_000, selected: 1 }), 'span')).toBe('first 20,000 of 25,000 spans');
  expect(objectText(actObject({ selected: 5_000 }, 2_000), 'item')).toBe('first 2,000 of 5,000 items');
});

test('the name counts the rows the action takes', () => {
  fc.assert(
    fc.property(fc.nat(999), fc.nat(999), (ticked, selected) => {
      const object = actObject({ ticked, selected });
      expect(object.count).toBe(ticked > 0 ? ticked : selected);
      if (object.count > 1) expect(objectText(object, 'span')).toBe(`${object.count} spans`);
    }),
  );
});

test('says in a sentence which of the selected rows an action takes', () => {
  const text = (selected: number) => chosenText(actObject({ selected }), 'span');
  expect([text(1), text(2), text(25_000)]).toEqual([
    'the selected span',
    'the 2 selected spans',
    'the first 20,000 of 25,000 selected spans',
  ]);
  expect(chosenText(actObject({ ticked: 1, selected: 3 }), 'span')).toBe('the selected span');
});
