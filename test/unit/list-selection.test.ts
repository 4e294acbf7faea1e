/** Selecting and copying rows includes all of them, even during other reads. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rowsOf } from '../../renderer/components/grid/chosen-rows.ts';
import { GridModel } from '../../renderer/components/grid/grid-model.svelte.ts';
import { readSelection } from '../../renderer/components/grid/row-source.ts';
import { ListModel } from '../../renderer/state/list-state.svelte.ts';
import { FakeLists, query } from '../helpers/fake-lists.ts';

const settle = () => vi.advanceTimersByTimeAsync(1_000);

let main: FakeLists;
let list: ListModel;

beforeEach(() => {
  vi.useFakeTimers();
  main = new FakeLists();
  list = new ListModel({
    connectionId: 'c',
    viewId: 'v',
    isOnline: () => true,
    client: main.client,
  });
});
afterEach(() => {
  list.dispose();
  vi.useRealTimers();
});

const names = (from: number, end: number) =>
  Array.from({ length: end - from }, (_, at) => ({ name: `a ${from + at}` }));

test('waits for a page that is being read for the view instead of skipping it', async () => {
  main.lists.set('a', { total: 1_000, stored: 1_000 });
  await list.open(query('a'));
  const { promise, resolve } = Promise.withResolvers<null>();
  main.gates.set('library:read-rows a', promise);
  list.ensure(140, 180);
  const copied = readSelection(list, [{ from: 50, to: 199 }]);
  await settle();
  resolve(null);
  expect(await copied).toEqual(names(50, 200));
});

test('rows that changed during the read are read again', async () => {
  main.lists.set('a', { total: 300, stored: 300 });
  await list.open(query('a'));
  const { promise, resolve } = Promise.withResolvers<null>();
  main.gates.set('library:read-rows a', promise);
  const copied = readSelection(list, [{ from: 100, to: 299 }]);
  await settle();
  main.change('a', 300, 3);
  await settle();
  resolve(null);
  expect(await copied).toEqual(names(100, 300));
});

test('a selection larger than the cache is copied completely', async () => {
  main.lists.set('a', { total: 30_000, stored: 30_000 });
  await list.open(query('a'));
  expect(await readSelection(list, [{ from: 0, to: 19_999 }])).toEqual(names(0, 20_000));
});

test('rows that are not stored are left out', async () => {
  main.lists.set('a', { total: 300, stored: 150 });
  await list.open(query('a'));
  expect(await readSelection(list, [{ from: 0, to: 299 }])).toEqual(names(0, 150));
});

/** Changes the rows of the list, while the grid follows it after each step, like an effect in the window. */
async function shift(grid: GridModel, removed: number): Promise<void> {
  const known = main.lists.get('a');
  if (known === undefined) throw new Error('Expected the list a.');
  const stored = known.stored - removed;
  main.lists.set('a', { total: stored, stored, removed });
  main.change('a', stored, 3);
  await followOn(grid);
}

async function followOn(grid: GridModel): Promise<void> {
  for (let step = 0; step < 300; step += 1) {
    grid.follow(list);
    if (step === 100) vi.advanceTimersByTime(200);
    await Promise.resolve();
  }
}

test('the cursor on the last row stays on its record while the list becomes shorter', async () => {
  main.lists.set('a', { total: 5, stored: 5 });
  await list.open(query('a'));
  const grid = new GridModel();
  grid.moveTo(4, 0, false);
  grid.follow(list);
  await shift(grid, 1);
  expect(grid.row).toBe(3);
  expect(await rowsOf(grid, list)).toEqual(names(4, 5));
});

test('a selection over the border of two pages stays on its records', async () => {
  main.lists.set('a', { total: 150, stored: 150 });
  await list.open(query('a'));
  list.ensure(80, 120);
  await settle();
  const grid = new GridModel();
  grid.moveTo(98, 0, false);
  grid.moveTo(100, 0, true);
  grid.follow(list);
  // The first page is of the new reading while the second one is still of the old one.
  const { promise, resolve } = Promise.withResolvers<null>();
  main.gates.set('library:read-rows a 100', promise);
  await shift(grid, -1);
  expect(list.isMixed).toBe(true);
  expect(list.row(99)).toEqual({ name: 'a 98' });
  resolve(null);
  await followOn(grid);
  expect(list.isMixed).toBe(false);
  expect(grid.picked).toEqual([{ from: 99, to: 101 }]);
  expect(await rowsOf(grid, list)).toEqual(names(98, 101));
});

test('rows selected while the list is sorted again stay selected by their records, or are removed', async () => {
  main.lists.set('a', { total: 9, stored: 9 });
  await list.open(query('a'));
  const grid = new GridModel();
  grid.follow(list);
  list.setSort({ field: 'name', isDescending: true });
  grid.moveTo(6, 0, false);
  grid.moveTo(7, 0, true);
  grid.follow(list);
  await settle();
  grid.follow(list);
  expect(await rowsOf(grid, list)).toEqual([{ name: 'a 7' }, { name: 'a 6' }]);
});
