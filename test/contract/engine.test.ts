/** The engine as the window and the command line create it: real stores, real requests, a keychain in memory. */
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { APPLICATIONS, applicationAnswers, draft, ENGINE_TOKEN, engineRig } from '../helpers/engine-rig.ts';
import { type Script, ScriptedServer, sendError, sendPage } from '../helpers/scripted-server.ts';
import { giveSample } from '../helpers/workspaces.ts';

const refuses: Script = (_request, response) => sendError(response, 401, 'The token is not valid.');
const currentRig = engineRig();

test('neither test nor save sends a stored token to another address, for any caller', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const elsewhere = await ScriptedServer.start(applicationAnswers);
  await expect(rig.engine.testConnection(draft(elsewhere.baseUrl, id), null)).rejects.toMatchObject({
    code: 'NO_TOKEN',
    message: expect.stringContaining(elsewhere.baseUrl),
  });
  await expect(rig.engine.connections.save(draft(elsewhere.baseUrl, id), null)).rejects.toThrowError(
    AppError,
  );
  expect(elsewhere.received).toEqual([]);
  await elsewhere.stop();
});

test('a start that fails leaves no store open, so that it can be tried again', async () => {
  const rig = currentRig();
  await rig.engine.stop();
  const { connectionsDir, appDb } = rig.paths;
  rmSync(connectionsDir, { recursive: true, force: true });
  writeFileSync(connectionsDir, 'A file in place of the folder.');
  expect(() => rig.start()).toThrow();
  const db = new BetterSqlite(appDb);
  // The journal mode can be changed only if no other connection has the store open.
  expect(db.pragma('journal_mode = DELETE', { simple: true })).toBe('delete');
  db.close();
  rmSync(connectionsDir);
  rig.engine = rig.start();
  expect(rig.engine.connections.list().connections).toEqual([]);
});

test('after the computer has woken the service is probed at once', async () => {
  const rig = currentRig();
  await rig.readOnce();
  const before = rig.server.received.length;
  rig.engine.lookAtServices();
  await expect
    .poll(() => rig.server.received.slice(before).map(({ url }) => url))
    .toEqual(['/v3/server-info']);
});

test('the library sends only reads: no record can be opened by deleting it', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const { library } = await rig.engine.session(id);
  const before = rig.server.received.length;
  const query = { operation: 'applications.delete', path: { application_id: 'a' }, query: {} };
  for (const refresh of ['always', 'never'] as const) {
    await expect(library.openRecord({ viewId: 'v', query, refresh })).rejects.toThrowError(
      /not an operation that reads/,
    );
    await expect(library.openList({ viewId: 'v', query, refresh })).rejects.toThrowError(
      /not an operation that reads/,
    );
  }
  expect(rig.server.received.length).toBe(before);
});

test('access keys that are rejected alone leave the token as it is', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const session = await rig.engine.session(id);
  rig.server.answer((request, response) =>
    request.url.startsWith('/v3/user-access-keys')
      ? refuses(request, response)
      : applicationAnswers(request, response),
  );
  const list = session.client.list('access-keys.list', {}, { priority: 'view' });
  await expect(list).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  const call = { path: { application_id: 'a' } };
  await session.client.call('applications.get', call, { priority: 'view' }).catch(({ code }) => {
    expect(code).not.toBe('UNAUTHORIZED');
  });
  expect(rig.networks).not.toContain('unauthorized');
});

test('a token rejected midway is reported once, blocks further requests, and is retried when the user asks', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const session = await rig.engine.session(id);
  rig.server.answer(refuses);
  const before = rig.server.received.length;
  const calls = Array.from({ length: 60 }, (_, n) =>
    session.client
      .call('applications.get', { path: { application_id: `a${n}` } }, { priority: 'view' })
      .catch(({ code }) => code),
  );
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['UNAUTHORIZED']));
  expect(rig.networks.filter((state) => state === 'unauthorized')).toHaveLength(1);
  const sent = rig.server.received.length - before;
  expect(sent).toBeLessThan(60);
  expect(await rig.read(id)).toMatchObject({ storedRows: 1, refresh: { phase: 'failed' } });
  expect(rig.server.received.length - before).toBe(sent);

  rig.server.answer(applicationAnswers);
  await session.askAgain();
  expect(await rig.read(id)).toMatchObject({ storedRows: 1, refresh: { phase: 'idle' } });
  expect(rig.networks.at(-1)).toBe('online');
});

test('while the keychain asks the user, stored data can be read and requests wait for the token', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  rig.permission = Promise.withResolvers<void>();
  rig.start();
  const session = await rig.engine.session(id);
  const opened = await session.library.openList({ viewId: 'view', query: APPLICATIONS, refresh: 'never' });
  expect(opened.freshness).toMatchObject({ storedRows: 1 });
  const before = rig.server.received.length;
  const end = new AbortController();
  const given = session.client.call('server-info.get', {}, { priority: 'view', signal: end.signal });
  end.abort();
  await expect(given).rejects.toMatchObject({ code: 'CANCELLED' });
  const waiting = session.client.call('server-info.get', {}, { priority: 'view' });
  expect(rig.server.received.length).toBe(before);
  expect(rig.networks.at(-1)).not.toBe('unauthorized');
  rig.permission.resolve();
  expect(await waiting).toMatchObject({ status: 200 });
  expect(rig.server.received.at(-1)?.headers.authorization).toBe(`Bearer ${ENGINE_TOKEN}`);
});

test('a token from a keychain that is unlocked later is used without a restart', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  rig.isLocked = true;
  rig.start();
  expect(await rig.read(id)).toMatchObject({
    storedRows: 1,
    refresh: {
      phase: 'failed',
      error: { code: 'NO_TOKEN', message: expect.stringContaining('It is locked.') },
    },
  });
  rig.isLocked = false;
  const session = await rig.engine.session(id);
  await session.askAgain();
  expect(await rig.read(id)).toMatchObject({ refresh: { phase: 'idle' } });
  expect(rig.engine.traffic.lanes(id).lanes.map(({ operation }) => operation)).toContain(
    'GET /v3/applications',
  );
});

test('a keychain that was unlocked after the start is asked again before the first request', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  rig.isLocked = true;
  rig.start();
  const session = await rig.engine.session(id);
  rig.isLocked = false;
  await session.askAgain();
  expect(await rig.read(id)).toMatchObject({ refresh: { phase: 'idle' } });
});

test('a connection test takes permits of its lanes and is not blocked by an earlier rejection', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  rig.server.answer(refuses);
  expect(await rig.engine.testConnection(draft(rig.server.baseUrl, id), null)).toMatchObject({
    code: 'UNAUTHORIZED',
  });
  rig.server.answer(applicationAnswers);
  expect(await rig.engine.testConnection(draft(rig.server.baseUrl, id), null)).toMatchObject({ isOk: true });
  const lane = rig.engine.traffic
    .lanes(id)
    .lanes.find(({ operation }) => operation === 'GET /v3/server-info');
  expect(lane?.windows.some(({ used }) => used > 0)).toBe(true);
});

test('a missing certificate file blocks requests, not stored data', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const gone = { ...draft(rig.server.baseUrl, id), extraCaFile: rig.folder.file('gone.pem') };
  await rig.engine.connections.save(gone, ENGINE_TOKEN);
  expect(await rig.read(id)).toMatchObject({
    storedRows: 1,
    refresh: {
      phase: 'failed',
      error: { code: 'INVALID_ARGUMENT', message: expect.stringContaining('gone.pem') },
    },
  });
});

test('a token in a path is neither sent nor stored', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const { client, requestLog } = await rig.engine.session(id);
  const before = rig.server.received.length;
  await expect(
    client.request({ method: 'GET', path: `/v3/applications/${ENGINE_TOKEN}` }, { priority: 'click' }),
  ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.not.stringContaining(ENGINE_TOKEN) });
  expect(rig.server.received.length).toBe(before);
  expect(JSON.stringify(requestLog.list({ limit: 10, beforeSeq: null }))).not.toContain(ENGINE_TOKEN);
});

test('removing a connection while views still send requests leaves no folder', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const forgetting = rig.engine.connections.forget(id);
  await expect(rig.engine.session(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await forgetting;
  // The views are closed last.
  rig.engine.releaseView(id, 'view');
  await expect(rig.engine.session(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(existsSync(rig.paths.connectionDir(id))).toBe(false);
});

test('work offline is still on after a restart: nothing is sent, stored data can be read', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.setOffline(true);
  await rig.engine.stop();
  const sent = rig.server.received.length;
  rig.start();
  expect(await rig.read(id)).toMatchObject({
    storedRows: 1,
    refresh: { phase: 'failed', error: { code: 'OFFLINE' } },
  });
  expect(rig.server.received).toHaveLength(sent);
  await rig.engine.setOffline(false);
  await rig.read(id);
  expect(rig.server.received.length).toBeGreaterThan(sent);
});

test.each([
  { setting: 'always', left: false, now: true },
  { setting: 'never', left: true, now: false },
  { setting: 'as-left', left: true, now: true },
] as const)(
  'Start offline, $setting: was $left when it was quit, is $now',
  async ({ setting, left, now }) => {
    const rig = currentRig();
    const { id } = await rig.readOnce();
    rig.engine.saveSettings({ offlineAtStart: setting });
    await rig.engine.setOffline(left);
    await rig.engine.stop();
    const sent = rig.server.received.length;
    rig.start();
    expect(rig.engine.readSettings().worksOffline).toBe(now);
    await rig.read(id);
    expect(rig.server.received.length > sent).toBe(!now);
  },
);

test('the sample service has the same token and address after a restart: the use of the day still counts', async () => {
  const rig = currentRig();
  giveSample(rig.folder.path);
  const first = await rig.engine.openSample();
  const deleteEvents = async (id: string) => {
    const { client, uploads } = await rig.engine.session(id);
    const body = { model_id: '00000000-0000-4000-8000-000000000001', event_ids: ['e'] };
    await client.call('events.delete', { body }, { priority: 'click' }).catch(() => null);
    return uploads.listDeletions().budget.usedToday;
  };
  expect(await deleteEvents(first.id)).toBe(1);
  await rig.engine.stop();
  rig.start();
  const second = await rig.engine.openSample();
  expect(second).toMatchObject({ id: first.id, baseUrl: first.baseUrl, tokenStorage: 'keychain' });
  expect(await deleteEvents(first.id)).toBe(2);
});

test('the sample service starts if its previous port is taken, and if the keychain is locked', async () => {
  const rig = currentRig();
  giveSample(rig.folder.path);
  const first = await rig.engine.openSample();
  await rig.engine.stop();
  const { port } = new URL(first.baseUrl);
  const other = createServer().listen(Number(port), '127.0.0.1');
  await once(other, 'listening');
  rig.isLocked = true;
  rig.start();
  const second = await rig.engine.openSample();
  expect(second.id).toBe(first.id);
  expect(second.baseUrl).not.toBe(first.baseUrl);
  const { client } = await rig.engine.session(second.id);
  await client.call('server-info.get', {}, { priority: 'click' });
  other.close();
});

test('requests to a stopped sample service are rejected by that name, and answered once it runs', async () => {
  const rig = currentRig();
  giveSample(rig.folder.path);
  const { id } = await rig.engine.openSample();
  const { client, network } = await rig.engine.session(id);
  const ask = () => client.call('server-info.get', {}, { priority: 'click' });
  await ask();
  await rig.engine.setSampleRunning(false);
  await expect(ask()).rejects.toMatchObject({ code: 'SAMPLE_STOPPED', details: { outcome: 'unsent' } });
  await expect
    .poll(() => network.state())
    .toMatchObject({ state: 'unreachable', error: { code: 'SAMPLE_STOPPED' } });
  await rig.engine.setSampleRunning(true);
  await ask();
  await expect.poll(() => network.state().state).toBe('online');
});

test('a sample service that starts with its session, and not by a button, is shown as running', async () => {
  const rig = currentRig();
  giveSample(rig.folder.path);
  const { id } = await rig.engine.openSample();
  await rig.engine.stop();
  rig.start();
  expect(rig.engine.connections.list().isSampleRunning).toBe(false);
  rig.sampleRuns.length = 0;
  await rig.engine.session(id);
  expect(rig.sampleRuns.at(-1)).toBe(true);
});

test('a sample workspace requested twice at once is saved once', async () => {
  const rig = currentRig();
  const [first, second] = await Promise.all([rig.engine.openSample(), rig.engine.openSample()]);
  expect(second.id).toBe(first.id);
  expect(rig.engine.connections.list().connections.map(({ kind }) => kind)).toEqual(['sample']);
});

test('the sample workspace offers its file with problems, also while its service is stopped; no other connection does', async () => {
  const rig = currentRig();
  giveSample(rig.folder.path);
  const { id } = await rig.engine.openSample();
  const offered = [{ name: 'bank_bad.csv', packed: null, error: null }];
  expect(await rig.engine.offerSampleFile(id)).toMatchObject(offered);
  await rig.engine.setSampleRunning(false);
  expect(await rig.engine.offerSampleFile(id)).toMatchObject(offered);
  const { id: other } = await rig.readOnce();
  await expect(rig.engine.offerSampleFile(other)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  await expect(rig.engine.offerSampleFile('00000000-0000-4000-8000-000000000000')).rejects.toThrow();
});

test('two connections to one service with two tokens share no row and no counter', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  // A caller with the other token sees other applications.
  rig.server.answer((request, response) =>
    request.headers.authorization === `Bearer ${ENGINE_TOKEN}`
      ? applicationAnswers(request, response)
      : sendPage(
          response,
          [
            { id: 'b', name: 'Loans' },
            { id: 'c', name: 'Claims' },
          ],
          request,
        ),
  );
  const other = await rig.engine.connections.save(draft(rig.server.baseUrl), 'other-token-9876543210');
  expect(await rig.read(other.id, 'never')).toMatchObject({ storedRows: 0, source: 'none' });
  const used = (connectionId: string) =>
    rig.engine.traffic
      .lanes(connectionId)
      .lanes.filter(({ operation }) => operation === 'GET /v3/applications')
      .flatMap(({ windows }) => windows.map((window) => window.used));
  await rig.engine.session(other.id);
  const before = used(id);
  expect(Math.max(...before)).toBeGreaterThan(0);
  expect(Math.max(0, ...used(other.id))).toBe(0);
  expect(await rig.read(other.id)).toMatchObject({ storedRows: 2 });
  expect(Math.max(...used(other.id))).toBe(1);
  expect(await rig.read(id, 'never')).toMatchObject({ storedRows: 1 });
  const names = async (connectionId: string) =>
    (await (await rig.engine.session(connectionId)).library.readStored(APPLICATIONS, 0, 10)).map(
      ({ record }) => record['name'],
    );
  expect(await names(id)).toEqual(['Support assistant']);
  expect(await names(other.id)).toEqual(['Loans', 'Claims']);
});
