import { describe, expect, test } from 'vitest';
import type { Freshness } from '../../electron/shared/model.ts';
import { JoinedList } from '../../renderer/state/joined-list.svelte.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

const ROWS = ['quiet', 'fires', 'unknown', 'warns'].map((name, position) => ({ position, record: { name } }));
const RANK: Readonly<Record<string, number>> = { quiet: 0, warns: 2, fires: 3 };
const freshness = { totalRows: 4, storedRows: 4, isComplete: true } as Freshness;

async function opened() {
  const sorts: unknown[] = [];
  const ranks = new Map(Object.entries(RANK));
  const is = new Map([
    ['known', true],
    ['read', true],
    ['in use', false],
  ]);
  const list = new JoinedList({
    connectionId: 'one',
    viewId: 'view',
    isOnline: () => true,
    joined: {
      sortedBy: (field) => (field === 'latest' ? (row) => ranks.get(String(row['name'])) : undefined),
      keyOf: (row) => String(row['name']),
      isKnown: () => is.get('known') === true,
      isRead: () => is.get('read') === true,
      isInUse: () => is.get('in use') === true,
    },
    client: numberedClient((channel, argument: { window?: { sort: unknown } }) => {
      sorts.push(argument.window?.sort);
      const page = { rows: ROWS, matchingRows: ROWS.length };
      return channel === 'library:open-list' ? { state: { listKey: 'key', freshness }, page } : page;
    }).client,
  });
  await list.open({ operation: 'alert-rules.list', path: {}, query: {} });
  return { list, sorts, ranks, is };
}
const names = (list: JoinedList) =>
  Array.from({ length: list.count }, (_, at) => list.row(at)?.['name'] as string | undefined);
const byLatest = { field: 'latest', isDescending: true };

describe('a list sorted by values from elsewhere', () => {
  test('rows have that order, unknown values last, and the stored list is not requested in it', async () => {
    const { list, sorts } = await opened();
    list.setSort(byLatest);
    expect(names(list)).toEqual(['fires', 'warns', 'quiet', 'unknown']);
    expect(list.isPlain).toBe(false);
    list.setSort({ field: 'latest', isDescending: false });
    expect(names(list)).toEqual(['quiet', 'warns', 'fires', 'unknown']);
    list.setSort(null);
    expect(names(list)).toEqual(['quiet', 'fires', 'unknown', 'warns']);
    expect(sorts.every((sort) => sort === null)).toBe(true);
  });

  test('no row is shown until the sort values are known: it would move under the pointer', async () => {
    const { list, is } = await opened();
    is.set('known', false);
    expect(names(list)[0]).toBe('quiet');
    list.setSort(byLatest);
    expect(names(list)).toEqual([undefined, undefined, undefined, undefined]);
    is.set('known', true);
    expect(names(list)[0]).toBe('fires');
  });

  test('rows stay during a reload, and then have the new order', async () => {
    const { list, is, ranks } = await opened();
    list.setSort(byLatest);
    expect(names(list)[0]).toBe('fires');
    is.set('read', false);
    ranks.set('quiet', 9);
    ranks.delete('fires');
    expect(names(list)).toEqual(['fires', 'warns', 'quiet', 'unknown']);
    expect(list.isOutOfOrder).toBe(false);
    is.set('read', true);
    expect(names(list)).toEqual(['quiet', 'warns', 'fires', 'unknown']);
  });

  test('rows stay in place while the user works with them, are reported as out of order, and are sorted again on demand', async () => {
    const { list, is, ranks } = await opened();
    list.setSort(byLatest);
    expect(names(list)[0]).toBe('fires');
    is.set('in use', true);
    ranks.set('quiet', 9);
    expect(names(list)).toEqual(['fires', 'warns', 'quiet', 'unknown']);
    expect(list.isOutOfOrder).toBe(true);
    list.sortAgain();
    expect(names(list)).toEqual(['quiet', 'fires', 'warns', 'unknown']);
    expect(list.isOutOfOrder).toBe(false);
    // Sorting by hand discards the old order too.
    ranks.set('warns', 10);
    list.setSort({ field: 'latest', isDescending: false });
    expect(names(list)).toEqual(['fires', 'quiet', 'warns', 'unknown']);
  });

  test('its own fields are sorted by the store', async () => {
    const { list, sorts } = await opened();
    list.setSort({ field: 'name', isDescending: false });
    await new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(resolve)));
    expect(sorts.at(-1)).toEqual({ field: 'name', isDescending: false });
  });
});
