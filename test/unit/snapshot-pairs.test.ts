/** Finds the pairs of items in two snapshots that belong together. */
import { expect, test } from 'vitest';
import { emptyColumns } from '../../electron/core/snapshots/columns.ts';
import { pairItems } from '../../electron/core/snapshots/match-items.ts';

/** Returns items with these numbers of their ids and of their contents. */
function columnsOf(items: readonly (readonly [name: number, body: number])[]) {
  const columns = emptyColumns(items.length);
  for (const [place, [name, body]] of items.entries()) {
    columns.names[place] = name;
    for (const column of [columns.contents, columns.bodies]) column[place] = body;
  }
  return columns;
}

test('of two items with the same content, one is removed if the later snapshot has it once', () => {
  const from = columnsOf([
    [1, 1],
    [2, 1],
  ]);
  const pairs = pairItems(from, columnsOf([[3, 1]]), () => '');
  expect(pairs).toMatchObject({ same: 1, restated: 1 });
  expect(pairs).toMatchObject({ changed: [], removed: [1], added: [] });
});
