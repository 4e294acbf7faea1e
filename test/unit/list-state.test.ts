/** The list behind a grid: windows, order, late answers, and changes in the store. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { ListModel } from '../../renderer/state/list-state.svelte.ts';
import { refused } from '../../renderer/state/refused.ts';
import { FakeLists, query } from '../helpers/fake-lists.ts';

const settle = () => vi.advanceTimersByTimeAsync(1_000);

let main: FakeLists;
let isOnline = true;
let list: ListModel;

beforeEach(() => {
  vi.useFakeTimers();
  main = new FakeLists();
  isOnline = true;
  list = new ListModel({
    connectionId: 'c',
    viewId: 'v',
    isOnline: () => isOnline,
    client: main.client,
  });
});
afterEach(() => {
  list.dispose();
  vi.useRealTimers();
});

describe('opening a list', () => {
  test('shows the first window, and reads others when they come into view', async () => {
    main.lists.set('a', { total: 1_000, stored: 1_000 });
    await list.open(query('a'));
    expect(list.phase).toBe('ready');
    expect(list.count).toBe(1_000);
    expect(list.row(0)).toEqual({ name: 'a 0' });
    expect(list.row(750)).toBeUndefined();
    list.ensure(740, 780);
    await settle();
    expect(list.row(750)).toEqual({ name: 'a 750' });
    expect(main.count('library:read-rows')).toBe(1);
    list.ensure(740, 790);
    await settle();
    expect(main.count('library:read-rows')).toBe(1);
  });

  test('while scrolling, reads the next page before it is in view; requests from the service only rows in view', async () => {
    main.lists.set('a', { total: 1_000, stored: 250 });
    await list.open(query('a'));
    list.ensure(10, 40);
    await settle();
    expect(list.row(199)).toEqual({ name: 'a 199' });
    list.ensure(90, 120);
    await settle();
    list.ensure(180, 210);
    await settle();
    expect(list.row(249)).toEqual({ name: 'a 249' });
    const reads = main.count('library:read-rows');
    const fetches = main.count('library:fetch-rows');
    list.ensure(150, 180);
    list.ensure(60, 90);
    await settle();
    expect([main.count('library:read-rows'), main.count('library:fetch-rows')]).toEqual([reads, fetches]);
  });

  test('is not known as empty between the arrival of its first rows and their display', async () => {
    main.lists.set('a', { total: 5, stored: 0 });
    main.lists.set('none', { total: 0, stored: 0 });
    isOnline = false;
    await list.open(query('a'));
    main.change('a', 5);
    expect([list.count, list.isKnownEmpty]).toEqual([0, false]);
    await settle();
    expect([list.count, list.isKnownEmpty]).toEqual([5, false]);
    await list.open(query('none'));
    expect([list.count, list.isKnownEmpty]).toEqual([0, true]);
  });

  test('an impossible total adds one page to scroll to, not endless rows', async () => {
    const wrong = { total: 1e15, stored: 120, isTotalWrong: true };
    main.lists.set('a', wrong);
    await list.open(query('a'));
    expect(list.count).toBe(220);
    list.ensure(110, 140);
    await settle();
    expect(
      main.calls.filter(([name]) => name === 'library:fetch-rows').map(([, { offset }]) => offset),
    ).toEqual([120]);
    main.lists.set('a', { ...wrong, total: 120 });
    main.change('a', 120, 3);
    await settle();
    expect(list.count).toBe(120);
  });

  test('is opened with its first rows in one call', async () => {
    main.lists.set('a', { total: 500, stored: 500 });
    await list.open(query('a'));
    expect(main.calls.map(([channel]) => channel)).toEqual(['library:open-list']);
    expect([list.phase, list.count, list.row(99)]).toEqual(['ready', 500, { name: 'a 99' }]);
  });

  test('is read in the new order if the order was changed while it was opened', async () => {
    main.lists.set('a', { total: 500, stored: 500 });
    const opening = list.open(query('a'));
    list.setSort({ field: 'name', isDescending: true });
    await opening;
    await settle();
    expect(list.row(0)).toEqual({ name: 'a 499' });
  });

  test('shows rows that arrived while it was opened', async () => {
    main.lists.set('a', { total: 500, stored: 5 });
    const opening = list.open(query('a'));
    main.lists.set('a', { total: 500, stored: 5 });
    queueMicrotask(() => main.change('a', 50));
    await opening;
    await settle();
    expect([list.count, list.row(40)]).toEqual([500, { name: 'a 40' }]);
  });

  test('drops an answer that arrives after another list was opened', async () => {
    main.lists.set('slow', { total: 5, stored: 5 });
    main.lists.set('fast', { total: 2, stored: 2 });
    let letGo = (): void => undefined;
    main.gates.set('library:open-list slow', new Promise<void>((resolve) => (letGo = resolve)));
    const first = list.open(query('slow'));
    await list.open(query('fast'));
    letGo();
    await first;
    expect(list.row(0)).toEqual({ name: 'fast 0' });
    expect(list.count).toBe(2);
  });

  test('drops rows that arrive after another list was opened', async () => {
    main.lists.set('slow', { total: 500, stored: 500 });
    main.lists.set('fast', { total: 300, stored: 300 });
    await list.open(query('slow'));
    let letGo = (): void => undefined;
    main.gates.set('library:read-rows slow', new Promise<void>((resolve) => (letGo = resolve)));
    list.ensure(200, 230);
    await list.open(query('fast'));
    letGo();
    await settle();
    expect(list.count).toBe(300);
    expect(list.row(210)).toBeUndefined();
  });

  test('a failure with nothing to show is the list’s own error', async () => {
    main.gates.set(
      'library:open-list a',
      Promise.reject(new AppError('NOT_FOUND', 'There is no such list.')),
    );
    await list.open(query('a'));
    expect(list.phase).toBe('failed');
    expect(list.error?.code).toBe('NOT_FOUND');
    main.gates.clear();
    main.lists.set('a', { total: 1, stored: 1 });
    await list.refresh();
    expect(list.phase).toBe('ready');
  });
});

describe('a list that cannot be opened again after its session was closed', () => {
  test('keeps its rows, reports a failed refresh, and is opened again by a refresh', async () => {
    main.lists.set('a', { total: 3, stored: 3 });
    await list.open(query('a'));
    main.failure = new AppError('STORE_FAILED', 'The store could not be read.');
    main.closeSession();
    await settle();
    expect([list.phase, list.row(2)]).toEqual(['ready', { name: 'a 2' }]);
    expect(list.freshness?.refresh).toMatchObject({ phase: 'failed', error: { code: 'STORE_FAILED' } });
    await list.refresh();
    expect(list.freshness?.refresh.phase).toBe('failed');
    main.failure = null;
    main.lists.set('a', { total: 3, stored: 2 });
    await list.refresh();
    await settle();
    expect(list.freshness?.refresh.phase).toBe('idle');
    expect([list.error, list.row(1), list.row(2)]).toEqual([null, { name: 'a 1' }, undefined]);
    expect(main.calls.filter(([name]) => name === 'library:open-list').at(-1)?.[1]).toMatchObject({
      refresh: 'always',
      isClick: true,
    });
  });

  test('is opened again when a token is accepted, if the token was the reason', async () => {
    main.lists.set('a', { total: 3, stored: 3 });
    await list.open(query('a'));
    main.failure = new AppError('NO_TOKEN', 'No token is stored.');
    main.closeSession();
    await settle();
    expect(list.freshness?.refresh.phase).toBe('failed');
    main.failure = null;
    await refused.retry(Date.now(), true);
    await settle();
    expect(list.freshness?.refresh.phase).toBe('idle');
  });
});

describe('rows that are not stored', () => {
  beforeEach(async () => {
    main.lists.set('a', { total: 1_000, stored: 100 });
    await list.open(query('a'));
  });

  test('are counted, and requested once per page while in view', async () => {
    expect(list.count).toBe(1_000);
    list.ensure(450, 480);
    list.ensure(455, 485);
    await settle();
    const asked = main.calls.filter(([channel]) => channel === 'library:fetch-rows');
    expect(asked.map(([, { offset }]) => offset)).toEqual([400]);
    main.change('a', 600);
    await settle();
    expect(list.row(460)).toEqual({ name: 'a 460' });
  });

  test('are not requested repeatedly if they never arrive', async () => {
    list.ensure(450, 480);
    for (let moment = 3; moment < 20; moment += 1) {
      main.change('a', 100, moment);
      await settle();
    }
    expect(main.count('library:fetch-rows')).toBe(1);
  });

  test('are requested from the first one on if no position is named', async () => {
    expect(await list.fetchMore()).toBe(false);
    const [, asked] = main.calls.at(-1) ?? [];
    expect(asked?.offset).toBeNull();
  });

  test('are not counted offline, and nothing is requested', async () => {
    isOnline = false;
    expect(list.count).toBe(100);
    list.ensure(90, 130);
    await settle();
    expect(main.count('library:fetch-rows')).toBe(0);
  });

  test('are left out of sorting and filtering', async () => {
    list.setSort({ field: 'name', isDescending: true });
    await settle();
    expect(list.count).toBe(100);
    expect(list.row(0)).toEqual({ name: 'a 99' });
    list.setTextFilter('a 9');
    await settle();
    expect(list.count).toBe(11);
  });
});

describe('changes in the store', () => {
  beforeEach(async () => {
    main.lists.set('a', { total: 300, stored: 300 });
    await list.open(query('a'));
  });

  test('many at once read the window once, and the shown rows stay until then', async () => {
    const before = main.count('library:read-rows');
    main.lists.set('a', { total: 302, stored: 300 });
    main.change('a', 301, 5);
    main.change('a', 302, 6);
    expect(list.row(0)).toEqual({ name: 'a 0' });
    await settle();
    expect(main.count('library:read-rows')).toBe(before + 1);
    expect(list.matchingRows).toBe(302);
  });

  test('are read once the list is shown again', async () => {
    const before = main.count('library:read-rows');
    list.setShown(false);
    for (const stored of [301, 302, 303]) {
      main.change('a', stored, stored);
      await settle();
    }
    expect(main.count('library:read-rows')).toBe(before);
    list.setShown(true);
    await settle();
    expect(main.count('library:read-rows')).toBe(before + 1);
    expect(list.matchingRows).toBe(303);
  });

  test('of another list are ignored', async () => {
    main.lists.set('b', { total: 9, stored: 9 });
    main.change('b', 9, 7);
    await settle();
    expect(list.freshness?.storedRows).toBe(300);
  });

  test('an answer from before the list was filtered does not change the number of matching rows', async () => {
    main.lists.set('a', { total: 1_000, stored: 1_000 });
    await list.open(query('a'));
    const gate = Promise.withResolvers<void>();
    main.gates.set('library:read-rows a', gate.promise);
    list.ensure(740, 780);
    await settle();
    main.gates.delete('library:read-rows a');
    list.setTextFilter('a 99');
    await settle();
    expect(list.matchingRows).toBe(11);
    gate.resolve();
    await settle();
    expect(list.matchingRows).toBe(11);
  });

  test('an invalid filter is reported; the rows stay', async () => {
    list.setTextFilter('/(/');
    await settle();
    expect(list.textFilterError?.code).toBe('INVALID_ARGUMENT');
    expect(list.row(0)).toEqual({ name: 'a 0' });
    list.setTextFilter('a 29');
    await settle();
    expect(list.textFilterError).toBeNull();
    expect(list.count).toBe(11);
  });

  test('disposing returns the waiting reads', async () => {
    list.dispose();
    expect(main.count('library:release')).toBe(1);
  });
});

describe('rows that cannot be read', () => {
  const damaged = new AppError('STORE_DAMAGED', 'The file is not a database.');

  test('leave the list open with a reason, until it is read again', async () => {
    main.lists.set('a', { total: 1_000, stored: 1_000 });
    await list.open(query('a'));
    main.rowsFailure = damaged;
    list.ensure(740, 780);
    await settle();
    expect([list.phase, list.error?.code, list.row(750)]).toEqual(['ready', 'STORE_DAMAGED', undefined]);
    main.rowsFailure = null;
    await list.refresh();
    await settle();
    expect([list.error, list.row(750)]).toEqual([null, { name: 'a 750' }]);
  });

  test('in another order are reported; the reason ends with an order that can be read', async () => {
    main.lists.set('a', { total: 500, stored: 500 });
    await list.open(query('a'));
    main.rowsFailure = damaged;
    list.setSort({ field: 'name', isDescending: true });
    await settle();
    expect([list.error?.code, list.row(0)]).toEqual(['STORE_DAMAGED', { name: 'a 0' }]);
    main.rowsFailure = null;
    list.setSort(null);
    await settle();
    expect([list.error, list.row(0)]).toEqual([null, { name: 'a 0' }]);
  });

  test('are reported until they are read, whatever else is read before', async () => {
    main.lists.set('a', { total: 1_000, stored: 1_000 });
    await list.open(query('a'));
    main.rowsFailure = damaged;
    list.ensure(740, 780);
    list.ensure(440, 480);
    await settle();
    expect(list.error?.code).toBe('STORE_DAMAGED');
    main.rowsFailure = null;
    list.ensure(840, 880);
    await settle();
    expect([list.error?.code, list.row(850)]).toEqual(['STORE_DAMAGED', { name: 'a 850' }]);
    list.ensure(440, 480);
    await settle();
    expect([list.error?.code, list.row(450)]).toEqual(['STORE_DAMAGED', { name: 'a 450' }]);
    list.ensure(740, 780);
    await settle();
    expect([list.error, list.row(750)]).toEqual([null, { name: 'a 750' }]);
  });

  test('in another order are reported until they are read in it', async () => {
    main.lists.set('a', { total: 500, stored: 500 });
    await list.open(query('a'));
    main.rowsFailure = damaged;
    list.setSort({ field: 'name', isDescending: true });
    await settle();
    expect(list.error?.code).toBe('STORE_DAMAGED');
    main.rowsFailure = null;
    list.ensure(0, 40);
    await settle();
    expect(list.error).toBeNull();
  });

  test('of a list that was left are not reported for the next one', async () => {
    main.lists.set('a', { total: 1_000, stored: 1_000 });
    main.lists.set('b', { total: 5, stored: 5 });
    await list.open(query('a'));
    const { promise, resolve } = Promise.withResolvers<void>();
    main.gates.set('library:read-rows a', promise);
    list.ensure(740, 780);
    await list.open(query('b'));
    main.rowsFailure = damaged;
    resolve();
    await settle();
    expect([list.phase, list.error, list.row(0)]).toEqual(['ready', null, { name: 'b 0' }]);
  });
});

test('a long scroll keeps a bounded number of rows', async () => {
  main.lists.set('a', { total: 100_000, stored: 100_000 });
  await list.open(query('a'));
  for (let first = 0; first < 50_000; first += 100) list.ensure(first, first + 40);
  await settle();
  expect(list.row(49_900)).toBeDefined();
  expect(list.row(0)).toBeUndefined();
});

describe('what a list is narrowed to', () => {
  test('is stored as it changes and restored with the list, and not stored once all rows are shown', async () => {
    let kept: unknown = null;
    const memory = {
      read: () => kept,
      write: (next: unknown) => {
        kept = next;
      },
    };
    const make = () =>
      new ListModel({ connectionId: 'c', viewId: 'v', isOnline: () => true, client: main.client, memory });
    const filters = [{ kind: 'emptiness', field: 'parent_span_id', is: 'missing' }] as const;
    const first = make();
    first.setFilters(filters);
    first.setTextFilter('refund');
    const second = make();
    expect([second.narrow, second.filters]).toEqual(['refund', filters]);
    main.lists.set('a', { total: 5, stored: 5 });
    await second.open(query('a'));
    expect(main.calls.at(-1)?.[1]).toMatchObject({ window: { narrow: 'refund', filters } });
    second.setTextFilter('');
    second.setFilters([]);
    expect(kept).toBeNull();
    kept = { narrow: 7 };
    expect(make().filters).toEqual([]);
  });
});
