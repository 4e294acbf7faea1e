/** Paging of the library with lists of every difficult length, and with lists that change while they are read. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ListQuery } from '../../electron/shared/model.ts';
import { entities } from '../helpers/catalog-lists.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { LibraryRig } from '../helpers/library-rig.ts';
import { type Item, MovingList } from '../helpers/moving-list.ts';
import { ScriptedServer, sendError, sendJson } from '../helpers/scripted-server.ts';

const PAGE = 100;
const later = cleanUpAfterEach();

let list: MovingList;
let rig: LibraryRig;
beforeAll(async () => {
  list = await MovingList.start();
  rig = new LibraryRig(list.server.baseUrl);
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await list[Symbol.asyncDispose]();
});

let query: ListQuery;
let number = 0;
beforeEach(() => {
  number += 1;
  query = { operation: 'catalog.list', path: { application_id: `app-${number}` }, query: {} };
  rig.settings.pageRows = PAGE;
  rig.settings.prefetchRows = 20_000;
});

const names = (items: readonly Item[]) => items.map(({ name }) => name);
const stored = () => rig.column(query, 'name');

describe('a list of', () => {
  test.each([
    [0, 1],
    [1, 1],
    [PAGE - 1, 1],
    [PAGE, 1],
    [PAGE + 1, 2],
    [2 * PAGE, 2],
    [2 * PAGE + 1, 3],
  ])('%i rows is read completely, in %i requests', async (count, requests) => {
    const all = entities(count);
    list.reset(all);
    expect(await rig.read(query)).toMatchObject({
      storedRows: count,
      totalRows: count,
      isComplete: true,
      hasMovedWhileRead: false,
      refresh: { phase: 'idle' },
    });
    expect(list.pages).toHaveLength(requests);
    expect(await stored()).toEqual(names(all));
    expect(await rig.rows(query, { offset: count })).toEqual({ rows: [], matchingRows: count });
  });

  test('100,000 rows is read completely, and any of its rows is available at once', async () => {
    const all = entities(100_000);
    list.reset(all);
    rig.settings.pageRows = 1_000;
    rig.settings.prefetchRows = 1_000_000;
    expect(await rig.read(query)).toMatchObject({
      storedRows: 100_000,
      totalRows: 100_000,
      isComplete: true,
      hasMovedWhileRead: false,
    });
    // As each page overlaps the previous one, one request in a thousand is additional.
    expect(list.pages.length).toBeLessThanOrEqual(101);
    for (const { limit } of list.pages) expect(limit).toBeLessThanOrEqual(1_000);
    for (const offset of [0, 199, 50_000, 99_900]) {
      const { rows, matchingRows } = await rig.rows(query, { offset, limit: 100 });
      expect(matchingRows).toBe(100_000);
      expect(rows.map(({ position, record }) => [position, record['name']])).toEqual(
        all.slice(offset, offset + 100).map(({ name }, index) => [offset + index, name]),
      );
    }
    const sort = { field: 'row_count', isDescending: true };
    const { rows: top } = await rig.rows(query, { limit: 3, sort });
    expect(top.map(({ record }) => record['row_count'])).toEqual([99, 99, 99]);
    expect((await rig.rows(query, { narrow: 'entity_9999' })).matchingRows).toBe(10);
  });
});

describe('a service that returns fewer rows than requested', () => {
  test.each([1, 2, 3, 7, 99])('%i at most: none is skipped', async (cap) => {
    const all = entities(50);
    list.reset(all);
    list.cap = cap;
    expect(await rig.read(query)).toMatchObject({
      storedRows: 50,
      isComplete: true,
      hasMovedWhileRead: false,
    });
    expect(await stored()).toEqual(names(all));
  });

  test('and changes its mind midway', async () => {
    const all = entities(260);
    list.reset(all);
    const caps = [100, 30, 1, 1, 60, 2, 100];
    list.onPage = (pages) => {
      list.cap = caps[pages % caps.length];
    };
    expect(await rig.read(query)).toMatchObject({ storedRows: 260, isComplete: true });
    expect(await stored()).toEqual(names(all));
  });

  describe.each([
    ['rounded', (offset: number) => Math.floor(offset / PAGE) * PAGE],
    ['refused', () => null],
  ] as const)('and accepts offsets and limits only in steps of its pages; others are %s', (_name, other) => {
    test('none is skipped', async () => {
      const all = entities(250);
      const server = await ScriptedServer.start((request, response) => {
        const asked = new URL(request.url, server.baseUrl).searchParams;
        const [at, limit] = [Number(asked.get('offset')), Number(asked.get('limit'))];
        const offset = at % PAGE === 0 && limit <= PAGE ? at : other(at);
        if (offset === null) return sendError(response, 400, 'Ask for whole pages');
        const items = all.slice(offset, offset + PAGE);
        sendJson(response, 200, { kind: 'PAGINATED', data: { items, total: 250, offset } });
      });
      later(async () => server[Symbol.asyncDispose]());
      const strict = new LibraryRig(server.baseUrl);
      later(async () => strict[Symbol.asyncDispose]());
      expect(await strict.read(query)).toMatchObject({
        storedRows: 250,
        isComplete: true,
        hasMovedWhileRead: false,
      });
      expect(await strict.column(query, 'name')).toEqual(names(all));
      expect(server.received).toHaveLength(4);
    });
  });
});

test('pages that repeat rows without an id, in a list without a total, are not read forever', async () => {
  const server = await ScriptedServer.start((_request, response) =>
    sendJson(response, 200, [{ name: null }]),
  );
  later(async () => server[Symbol.asyncDispose]());
  const stuck = new LibraryRig(server.baseUrl);
  later(async () => stuck[Symbol.asyncDispose]());
  expect(await stuck.read(query)).toMatchObject({
    isComplete: false,
    refresh: { phase: 'failed', error: { code: 'ANSWER_INVALID' } },
  });
  expect(server.received.length).toBeLessThan(100);
});

describe('a list without a total, to which rows are added before every page, is not read forever', () => {
  async function readAdding(items: Item[], answer: (asked: { offset: number; limit: number }) => Item[]) {
    let received = 0;
    const server = await ScriptedServer.start((request, response) => {
      received += 1;
      const asked = new URL(request.url, server.baseUrl).searchParams;
      const page = answer({ offset: Number(asked.get('offset')), limit: Number(asked.get('limit')) });
      response.setHeader('X-RateLimit-Limit', 'unlimited');
      sendJson(response, 200, { items: page });
    });
    later(async () => server[Symbol.asyncDispose]());
    const reader = new LibraryRig(server.baseUrl);
    later(async () => reader[Symbol.asyncDispose]());
    reader.settings.pageRows = PAGE;
    reader.settings.prefetchRows = 1_000_000;
    const freshness = await reader.read(query);
    const rows = await reader.column(query, 'name');
    expect(new Set(rows).size, 'each row once').toBe(rows.length);
    return { freshness, rows, items, received };
  }

  test('at its end: all rows up to then are read', async () => {
    const items: Item[] = entities(250);
    const read = await readAdding(items, ({ offset, limit }) => {
      items.push(...entities(1, 1_000 + items.length));
      return items.slice(offset, offset + limit);
    });
    expect(read.received).toBeLessThan(200);
    expect(read.rows).toEqual(names(items).slice(0, read.rows.length));
    expect(read.rows.length).toBeGreaterThan(250);
    expect(read.freshness).toMatchObject({ isComplete: true, refresh: { phase: 'idle' } });
  });

  test('in front, by a service that does not step by offset: it is not called complete', async () => {
    const items: Item[] = entities(50);
    const read = await readAdding(items, () => {
      items.unshift(...entities(1, 1_000 + items.length));
      return items.slice(0, 50);
    });
    expect(read.received).toBeLessThan(300);
    expect(read.freshness).toMatchObject({ isComplete: false });
  });

  test('while its pages are short for another reason: none is left out', async () => {
    const items: Item[] = entities(600);
    let pages = 0;
    const read = await readAdding(items, ({ offset, limit }) => {
      pages += 1;
      return items.slice(offset, offset + Math.min(limit, pages === 1 ? 100 : 6));
    });
    expect(read.rows).toEqual(names(items));
    expect(read.freshness).toMatchObject({ isComplete: true });
  });
});

describe('a list that changes while it is read', () => {
  const newer = (count: number) => entities(count, 90_000, 'newer');

  /** Reads 300 rows. `change` happens after the second page. */
  async function readWhile(change: (items: Item[]) => Item[], afterPage = 2) {
    const all = entities(300);
    list.reset(all);
    list.onPage = (pages) => {
      if (pages === afterPage) list.items = change([...list.items]);
    };
    const freshness = await rig.read(query);
    const got = await stored();
    expect(new Set(got).size, 'each row once').toBe(got.length);
    return { all, freshness, got };
  }

  test('rows are inserted at the front: the new ones are read too', async () => {
    const { freshness, got } = await readWhile((items) => [...newer(3), ...items]);
    expect(freshness).toMatchObject({ isComplete: true, hasMovedWhileRead: false, totalRows: 303 });
    expect(got).toEqual(names(list.items));
  });

  test('rows are deleted at the front: none of the remaining ones is skipped', async () => {
    const { all, freshness, got } = await readWhile((items) => items.slice(5));
    expect(freshness).toMatchObject({ isComplete: true, hasMovedWhileRead: true, totalRows: 295 });
    expect(got).toEqual(names(all));
  });

  test('rows are appended and the same number is deleted at the front: the total stays the same, and the list is read again', async () => {
    const { freshness, got } = await readWhile((items) => [...items.slice(7), ...newer(7)]);
    expect(freshness).toMatchObject({ isComplete: true, hasMovedWhileRead: false, totalRows: 300 });
    expect(got).toEqual(names(list.items));
  });

  test('more than a page is deleted at the front', async () => {
    const { all, freshness, got } = await readWhile((items) => items.slice(150));
    expect(freshness).toMatchObject({ isComplete: true, hasMovedWhileRead: true, totalRows: 150 });
    expect(got).toEqual(names(all));
  });

  test('the overlapping row of two pages is deleted, or moves', async () => {
    const { all, freshness, got } = await readWhile((items) => items.toSpliced(199, 1));
    expect(freshness).toMatchObject({ isComplete: true, hasMovedWhileRead: true });
    expect(got).toEqual(names(all));
  });

  test('everything is replaced', async () => {
    const { freshness, got } = await readWhile(() => newer(250));
    expect(freshness).toMatchObject({ isComplete: true, totalRows: 250, storedRows: 250 });
    expect(got).toEqual(names(newer(250)));
  });

  test('everything is deleted', async () => {
    const { freshness, got } = await readWhile(() => []);
    expect(freshness).toMatchObject({ isComplete: true, totalRows: 0, storedRows: 0 });
    expect(got).toEqual([]);
  });

  test('rows are appended: they are read too', async () => {
    const { all, freshness, got } = await readWhile((items) => [...items, ...newer(150)]);
    expect(freshness).toMatchObject({ isComplete: true, hasMovedWhileRead: true, totalRows: 450 });
    expect(got).toEqual([...names(all), ...names(newer(150))]);
  });

  test('a list that moves before every page is complete if one page has all rows', async () => {
    list.reset(entities(1_000));
    list.onPage = (pages) => {
      list.items = [...list.items.slice(1), ...entities(1, 90_000 + pages, 'newer')];
    };
    const seen: unknown[][] = [];
    const { onPage } = list;
    list.onPage = (pages) => {
      seen.push(names(list.items));
      onPage(pages);
    };
    const freshness = await rig.read(query);
    expect(freshness).toMatchObject({ isComplete: true, storedRows: 1_000, refresh: { phase: 'idle' } });
    expect(seen).toContainEqual(await stored());
    // The list is not followed forever: there are only a few more requests than pages.
    expect(list.pages.length).toBeLessThan(25);
  });

  test('a row is deleted before every page, of more rows than fit in a page: missing rows are reported', async () => {
    list.reset(entities(2_500));
    list.cap = PAGE;
    list.onPage = () => {
      list.items = list.items.slice(1);
    };
    const freshness = await rig.read(query);
    const ids = new Set(await stored());
    const missing = names(list.items).filter((name) => !ids.has(name));
    if (freshness.isComplete) expect(missing).toEqual([]);
    else expect(freshness).toHaveProperty('missingRows');
    expect(list.pages.length, 'within a bound').toBeLessThan(150);
  });

  test('rows with equal times that change their order at each page are all read in the end', async () => {
    const all = entities(2_300);
    list.reset(all);
    rig.settings.pageRows = 500;
    let seed = 7;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    };
    list.onPage = () => {
      list.items = list.items
        .map((item) => ({ item, at: random() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ item }) => item);
    };
    expect(await rig.read(query)).toMatchObject({ isComplete: true, storedRows: 2_300, totalRows: 2_300 });
    expect((await stored()).toSorted()).toEqual(names(all).toSorted());
    expect(list.pages.length).toBeLessThan(70);
  });

  test('pages that end before the stated total leave rows out, reported with their number', async () => {
    const all = entities(250);
    const server = await ScriptedServer.start((request, response) => {
      const offset = Number(new URL(request.url, server.baseUrl).searchParams.get('offset'));
      // A search that returns no rows beyond a limit.
      const items = all.slice(offset, Math.min(offset + PAGE, 200));
      sendJson(response, 200, { kind: 'PAGINATED', data: { items, total: 250, offset } });
    });
    later(async () => server[Symbol.asyncDispose]());
    const capped = new LibraryRig(server.baseUrl);
    later(async () => capped[Symbol.asyncDispose]());
    expect(await capped.read(query)).toMatchObject({ storedRows: 200, isComplete: false, missingRows: 50 });
    const { length } = server.received;
    expect(await capped.read(query), 'it is not asked again while it is fresh').toMatchObject({
      missingRows: 50,
    });
    expect(server.received).toHaveLength(length);
    expect((await capped.rows(query)).matchingRows, 'no empty places to scroll to').toBe(200);
  });

  test('pages of one row, while rows are inserted at the front, do not end the list if they have no new rows', async () => {
    const all = entities(2);
    list.reset(all);
    list.cap = 1;
    list.onPage = (pages) => {
      if (pages === 1 || pages === 3)
        list.items = [...entities(2, 90_000 + pages * 10, 'newer'), ...list.items];
    };
    expect(await rig.read(query)).toMatchObject({ isComplete: true, refresh: { phase: 'idle' } });
    expect(await stored()).toEqual(names(list.items));
  });

  test('the list does not move: nothing is reported', async () => {
    expect((await readWhile((items) => items)).freshness.hasMovedWhileRead).toBe(false);
  });

  test('rows without an identity are compared by content', async () => {
    query = { operation: 'catalog.values', path: query.path, query: { entity_type: 'attribute', name: 'a' } };
    const values = Array.from({ length: 250 }, (_, n) => ({ value: null, row_count: n }));
    list.reset(values);
    expect(await rig.read(query)).toMatchObject({ storedRows: 250, hasMovedWhileRead: false });
    list.reset(values);
    list.onPage = (pages) => {
      if (pages === 2) list.items = list.items.slice(1);
    };
    expect(await rig.read(query, 'always'), 'it is read again in one page').toMatchObject({
      storedRows: 249,
      isComplete: true,
    });
  });
});

describe('a read that continues later', () => {
  test('detects that the list moved in between, and skips no row', async () => {
    const all = entities(500);
    list.reset(all);
    rig.settings.prefetchRows = 200;
    expect(await rig.read(query)).toMatchObject({ storedRows: 200, hasMovedWhileRead: false });
    list.items = [...all.slice(10), ...entities(10, 90_000, 'newer')];
    rig.settings.prefetchRows = 20_000;
    expect(await rig.read(query)).toMatchObject({ isComplete: true });
    expect(await stored()).toEqual(names(list.items));
  });

  test('reports a page fetched ahead that differs from the current one', async () => {
    const all = entities(500);
    list.reset(all);
    rig.settings.prefetchRows = 100;
    await rig.read(query);
    await rig.settle(await rig.library.fetchRows({ viewId: 'view', query, offset: 350 }));
    // A row is deleted and another inserted, before the rows that are read ahead and after the stored ones.
    list.items = [...all.slice(0, 150), ...all.slice(151), ...entities(1, 90_000, 'newer')];
    rig.settings.prefetchRows = 20_000;
    expect(await rig.read(query)).toMatchObject({ isComplete: true });
    const got = await stored();
    expect(got).toEqual(names(list.items));
  });
});
