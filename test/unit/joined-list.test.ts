import { describe, expect, test } from 'vitest';
import type { Freshness } from '../../electron/shared/model.ts';
import { JoinedList } from '../../renderer/state/joined-list.svelte.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

const ROWS = ['quiet', 'fires', 'unknown', 'warns'].map((name, position) => ({ position, record: { name } }));
const RANK: Record<string, number> = { quiet: 0, warns: 2, fires: 3 };
const freshness = { totalRows: 4, storedRows: 4, isComplete: true } as Freshness;

async function opened(isKnown = () => true) {
  const sorts: unknown[] = [];
  const list = new JoinedList({
    connectionId: 'one',
    viewId: 'view',
    isOnline: () => true,
    joined: (field) => (field === 'latest' ? (row) => RANK[String(row['name'])] : undefined),
    isKnown,
    client: numberedClient((channel, argument: { window?: { sort: unknown } }) => {
      sorts.push(argument.window?.sort);
      const page = { rows: ROWS, matchingRows: ROWS.length };
      return channel === 'library:open-list' ? { state: { listKey: 'key', freshness }, page } : page;
    }).client,
  });
  await list.open({ operation: 'alert-rules.list', path: {}, query: {} });
  return { list, sorts };
}
const names = (list: JoinedList) =>
  Array.from({ length: list.count }, (_, at) => list.row(at)?.['name'] as string | undefined);

describe('a list sorted by what is known from elsewhere', () => {
  test('its rows stand in that order, unknown ones last; the stored list is not asked to sort by it', async () => {
    const { list, sorts } = await opened();
    list.setSort({ field: 'latest', isDescending: true });
    expect(names(list)).toEqual(['fires', 'warns', 'quiet', 'unknown']);
    expect(list.isPlain).toBe(false);
    list.setSort({ field: 'latest', isDescending: false });
    expect(names(list)).toEqual(['quiet', 'warns', 'fires', 'unknown']);
    list.setSort(null);
    expect(names(list)).toEqual(['quiet', 'fires', 'unknown', 'warns']);
    expect(sorts.every((sort) => sort === null)).toBe(true);
  });

  test('no row stands anywhere until what it is sorted by is known: it would move under the pointer', async () => {
    let isKnown = false;
    const { list } = await opened(() => isKnown);
    expect(names(list)[0]).toBe('quiet');
    list.setSort({ field: 'latest', isDescending: true });
    expect(names(list)).toEqual([undefined, undefined, undefined, undefined]);
    isKnown = true;
    expect(names(list)[0]).toBe('fires');
  });

  test('its own fields are sorted by the store', async () => {
    const { list, sorts } = await opened();
    list.setSort({ field: 'name', isDescending: false });
    await new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(resolve)));
    expect(sorts.at(-1)).toEqual({ field: 'name', isDescending: false });
  });
});
