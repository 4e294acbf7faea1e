/** The offline library when the service is unreachable, the view is closed, or the process ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { Freshness, ListQuery } from '../../electron/shared/model.ts';
import { CATALOG, catalogBench, entities, offsetOf } from '../helpers/catalog-lists.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { sendPage } from '../helpers/scripted-server.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const { serve, rigOf } = catalogBench();

describe('the library without the service', () => {
  test('seen data is still shown, with its age and the reason', async () => {
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

  test('data never seen is empty with the reason; with the switch nothing is sent', async () => {
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

  test('a list and a record of a new range name the earlier range that is stored', async () => {
    const server = await serve((request, response) =>
      sendPage(
        response,
        entities(5).map((each) => ({ ...each, id: each['name'] })),
        request,
      ),
    );
    const rig = rigOf(server);
    const range = (day: number) => ({
      start_time: `2026-03-0${day}T00:00:00Z`,
      end_time: `2026-03-0${day + 1}T00:00:00Z`,
    });
    const records = (day: number): ListQuery => ({
      operation: 'alert-rules.records',
      path: { alert_id: 'a' },
      query: range(day),
    });
    const history = (day: number): ListQuery => ({ ...records(day), operation: 'alert-rules.history' });
    const open = (day: number) =>
      rig.library.openRecord({ viewId: 'v', query: history(day), refresh: 'never' });
    for (const day of [1, 3]) await rig.read(records(day));
    await rig.library.openRecord({ viewId: 'v', query: history(3), refresh: 'always' });
    await rig.until(() => rig.records.at(-1)?.freshness.refresh.phase === 'idle');
    rig.clientRig.switches.isOffline = true;
    const storedRange = { startMs: Date.UTC(2026, 2, 3), endMs: Date.UTC(2026, 2, 4) };
    expect(await rig.read(records(5))).toMatchObject({ source: 'none', storedRange });
    expect((await open(5)).freshness).toMatchObject({ source: 'none', storedRange });
    expect(await rig.read(records(3))).not.toHaveProperty('storedRange');
    expect((await open(3)).freshness).not.toHaveProperty('storedRange');
  });

  test('a read that waits for the service ends with the reason and restarts on wake', async () => {
    const all = entities(300);
    const server = await serve((request, response) => {
      // The second page never arrives.
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

  test('a read that was cancelled for the missing service, and has not ended when it is back, begins again', async () => {
    const all = entities(300);
    const server = await serve(() => undefined);
    const rig = rigOf(server);
    const record: ListQuery = {
      operation: 'catalog.values',
      path: CATALOG.path,
      query: { entity_type: 'attribute', name: 'a' },
    };
    await rig.library.openList({ viewId: 'view', query: CATALOG, refresh: 'if-stale' });
    await rig.library.openRecord({ viewId: 'other view', query: record, refresh: 'if-stale' });
    rig.library.suspend(new AppError('CONNECTION_LOST', 'The service cannot be reached.'));
    server.answer((request, response) => sendPage(response, all, request));
    // Another request was answered before the cancelled ones ended.
    rig.library.wake();
    const ended = ({ freshness }: { freshness: Freshness }) => freshness.refresh.phase !== 'loading';
    await rig.until(() => rig.lists.some(ended) && rig.records.some(ended));
    expect(rig.lists.find(ended)?.freshness).toMatchObject({ isComplete: true, refresh: { phase: 'idle' } });
    expect(rig.records.find(ended)?.freshness).toMatchObject({ refresh: { phase: 'idle' } });
  });
});

describe('a view that closes', () => {
  test('cancels its waiting requests, keeps received rows, and receives no more events', async () => {
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

  test('does not cancel requests that another view waits for', async () => {
    const server = await serve((request, response) => sendPage(response, entities(300), request));
    const rig = rigOf(server);
    await rig.library.openList({ viewId: 'a', query: CATALOG, refresh: 'if-stale' });
    const second = await rig.library.openList({ viewId: 'b', query: CATALOG, refresh: 'if-stale' });
    rig.library.release('a');
    expect(await rig.settle(second)).toMatchObject({ isComplete: true, storedRows: 300 });
    expect(server.received).toHaveLength(3);
  });
});

test('invalid queries are rejected', async () => {
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

test('a process killed during a refresh leaves a store that opens with the previous rows', async () => {
  const all = entities(400);
  const folder = new DataFolder();
  let isHanging = false;
  let reached: () => void = () => undefined;
  const isReached = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const server = await serve((request, response) => {
    if (isHanging && offsetOf(request) === 199) return reached();
    sendPage(response, all, request);
  });
  const rig = rigOf(server, { folder });
  await rig.read(CATALOG);
  isHanging = true;
  const script = join(import.meta.dirname, '../helpers/refresh-forever.ts');
  const child = spawn(process.execPath, [script, server.baseUrl, folder.path, JSON.stringify(CATALOG)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await isReached;
  child.kill('SIGKILL');
  await once(child, 'close');
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
