/** A selection stays on its records when the rows of a list change, or is removed. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { rowsOf, rowsToCopy } from '../../renderer/components/grid/chosen-rows.ts';
import { GridModel } from '../../renderer/components/grid/grid-model.svelte.ts';
import { identityOf } from '../../renderer/components/grid/held-rows.ts';
import { gridKey } from '../../renderer/components/grid/keys.ts';
import { arraySource } from '../../renderer/components/grid/row-source.ts';
import { BuildRows } from '../../renderer/state/build-rows.svelte.ts';

/** Rows whose members are methods, like those of stored lists. */
class Listed {
  readonly #rows: { id: string }[];
  constructor(ids: string) {
    this.#rows = [...ids].map((id) => ({ id }));
  }
  get count(): number {
    return this.#rows.length;
  }
  row(index: number): { id: string } | undefined {
    return this.#rows[index];
  }
  ensure(): undefined {
    return undefined;
  }
}
const list = (ids: string) => new Listed(ids);

/** Returns a grid in which these rows are selected. */
function selecting(ids: string, rows: readonly number[]): GridModel {
  const grid = new GridModel();
  const [first = 0, ...others] = rows;
  grid.moveTo(first, 0, false);
  for (const row of others) grid.toggle(row, 0);
  grid.follow(list(ids));
  return grid;
}
const selected = async (grid: GridModel, ids: string) =>
  (await rowsOf(grid, list(ids))).map((row) => String(row['id'])).join('');

test('a selection stays on its records when rows before and between them are removed or added', async () => {
  const grid = selecting('abcdefgh', [3, 5, 6]);
  grid.follow(list('bcdfgh'));
  expect(await selected(grid, 'bcdfgh')).toBe('dfg');
  grid.follow(list('xybcdfzgh'));
  expect(await selected(grid, 'xybcdfzgh')).toBe('dfg');
});

test('a selection is removed, and the person told, if one of its records is gone', async () => {
  const grid = selecting('abcdefgh', [3, 5, 6]);
  const lost: number[] = [];
  grid.onLost = (count) => void lost.push(count);
  grid.follow(list('abcdegh'));
  expect(lost).toEqual([3]);
  expect([grid.picked, grid.selectedCount]).toEqual([[], 0]);
});

test('no row is selected after a selection was removed, until the user moves to one', async () => {
  const lost = () => {
    const grid = selecting('abcdefgh', [3, 5, 6]);
    grid.follow(list('abcdegh'));
    return grid;
  };
  const grid = lost();
  expect([grid.row, grid.isSelected(grid.row), await selected(grid, 'abcdegh')]).toEqual([5, false, '']);
  grid.follow(list('xabcdegh'));
  expect(grid.selectedCount).toBe(0);
  grid.moveTo(1, 0, false);
  expect(await selected(grid, 'xabcdegh')).toBe('a');
  const added = lost();
  added.toggle(2, 0);
  expect(await selected(added, 'abcdegh')).toBe('c');
  const all = lost();
  all.selectAll(7);
  expect(all.selectedCount).toBe(7);
});

test('an act refuses rows that other records have taken, before the grid has followed them', async () => {
  const grid = selecting('abcdefgh', [3, 5]);
  await expect(rowsOf(grid, list('bcdefgh'))).rejects.toMatchObject({ code: 'CONFLICT' });
  grid.follow(list('bcdefgh'));
  expect(await selected(grid, 'bcdefgh')).toBe('df');
});

test('the cursor follows its record, and stays at its place without selecting a row if the record is gone', () => {
  const grid = selecting('abcdef', [2]);
  grid.follow(list('xabcdef'));
  expect([grid.row, grid.anchor, grid.selectedCount]).toEqual([3, 3, 1]);
  grid.follow(list('xabdef'));
  expect([grid.row, grid.isSelected(3), grid.selectedCount]).toEqual([3, false, 0]);
  // The record that took its place is the one that the cursor follows from now on.
  grid.follow(list('xyabdef'));
  expect([grid.row, grid.selectedCount]).toEqual([4, 0]);
});

test('a row that leaves the list by an act of the user hands the selection over to the next row', () => {
  const ticked = (ids: string, rows: readonly number[]) => {
    const grid = selecting(ids, rows);
    for (const index of rows) grid.letGo({ id: ids[index] ?? '' });
    return grid;
  };
  const grid = ticked('abcdef', [2]);
  grid.follow(list('abdef'));
  expect([grid.row, grid.isSelected(2), grid.selectedCount]).toEqual([2, true, 1]);
  // The next row was not let go.
  grid.follow(list('abef'));
  expect([grid.row, grid.selectedCount]).toEqual([2, 0]);

  const last = ticked('abc', [2]);
  last.follow(list('ab'));
  expect([last.row, last.selectedCount]).toEqual([1, 1]);

  const several = ticked('abcdef', [1, 3]);
  const lost: number[] = [];
  several.onLost = (count) => void lost.push(count);
  several.follow(list('acef'));
  expect([several.picked, several.selectedCount, lost]).toEqual([[], 1, []]);

  const other = ticked('abcdef', [2]);
  other.moveTo(3, 0, false);
  other.follow(list('abcdef'));
  other.follow(list('abef'));
  expect(other.selectedCount).toBe(0);
});

test('an act on the row of the cursor selects that row first if none is selected', () => {
  const grid = selecting('abcdef', [2]);
  expect(grid.selectCursor()).toBe(false);
  grid.follow(list('abdef'));
  expect([grid.selectCursor(), grid.row, grid.selectedCount]).toEqual([true, 2, 1]);
  expect(grid.selectCursor()).toBe(false);
});

test('the arrow down leaves the headings if no row is selected', () => {
  const grid = selecting('abc', [0]);
  grid.selectAll(3);
  grid.row = -1;
  grid.follow(list('abc'));
  grid.follow(list('ab'));
  expect([grid.row, grid.selectedCount]).toEqual([-1, 0]);
  const down = { key: 'ArrowDown', code: 'ArrowDown', getModifierState: () => false };
  gridKey(down as unknown as KeyboardEvent, grid, 2, 1);
  expect(grid.row).toBe(0);
});

test('records are not followed while rows of another filter are read', async () => {
  let ids = 'abcd';
  const rows = new BuildRows((offset, limit) =>
    Promise.resolve({
      rows: [...ids].slice(offset, offset + limit).map((id) => ({ id })),
      matchingRows: ids.length,
    }),
  );
  await vi.waitFor(() => {
    rows.ensure(0, 4);
    expect(rows.count).toBe(4);
  });
  const grid = new GridModel();
  grid.moveTo(1, 0, false);
  grid.follow(rows);
  ids = 'bcd';
  rows.reload({ isOther: true });
  grid.follow(rows);
  expect([rows.isPending, grid.row, grid.selectedCount]).toEqual([true, 1, 1]);
  await vi.waitFor(() => expect(rows.isPending).toBe(false));
  grid.follow(rows);
  expect([grid.row, grid.selectedCount]).toEqual([0, 1]);
});

test('a record that is identified by all of its fields stays selected when one of them changes', () => {
  const grid = new GridModel();
  const rows = (count: number) => arraySource([{ state: 'sent' }, { state: 'sending', count }]);
  grid.moveTo(1, 0, false);
  grid.follow(rows(1));
  grid.follow(rows(2));
  expect([grid.row, grid.selectedCount]).toEqual([1, 1]);
});

test('before the user moves to a row, the first row stays selected when rows are added before it', () => {
  const grid = new GridModel();
  grid.follow(list('abc'));
  grid.follow(list('xabc'));
  expect(grid.row).toBe(0);
});

test('rows that are not loaded are followed when they are loaded, and a larger list keeps the selection', async () => {
  const grid = new GridModel();
  grid.moveTo(0, 0, false);
  grid.moveTo(3, 0, true);
  const partly = (ids: string) => ({
    count: ids.length,
    row: (at: number) => (at < 2 ? { id: ids[at] } : undefined),
  });
  grid.follow(partly('abcd'));
  grid.follow(list('abcdefg'));
  expect(await selected(grid, 'abcdefg')).toBe('abcd');
});

test('a selection of more rows than are compared is removed when one of the compared ones moved', () => {
  const rows = Array.from({ length: 5_000 }, (_, at) => ({ id: `${at}` }));
  const grid = new GridModel();
  grid.selectAll(rows.length);
  grid.follow(arraySource(rows));
  grid.follow(arraySource(rows.slice(1)));
  expect(grid.picked).toEqual([]);
});

test('records without an id are identified by their names, and others by all fields', () => {
  const entity = { name: 'user', type: 'attribute', row_count: 3 };
  expect(identityOf({ ...entity, row_count: 9 })).toBe(identityOf(entity));
  expect(identityOf({ ...entity, type: 'span_name' })).not.toBe(identityOf(entity));
  expect(identityOf({ a: 1 })).not.toBe(identityOf({ a: 2 }));
  expect(identityOf({ id: '', span_id: 's1' })).toBe(identityOf({ span_id: 's1', id: null }));
});

test('whatever changes, an act applies to the selected records, to none of them, or is refused', async () => {
  const changes = fc.array(
    fc.record({ at: fc.nat(12), added: fc.nat(3), removed: fc.nat(3), isSeen: fc.boolean() }),
    { maxLength: 6 },
  );
  const picks = fc.uniqueArray(fc.nat(11), { minLength: 2, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(picks, changes, async (picked, all) => {
      let rows = Array.from({ length: 12 }, (_, at) => ({ id: `${at}` }));
      const grid = new GridModel();
      const [first = 0, ...others] = picked;
      grid.moveTo(first, 0, false);
      for (const row of others) grid.toggle(row, 0);
      grid.follow(arraySource(rows));
      for (const [turn, { at, added, removed, isSeen }] of all.entries()) {
        const fresh = Array.from({ length: added }, (_, place) => ({ id: `new ${turn} ${place}` }));
        rows = rows.toSpliced(at, removed, ...fresh);
        if (isSeen) grid.follow(arraySource(rows));
      }
      if (grid.picked.length === 0) return;
      const acted = await rowsOf(grid, arraySource(rows)).catch(() => null);
      if (acted === null) return;
      const wanted = new Set(picked.map((row) => `${row}`));
      for (const { id } of acted) expect(wanted).toContain(id);
    }),
  );
});

test('the cursor follows its record even if the list became too short for its former place', () => {
  const grid = selecting('abcdef', [4]);
  grid.follow(list('aef'));
  expect(grid.row).toBe(1);
  grid.follow(list('a'));
  expect(grid.row).toBe(0);
});

test('a range that is extended after a change begins at the same record', () => {
  const grid = selecting('abcdefgh', [2]);
  grid.moveTo(4, 0, true);
  grid.follow(list('abcdefgh'));
  grid.follow(list('abcxdefgh'));
  expect(grid.picked).toEqual([
    { from: 2, to: 2 },
    { from: 4, to: 5 },
  ]);
  grid.moveTo(6, 0, true);
  expect(grid.picked).toEqual([{ from: 2, to: 6 }]);
});

test('a copy of rows that other records have taken copies nothing and removes the selection', async () => {
  const grid = selecting('abcdefgh', [3, 5]);
  const lost: number[] = [];
  grid.onLost = (count) => void lost.push(count);
  expect(await rowsToCopy(grid, list('bcdefgh'))).toEqual([]);
  expect([lost, grid.picked, grid.selectedCount]).toEqual([[2], [], 0]);
});
