/** The offline library against real servers: what is shown, when, and what a failure leaves. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { LibraryRig } from '../helpers/library-rig.ts';
import {
  type Received,
  type Script,
  ScriptedServer,
  sendError,
  sendPage,
} from '../helpers/scripted-server.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const CATALOG: ListQuery = {
  operation: 'catalog.list',
  path: { application_id: 'app' },
  query: { entity_type: 'attribute' },
};

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

function entities(count: number, from = 0, prefix = 'entity'): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${prefix}_${String(from + index).padStart(5, '0')}`,
    semantic_name: index % 3 === 0 ? 'input_tokens' : 'UNKNOWN',
    data_type: index % 2 === 0 ? 'numeric' : 'string',
    first_seen: '2025-01-01T00:00:00Z',
    row_count: (index * 7) % 100,
  }));
}

async function serve(script: Script): Promise<ScriptedServer> {
  const server = await ScriptedServer.start(script);
  cleanUps.push(async () => server[Symbol.asyncDispose]());
  return server;
}

function rigOf(
  server: ScriptedServer,
  options: ConstructorParameters<typeof LibraryRig>[1] = {},
): LibraryRig {
  const rig = new LibraryRig(server.baseUrl, options);
  cleanUps.push(async () => rig[Symbol.asyncDispose]());
  return rig;
}

const offsets = (server: ScriptedServer) =>
  server.received.map(({ url }) => Number(new URL(url, 'http://x').searchParams.get('offset')));
const offsetOf = (request: Received) => Number(new URL(request.url, 'http://x').searchParams.get('offset'));

describe('a first reading', () => {
  test('fetches page after page and is seen as it arrives', async () => {
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
    expect(offsets(server)).toEqual([0, 100, 200, 300, 400]);
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

  test('steps by the rows that came, whatever the service makes of the limit', async () => {
    const all = entities(95);
    const server = await serve((request, response) => sendPage(response, all, request, { cap: 30 }));
    const rig = rigOf(server);
    expect(await rig.read(CATALOG)).toMatchObject({ storedRows: 95, isComplete: true });
    expect(offsets(server)).toEqual([0, 30, 60, 90]);
  });

  test('ends at an empty page where no total is stated', async () => {
    const all = entities(150);
    const server = await serve((request, response) => {
      const items = all.slice(offsetOf(request), offsetOf(request) + 100);
      response.end(JSON.stringify({ api_version: '3.0', data: { items } }));
    });
    const rig = rigOf(server);
    expect(await rig.read(CATALOG)).toMatchObject({ storedRows: 150, totalRows: null, isComplete: true });
    expect(offsets(server)).toEqual([0, 100, 150]);
  });

  test('of an empty list is whole at once', async () => {
    const server = await serve((request, response) => sendPage(response, [], request));
    const rig = rigOf(server);
    expect(await rig.read(CATALOG)).toMatchObject({
      source: 'stored',
      storedRows: 0,
      totalRows: 0,
      isComplete: true,
    });
  });

  test('ends where a service ignores the offset', async () => {
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

  test('stops at the rows that are fetched without being asked for; scrolling goes on from there', async () => {
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
    rig.settings.prefetchRows = 20_000;
    expect(await rig.read(CATALOG)).toMatchObject({
      storedRows: 1_000,
      isComplete: true,
      hasMovedWhileRead: false,
    });
    expect(await rig.column(CATALOG, 'name')).toEqual(all.map(({ name }) => name));
  });

  test('that moves meanwhile loses no row twice and says so', async () => {
    let all = entities(300);
    const server = await serve((request, response) => {
      sendPage(response, all, request);
      // A new entity sorts in front: everything after it moves by one.
      if (offsetOf(request) === 100) all = [...entities(1, 99_999, 'aaa'), ...all];
    });
    const rig = rigOf(server);
    expect(await rig.read(CATALOG)).toMatchObject({
      storedRows: 300,
      totalRows: 301,
      isComplete: true,
      hasMovedWhileRead: true,
    });
    const names = await rig.column(CATALOG, 'name');
    expect(new Set(names).size).toBe(300);
  });

  test('keeps two entities of one name that are of different types', async () => {
    const twins = [
      { name: 'x', first_seen: '2025-01-01T00:00:00Z' },
      { name: 'x', first_seen: '2025-02-01T00:00:00Z' },
    ];
    const server = await serve((request, response) => sendPage(response, twins, request));
    expect(await rigOf(server).read(CATALOG)).toMatchObject({ storedRows: 2, hasMovedWhileRead: false });
  });
});

describe('a list that is stored', () => {
  test('comes back without a request while it is fresh, in another process too', async () => {
    const server = await serve((request, response) => sendPage(response, entities(50), request));
    const folder = new DataFolder();
    const first = rigOf(server, { folder });
    await first.read(CATALOG);
    const second = rigOf(server, { folder });
    const opened = await second.library.openList({ viewId: 'v', query: CATALOG, refresh: 'if-stale' });
    expect(opened.freshness).toMatchObject({ storedRows: 50, isStale: false, refresh: { phase: 'idle' } });
    expect(server.received).toHaveLength(1);
  });

  test('is the same list however its parameters are written', async () => {
    const server = await serve((request, response) => sendPage(response, entities(5), request));
    const rig = rigOf(server);
    await rig.read({ ...CATALOG, query: { entity_type: 'attribute', search: '', data_type: 'numeric' } });
    await rig.read({ ...CATALOG, query: { data_type: 'numeric', entity_type: 'attribute' } });
    expect(server.received).toHaveLength(1);
  });

  test('is refreshed when it is stale, neither shrinking nor mixing on the way', async () => {
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

  test('stays as it is when its refresh fails half way, and says why', async () => {
    const all = entities(300);
    const server = await serve((request, response) => sendPage(response, all, request));
    const rig = rigOf(server);
    await rig.read(CATALOG);
    server.answer((request, response) =>
      offsetOf(request) < 100
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

  test('of which only a part is there goes on where it broke off', async () => {
    const all = entities(300);
    const server = await serve((request, response) =>
      offsetOf(request) < 100 ? sendPage(response, all, request) : (response.destroy() as never),
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
    expect(offsets(server).slice(2)).toEqual([100, 200]);
  });

  test('what was replaced is deleted, and what a killed process left too', async () => {
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

describe('without the service', () => {
  test('what was seen still is, with its age and the reason', async () => {
    const server = await serve((request, response) => sendPage(response, entities(50), request));
    const rig = rigOf(server);
    await rig.read(CATALOG);
    await server.stop();
    const cut = await rig.read(CATALOG, 'always');
    expect(cut).toMatchObject({
      storedRows: 50,
      isComplete: true,
      refresh: { phase: 'failed', error: { code: 'CONNECTION_REFUSED' } },
    });
    expect((await rig.rows(CATALOG)).rows).toHaveLength(50);
    await server.listen();
    rig.library.wake();
    await rig.until(() => rig.lists.at(-1)?.freshness.refresh.phase === 'idle');
    expect(rig.lists.at(-1)?.freshness).toMatchObject({ storedRows: 50, isComplete: true });
  });

  test('what was never seen is empty and says so; with the switch nothing is sent', async () => {
    const server = await serve((request, response) => sendPage(response, entities(5), request));
    const rig = rigOf(server);
    rig.clientRig.switches.isOffline = true;
    const switched = await rig.read(CATALOG);
    expect(switched).toMatchObject({
      source: 'none',
      storedRows: 0,
      refresh: { phase: 'failed', error: { code: 'OFFLINE' } },
    });
    expect(await rig.rows(CATALOG)).toEqual({ rows: [], matchingRows: 0 });
    const never = await rig.read({ ...CATALOG, path: { application_id: 'other' } }, 'never');
    expect(never).toMatchObject({
      source: 'none',
      refresh: { phase: 'failed', error: { code: 'NOT_STORED' } },
    });
    expect(server.received).toEqual([]);
  });

  test('a reading that waits for the service ends with the reason and begins anew on wake', async () => {
    const all = entities(300);
    const server = await serve((request, response) => {
      // The second page never comes.
      if (offsetOf(request) === 0) sendPage(response, all, request);
    });
    const rig = rigOf(server);
    const opened = await rig.library.openList({ viewId: 'view', query: CATALOG, refresh: 'if-stale' });
    await rig.until(() => rig.lists.at(-1)?.freshness.storedRows === 100);
    rig.library.suspend(new AppError('CONNECTION_LOST', 'The service cannot be reached.'));
    expect(await rig.settle(opened)).toMatchObject({
      storedRows: 100,
      refresh: { phase: 'failed', error: { code: 'CONNECTION_LOST' } },
    });
    server.answer((request, response) => sendPage(response, all, request));
    rig.library.wake();
    await rig.until(() => rig.lists.at(-1)?.freshness.isComplete === true);
    expect(await rig.column(CATALOG, 'name')).toHaveLength(300);
  });
});

describe('a view that closes', () => {
  test('cancels what waits for it, keeps what came, and hears nothing any more', async () => {
    const all = entities(300);
    const server = await serve((request, response) => {
      if (offsetOf(request) === 0) sendPage(response, all, request);
    });
    const rig = rigOf(server);
    await rig.library.openList({ viewId: 'a', query: CATALOG, refresh: 'if-stale' });
    await rig.library.openList({ viewId: 'b', query: CATALOG, refresh: 'if-stale' });
    await rig.until(() => server.received.length === 2 || rig.lists.at(-1)?.freshness.storedRows === 100);
    rig.library.release('a');
    const heard = rig.lists.length;
    rig.library.release('b');
    await rig.library.stop();
    expect(rig.lists.length).toBeLessThanOrEqual(heard + 1);
    expect((await rig.rows(CATALOG)).rows).toHaveLength(100);
    expect(rig.clientRig.log.at(-1)?.errorCode).toBe('CANCELLED');
  });

  test('does not cancel what another view waits for', async () => {
    const server = await serve((request, response) => sendPage(response, entities(300), request));
    const rig = rigOf(server);
    await rig.library.openList({ viewId: 'a', query: CATALOG, refresh: 'if-stale' });
    const second = await rig.library.openList({ viewId: 'b', query: CATALOG, refresh: 'if-stale' });
    rig.library.release('a');
    expect(await rig.settle(second)).toMatchObject({ isComplete: true, storedRows: 300 });
    expect(server.received).toHaveLength(3);
  });
});

test('queries that are none are refused', async () => {
  const server = await serve((request, response) => sendPage(response, [], request));
  const rig = rigOf(server);
  const refused = { code: 'INVALID_ARGUMENT' };
  await expect(rig.read({ ...CATALOG, operation: 'catalog.destroy' })).rejects.toMatchObject(refused);
  await expect(rig.read({ ...CATALOG, query: { offset: '10' } })).rejects.toMatchObject(refused);
  const missing = await rig.read({ ...CATALOG, path: {} });
  expect(missing.refresh).toMatchObject({ phase: 'failed', error: refused });
});

test('single records are read through like lists', async () => {
  let name = 'First';
  const server = await serve(
    (_request, response) =>
      response.end(
        JSON.stringify({ api_version: '3.0', kind: 'NORMAL', data: { id: 'a', name, extra: [1] } }),
      ) as never,
  );
  const rig = rigOf(server);
  const query: ListQuery = { operation: 'applications.get', path: { application_id: 'a' }, query: {} };
  const open = (refresh: 'if-stale' | 'always' | 'never') =>
    rig.library.openRecord({ viewId: 'v', query, refresh });
  expect((await open('never')).freshness.refresh).toMatchObject({
    phase: 'failed',
    error: { code: 'NOT_STORED' },
  });
  expect(await open('if-stale')).toMatchObject({
    record: null,
    freshness: { refresh: { phase: 'loading' } },
  });
  await rig.until(() => rig.records.length === 1);
  expect(rig.records[0]).toMatchObject({
    record: { id: 'a', name: 'First', extra: [1] },
    freshness: { source: 'stored', isComplete: true, refresh: { phase: 'idle' } },
  });
  name = 'Second';
  expect((await open('if-stale')).record).toMatchObject({ name: 'First' });
  await open('always');
  await rig.until(() => rig.records.length === 2);
  expect(rig.records[1]?.record).toMatchObject({ name: 'Second' });
  await server.stop();
  await open('always');
  await rig.until(() => rig.records.length === 3);
  expect(rig.records[2]).toMatchObject({
    record: { name: 'Second' },
    freshness: { refresh: { phase: 'failed' } },
  });
});

test('a process that is killed during a refresh leaves a store that opens and shows the rows from before', async () => {
  const all = entities(400);
  const folder = new DataFolder();
  let isHanging = false;
  let reached: () => void = () => undefined;
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const server = await serve((request, response) => {
    if (isHanging && offsetOf(request) === 200) return reached();
    sendPage(response, all, request);
  });
  const rig = rigOf(server, { folder });
  await rig.read(CATALOG);
  isHanging = true;
  const script = join(import.meta.dirname, '../helpers/refresh-forever.ts');
  const child = spawn(process.execPath, [script, server.baseUrl, folder.path, JSON.stringify(CATALOG)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  await isReached;
  child.kill('SIGKILL');
  await once(child, 'close');
  lines.close();
  const store = openLibraryStore({
    file: folder.file('library.db'),
    clock: systemClock,
    logger: silentLogger,
  });
  store.close();
  expect(await rig.read(CATALOG, 'never')).toMatchObject({ storedRows: 400, isComplete: true });
  expect(await rig.column(CATALOG, 'name')).toEqual(all.map(({ name }) => name));
  isHanging = false;
  expect(await rig.read(CATALOG, 'always')).toMatchObject({
    storedRows: 400,
    isComplete: true,
    refresh: { phase: 'idle' },
  });
});
