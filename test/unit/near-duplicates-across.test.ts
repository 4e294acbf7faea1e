/** Leakage between two snapshots: items of the later one that ask the same as items of the earlier one. */
import { expect, test } from 'vitest';
import { nearDuplicatesAcross } from '../../electron/core/snapshots/near-duplicates-across.ts';

const inputs = (texts: readonly string[]) => ({
  count: texts.length,
  textOf: (place: number) => texts[place] ?? '',
});
const LONG =
  'Where is the parcel that I ordered on Monday last week? The page says it was handed over already.';

test('each item of the later one is named once, with its near-duplicate in the earlier one', () => {
  const training = inputs(['How do I cancel?', LONG, 'how do I cancel?', '']);
  const tested = inputs(['Something else', LONG.replace('Monday', 'Sunday'), ' How do I  CANCEL? ', '', 'x']);
  const found = nearDuplicatesAcross(training, tested, 0.85);
  expect(found).toEqual([
    { from: 1, to: 1, kind: 'near', likeness: expect.closeTo(0.92, 1) },
    { from: 0, to: 2, kind: 'same', likeness: 1 },
  ]);
  expect(nearDuplicatesAcross(training, tested, 1)).toHaveLength(1);
});

test('near-duplicates within the later one alone are not leakage', () => {
  expect(nearDuplicatesAcross(inputs(['A question']), inputs(['Another one', 'another one']), 0.85)).toEqual(
    [],
  );
});

test('an item with the same input as an earlier one of the same snapshot is found', () => {
  expect(nearDuplicatesAcross(null, inputs(['One', 'Two', 'one']), 0.85)).toEqual([
    { from: 0, to: 2, kind: 'same', likeness: 1 },
  ]);
});

test('a text with one changed word is compared with the earlier text of the same snapshot', () => {
  const found = nearDuplicatesAcross(null, inputs([LONG, LONG.replace('Monday', 'Sunday')]), 0.85);
  expect(found).toMatchObject([{ from: 0, to: 1, kind: 'near' }]);
});
