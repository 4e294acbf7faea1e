/**
 * Reading lists through the offline library: the requests that are sent, the rows that are shown, and the effect of a
 * refresh.
 */
import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { keyOf } from '../../electron/library/list-query.ts';
import { MAX_LISTS } from '../../electron/shared/keep-model.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { CATALOG, catalogBench, entities, offsetOf, offsets } from '../helpers/catalog-lists.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { CONNECTION_ID, type LibraryRig } from '../helpers/library-rig.ts';
import { type Script, sendError, sendPage } from '../helpers/scripted-server.ts';

const { serve, rigOf } = catalogBench();

describe('a list that is left while it opens', () => {
  test('is not read, and stopping waits for nothing', async () => {
    const all = entities(5_000);
    const server = await serve((request, response) => sendPage(response, all, request));
    const rig = rigOf(server);
    const opening = rig.library.openList({ viewId: 'view', query: CATALOG, refresh: 'always' });
    rig.library.release('view');
    await opening;
    await rig.library.stop();
    expect(offsets(server)).toEqual([]);
  });

  test('is read for the view that is still open', async () => {
    const all = entities(150);
    const server = await serve((request, response) => sendPage(response, all, request));
    const rig = rigOf(server);
    const left = rig.library.openList({ viewId: 'left', query: CATALOG, refresh: 'always' });
    const kept = rig.library.openList({ viewId: 'kept', query: CATALOG, refresh: 'always' });
    rig.library.release('left');
    await left;
    expect(await rig.settle(await kept)).toMatchObject({ storedRows: 150, isComplete: true });
  });

  test('and was being read is cancelled by a stop, even if no view has it open any more', async () => {
    const all = entities(100_000);
    const server = await serve((request, response) => sendPage(response, all, request));
    const rig = rigOf(server);
    await rig.library.openList({ viewId: 'view', query: CATALOG, refresh: 'always' });
    await rig.library.stop();
    expect(offsets(server).length).toBeLessThan(5);
  });
});

describe('a first read', () => {
  test('fetches page after page and shows rows as they arrive', async () => {
    const all = entities(450);
    const server = await serve((request, response) => sendPage(response, all, request));
    const rig = rigOf(server);
    const opened = await rig.library.openList({ viewId: 'view', query: CATALOG, refresh: 'if-stale' });
    expect(opened.freshness).toMatchObject({ source: 'none', storedRows: 0, refresh: { phase: 'loading' } });
    const freshness = await rig.settle(opened);
    expect(freshness).toMatchObject({
      source: 'stored',
      storedRows: 450,
      totalRows: 450,
      isComplete: true,
      isStale: false,
      hasMovedWhileRead: false,
      refresh: { phase: 'idle' },
    });
    expect(offsets(server)).toEqual([0, 99, 199, 299, 399]);
    const seen = rig.lists.map(({ freshness: { storedRows } }) => storedRows);
    expect([...new Set(seen)]).toEqual([100, 200, 300, 400, 450]);
    expect(await rig.column(CATALOG, 'name')).toEqual(all.map(({ name }) => name));
    expect(rig.clientRig.log.map(({ priority }) => priority)).toEqual([
      'view',
      'prefetch',
      'prefetch',
      'prefetch',
      'prefetch',
    ]);
  });

  test('advances by the rows received, whatever limit the service uses', async () => {
    const all = entities(95);
    const server = await serve((request, response) => sendPage(response, all, request, { cap: 30 }));
    const rig = rigOf(server);
    expect(await rig.read(CATALOG)).toMatchObject({ storedRows: 95, isComplete: true });
    expect(offsets(server)).toEqual([0, 29, 58, 87]);
  });

  test('ends at an empty page if no total is stated', async () => {
    const all = entities(150);
    const server = await serve((request, response) => {
      const items = all.slice(offsetOf(request), offsetOf(request) + 100);
      response.end(JSON.stringify({ api_version: '3.0', data: { items } }));
    });
    const rig = rigOf(server);
    expect(await rig.read(CATALOG)).toMatchObject({ storedRows: 150, totalRows: null, isComplete: true });
    expect(offsets(server)).toEqual([0, 99, 149, 150]);
  });

  test('of an empty list is complete at once', async () => {
    const server = await serve((request, response) => sendPage(response, [], request));
    const rig = rigOf(server);
    expect(await rig.read(CATALOG)).toMatchObject({
      source: 'stored',
      storedRows: 0,
      totalRows: 0,
      isComplete: true,
    });
  });

  test('ends if a service ignores the offset', async () => {
    const all = entities(20);
    const bare = await serve((_request, response) => response.end(JSON.stringify(all)) as never);
    const first = rigOf(bare);
    expect(await first.read(CATALOG)).toMatchObject({ storedRows: 20, isComplete: true });
    expect(bare.received).toHaveLength(2);
    const stuck = await serve(
      (_request, response) =>
        response.end(
          JSON.stringify({ api_version: '3.0', kind: 'PAGINATED', data: { items: all, total: 900 } }),
        ) as never,
    );
    const second = rigOf(stuck);
    expect(await second.read(CATALOG)).toMatchObject({
      storedRows: 20,
      isComplete: false,
      refresh: { phase: 'failed', error: { code: 'ANSWER_INVALID' } },
    });
    expect(stuck.received).toHaveLength(4);
  });

  test('stops at the number of rows fetched without a request; scrolling continues from there', async () => {
    const all = entities(1_000);
    const server = await serve((request, response) => sendPage(response, all, request));
    const rig = rigOf(server);
    rig.settings.prefetchRows = 300;
    expect(await rig.read(CATALOG)).toMatchObject({ storedRows: 300, totalRows: 1_000, isComplete: false });
    expect((await rig.rows(CATALOG)).matchingRows).toBe(1_000);
    const next = await rig.library.fetchRows({ viewId: 'view', query: CATALOG, offset: 320 });
    expect(await rig.settle(next)).toMatchObject({ storedRows: 400 });
    const far = await rig.library.fetchRows({ viewId: 'view', query: CATALOG, offset: 800 });
    expect(await rig.settle(far)).toMatchObject({ storedRows: 500, isComplete: false });
    const page = await rig.rows(CATALOG, { offset: 790, limit: 20 });
    expect(page.rows.map(({ position, record }) => [position, record['name']])).toEqual(
      all.slice(790, 810).map(({ name }, index) => [790 + index, name]),
    );
    expect((await rig.rows(CATALOG, { offset: 600, limit: 50 })).rows).toEqual([]);
    const known = server.received.length;
    const there = await rig.library.fetchRows({ viewId: 'view', query: CATALOG, offset: 800 });
    expect(there.freshness.refresh.phase).toBe('idle');
    expect(server.received).toHaveLength(known);
    // The first rows that are not stored are fetched before those that are read ahead.
    const first = await rig.library.fetchRows({ viewId: 'view', query: CATALOG, offset: null });
    expect(await rig.settle(first)).toMatchObject({ storedRows: 600 });
    expect((await rig.rows(CATALOG, { offset: 400, limit: 50 })).rows).toHaveLength(50);
    rig.settings.prefetchRows = 20_000;
    expect(await rig.read(CATALOG)).toMatchObject({
      storedRows: 1_000,
      isComplete: true,
      hasMovedWhileRead: false,
    });
    expect(await rig.column(CATALOG, 'name')).toEqual(all.map(({ name }) => name));
  });

  test('that moves meanwhile is repeated: each row is there once', async () => {
    let all = entities(300);
    const server = await serve((request, response) => {
      sendPage(response, all, request);
      // A new entity is sorted first, so all others move by one.
      if (offsetOf(request) === 99) all = [...entities(1, 99_999, 'aaa'), ...all];
    });
    const rig = rigOf(server);
    expect(await rig.read(CATALOG)).toMatchObject({
      storedRows: 301,
      totalRows: 301,
      isComplete: true,
      hasMovedWhileRead: false,
    });
    const names = await rig.column(CATALOG, 'name');
    expect(new Set(names).size).toBe(301);
  });

  test('keeps two entities of one name and different types', async () => {
    const nearDuplicates = [
      { name: 'x', first_seen: '2025-01-01T00:00:00Z' },
      { name: 'x', first_seen: '2025-02-01T00:00:00Z' },
    ];
    const server = await serve((request, response) => sendPage(response, nearDuplicates, request));
    expect(await rigOf(server).read(CATALOG)).toMatchObject({ storedRows: 2, hasMovedWhileRead: false });
  });
});

describe('a stored list', () => {
  test('is opened without a request while it is fresh, in another process too', async () => {
    const server = await serve((request, response) => sendPage(response, entities(50), request));
    const folder = new DataFolder();
    const first = rigOf(server, { folder });
    await first.read(CATALOG);
    const second = rigOf(server, { folder });
    const opened = await second.library.openList({ viewId: 'v', query: CATALOG, refresh: 'if-stale' });
    expect(opened.freshness).toMatchObject({ storedRows: 50, isStale: false, refresh: { phase: 'idle' } });
    expect(server.received).toHaveLength(1);
  });

  test('is the same list with its parameters in any order', async () => {
    const server = await serve((request, response) => sendPage(response, entities(5), request));
    const rig = rigOf(server);
    await rig.read({ ...CATALOG, query: { entity_type: 'attribute', search: '', data_type: 'numeric' } });
    await rig.read({ ...CATALOG, query: { data_type: 'numeric', entity_type: 'attribute' } });
    expect(server.received).toHaveLength(1);
  });

  test('is refreshed when it is stale, neither shrinking nor mixing midway', async () => {
    let all = entities(300);
    const server = await serve((request, response) => sendPage(response, all, request));
    const rig = rigOf(server);
    await rig.read(CATALOG);
    all = entities(280, 0, 'renamed');
    rig.aheadMs = 400_000;
    const before = rig.lists.length;
    const seenNames: unknown[][] = [];
    server.answer((request, response) => {
      void rig.column(CATALOG, 'name').then((names) => {
        seenNames.push(names);
        sendPage(response, all, request);
      });
    });
    const opened = await rig.library.openList({ viewId: 'view', query: CATALOG, refresh: 'if-stale' });
    expect(opened.freshness).toMatchObject({ isStale: true, storedRows: 300, refresh: { phase: 'loading' } });
    const freshness = await rig.settle(opened);
    expect(freshness).toMatchObject({
      isStale: false,
      storedRows: 280,
      isComplete: true,
      hasMovedWhileRead: false,
    });
    for (const names of seenNames)
      expect(names.every((name) => String(name).startsWith('entity_'))).toBe(true);
    expect(seenNames.map(({ length }) => length)).toEqual([300, 300, 300]);
    const shown = rig.lists.slice(before).map((state) => state.freshness.storedRows);
    expect([...new Set(shown)]).toEqual([300, 280]);
    expect((await rig.column(CATALOG, 'name'))[0]).toBe('renamed_00000');
  });

  test('stays unchanged if its refresh fails half way, and says why', async () => {
    const all = entities(300);
    const server = await serve((request, response) => sendPage(response, all, request));
    const rig = rigOf(server);
    await rig.read(CATALOG);
    server.answer((request, response) =>
      offsetOf(request) < 99
        ? sendPage(response, entities(300, 0, 'new'), request)
        : sendError(response, 500, 'Broken'),
    );
    const failed = await rig.read(CATALOG, 'always');
    expect(failed).toMatchObject({
      storedRows: 300,
      isComplete: true,
      refresh: { phase: 'failed', error: { code: 'SERVICE_FAILED' } },
    });
    expect((await rig.column(CATALOG, 'name'))[0]).toBe('entity_00000');
  });

  test('that is incomplete is continued where it was interrupted', async () => {
    const all = entities(300);
    const server = await serve((request, response) =>
      offsetOf(request) < 99 ? sendPage(response, all, request) : (response.destroy() as never),
    );
    const rig = rigOf(server);
    const broken = await rig.read(CATALOG);
    expect(broken).toMatchObject({
      storedRows: 100,
      totalRows: 300,
      isComplete: false,
      refresh: { phase: 'failed' },
    });
    server.answer((request, response) => sendPage(response, all, request));
    expect(await rig.read(CATALOG)).toMatchObject({ storedRows: 300, isComplete: true });
    expect(offsets(server).slice(2)).toEqual([99, 199]);
  });

  describe('an impossible stated total', () => {
    const lying =
      (rows: number, total: number): Script =>
      (request, response) =>
        sendPage(response, entities(rows), request, { total });

    test('does not lengthen a list: it ends at its last page', async () => {
      const rig = rigOf(await serve(lying(120, 1e15)));
      expect(await rig.read(CATALOG)).toMatchObject({
        storedRows: 120,
        isComplete: true,
        isTotalWrong: true,
      });
      expect((await rig.rows(CATALOG)).matchingRows).toBe(120);
    });

    test('is not trusted before the end is known, nor once a page below it was empty', async () => {
      const rig = rigOf(await serve(lying(300, 1e15)));
      rig.settings.prefetchRows = 100;
      expect(await rig.read(CATALOG)).toMatchObject({
        storedRows: 100,
        isComplete: false,
        isTotalWrong: true,
      });
      expect((await rig.rows(CATALOG)).matchingRows).toBe(100);
      const believed = rigOf(await serve(lying(300, 5_000)));
      believed.settings.prefetchRows = 100;
      expect(await believed.read(CATALOG)).not.toHaveProperty('isTotalWrong');
      expect((await believed.rows(CATALOG)).matchingRows).toBe(5_000);
      const far = await believed.library.fetchRows({ viewId: 'view', query: CATALOG, offset: 4_000 });
      expect(await believed.settle(far)).toMatchObject({ storedRows: 100, isTotalWrong: true });
      expect((await believed.rows(CATALOG)).matchingRows).toBe(100);
      const next = await believed.library.fetchRows({ viewId: 'view', query: CATALOG, offset: 100 });
      expect(await believed.settle(next)).toMatchObject({ storedRows: 200, isComplete: false });
    });
  });

  describe('lists beyond the storage limit', () => {
    const NAMES = ['a', 'b', 'c', 'd'] as const;
    const named = (name: string): ListQuery => ({ ...CATALOG, path: { application_id: name } });
    const read = async (rig: LibraryRig, name: string, viewId: string) => {
      await rig.read(named(name), 'always', viewId);
      rig.aheadMs += 1_000;
    };
    /** Halves the limit, so that only half of the stored data fits. */
    const halve = (rig: LibraryRig) => {
      rig.settings.mostListBytes = Math.floor(statSync(rig.folder.file('library.db')).size / 2);
    };
    const stored = (rig: LibraryRig) =>
      NAMES.filter((name) => rig.store.lists.find(keyOf(CONNECTION_ID, named(name)))?.shown !== null);
    const heavy: Script = (request, response) =>
      sendPage(
        response,
        entities(100).map((entity) => ({ ...entity, note: 'x'.repeat(2_000) })),
        request,
      );

    test('the least recently used lists are evicted, which is shown and logged', async () => {
      const rig = rigOf(await serve(heavy));
      for (const name of NAMES) await read(rig, name, 'view');
      halve(rig);
      await read(rig, 'd', 'view');
      expect(stored(rig)).toEqual(['d']);
      const { freshness } = await rig.library.openList({ viewId: 'v', query: named('a'), refresh: 'never' });
      expect(freshness).toMatchObject({
        source: 'none',
        removed: { to: expect.stringMatching(/^[\d.]+ MB$/) },
        refresh: {
          phase: 'failed',
          error: { code: 'NOT_STORED', message: expect.stringMatching(/removed .* under/) },
        },
      });
      expect(rig.logged).toMatchObject([{ fields: { lists: 3, operations: 'catalog.list' } }]);
      expect(await rig.read(named('a'), 'always')).not.toHaveProperty('removed');
    });

    test('the 501st evicts nothing; beyond the stated number of lists the oldest is evicted, which is shown', async () => {
      const rig = rigOf(await serve(heavy));
      const fill = (from: number, to: number) => {
        for (let at = from; at < to; at += 1) {
          const query = named(`filled ${at}`);
          const list = rig.store.lists.open(keyOf(CONNECTION_ID, query), JSON.stringify(query));
          const rows = [{ identity: 'r', shownText: null, record: '{}', textId: null }];
          const page = { offset: 0, rows, total: 1, receivedAtMs: 1, requestId: 'r' };
          rig.store.lists.append(rig.store.lists.begin(list.id, true).id, page, true);
          rig.aheadMs += 10;
        }
      };
      const isStored = (name: string) =>
        rig.store.lists.find(keyOf(CONNECTION_ID, named(name)))?.shown !== null;
      fill(0, 500);
      await read(rig, 'a', 'view');
      expect(isStored('filled 0')).toBe(true);
      fill(500, MAX_LISTS);
      await read(rig, 'b', 'view');
      expect(['filled 0', 'filled 1', 'filled 2', 'filled 500'].map(isStored)).toEqual([
        false,
        false,
        true,
        true,
      ]);
      const query = named('filled 0');
      const { freshness } = await rig.library.openList({ viewId: 'v', query, refresh: 'never' });
      expect(freshness).toMatchObject({ source: 'none', removed: { to: `${MAX_LISTS} lists` } });
    });

    test('a list that a view has open stays, however long ago it was opened', async () => {
      const rig = rigOf(await serve(heavy));
      for (const name of NAMES) await read(rig, name, `view ${name}`);
      halve(rig);
      for (const name of ['c', 'd']) rig.library.release(`view ${name}`);
      await read(rig, 'd', 'view d');
      expect(stored(rig)).toEqual(['a', 'b', 'd']);
    });

    test('a list of an open tab that was not shown since the start stays too', async () => {
      const server = await serve(heavy);
      const folder = new DataFolder();
      const before = rigOf(server, { folder });
      await read(before, 'a', 'tab-t1.entities');
      await read(before, 'b', 'tab-t2.entities');
      await before.library.stop();
      const rig = rigOf(server, { folder });
      rig.aheadMs = 60_000;
      rig.openTabIds = ['t1'];
      for (const name of ['c', 'd']) await read(rig, name, 'view');
      halve(rig);
      await read(rig, 'd', 'view');
      expect(stored(rig)).toEqual(['a', 'd']);
      rig.openTabIds = [];
      rig.settings.mostListBytes = 1;
      await read(rig, 'd', 'view');
      expect(stored(rig)).toEqual(['d']);
    });
  });

  test('replaced data is deleted, and data left by a killed process too', async () => {
    const server = await serve((request, response) => sendPage(response, entities(250), request));
    const folder = new DataFolder();
    const rig = rigOf(server, { folder });
    await rig.read(CATALOG);
    await rig.read(CATALOG, 'always');
    await rig.read(CATALOG, 'always');
    const left = rig.store.lists.begin(
      rig.store.lists.find(
        (await rig.library.openList({ viewId: 'v', query: CATALOG, refresh: 'never' })).listKey,
      )?.id ?? 0,
      false,
    );
    rig.aheadMs = 16 * 60_000;
    await rig.read(CATALOG, 'always');
    await rig.library.stop();
    while (rig.store.lists.sweep(500) > 0);
    expect(rig.store.lists.generation(left.id)).toBeNull();
    const generations = [1, 2, 3, 4, 5].filter((id) => rig.store.lists.generation(id) !== null);
    expect(generations).toEqual([5]);
  });
});
