/** The engine as window and command line build it: real stores, real requests, a keychain that works in memory. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEngine, type Engine } from '../../electron/engine/engine.ts';
import type { Keychain } from '../../electron/platform/keychain.ts';
import { createFileLogger, type FileLogger } from '../../electron/platform/logger.ts';
import { type DataPaths, dataPaths } from '../../electron/platform/paths.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { Connection, ConnectionDraft, Freshness, ListQuery } from '../../electron/shared/model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { type Script, ScriptedServer, sendError, sendJson, sendPage } from '../helpers/scripted-server.ts';

const TOKEN = 'engine-token-0123456789';
const APPLICATIONS: ListQuery = { operation: 'applications.list', path: {}, query: {} };
const DAMAGE = 'This is no store of Spandeck. '.repeat(40);

let folder: DataFolder;
let paths: DataPaths;
let server: ScriptedServer;
let engine: Engine;
let logger: FileLogger;
let states: Freshness[];
let networks: string[];
let isLocked: boolean;
const kept = new Map<string, string>();

const answers: Script = (request, response) =>
  request.url.startsWith('/v3/server-info')
    ? sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data: { server_version: '1' } })
    : sendPage(response, [{ id: 'a', name: 'Support assistant' }], request);
const refuses: Script = (_request, response) => sendError(response, 401, 'The token is not valid.');

function keychain(): Keychain {
  const answer = <T>(value: T): Promise<T> =>
    isLocked ? Promise.reject(new AppError('KEYCHAIN_UNAVAILABLE', 'It is locked.')) : Promise.resolve(value);
  return {
    status: () => answer({ isAvailable: true, backend: 'stand-in', reason: '' }),
    read: (id) => answer(kept.get(id) ?? null),
    write: (id, token) => answer(undefined).then(() => void kept.set(id, token)),
    remove: (id) => answer(undefined).then(() => void kept.delete(id)),
    isBusy: () => false,
  };
}

function start(): Engine {
  engine = createEngine({
    paths,
    clock: systemClock,
    random: systemRandom,
    logger,
    keychain: keychain(),
    sampleWorkerUrl: new URL('../../electron/sample-service/service-worker.ts', import.meta.url),
    resumesUploads: true,
    checksStores: true,
    publish: (channel, payload) => {
      if (channel === 'library:list-changed' && 'state' in payload && 'listKey' in Object(payload.state)) {
        states.push((payload.state as { freshness: Freshness }).freshness);
      }
      if (channel === 'connections:network-changed' && 'sinceMs' in payload) networks.push(payload.state);
    },
  });
  return engine;
}

function draft(baseUrl: string, id: string | null = null): ConnectionDraft {
  return {
    id,
    name: 'Staging',
    baseUrl,
    colour: 'teal',
    isReadOnly: false,
    allowsPlainHttp: false,
    proxyUrl: null,
    extraCaFile: null,
    tokenStorage: 'keychain',
  };
}

/** Opens the list of applications and waits until nothing is read any more. */
async function read(connectionId: string, refresh: 'always' | 'never' = 'always'): Promise<Freshness> {
  const { library } = await engine.session(connectionId);
  states = [];
  const opened = await library.openList({ viewId: 'view', query: APPLICATIONS, refresh });
  if (opened.freshness.refresh.phase !== 'loading') return opened.freshness;
  await expect.poll(() => states.at(-1)?.refresh.phase).not.toBe('loading');
  await expect.poll(() => states.length).toBeGreaterThan(0);
  return states.at(-1) ?? opened.freshness;
}

async function readOnce(): Promise<Connection> {
  const connection = await engine.connections.save(draft(server.baseUrl), TOKEN);
  expect(await read(connection.id)).toMatchObject({ storedRows: 1, refresh: { phase: 'idle' } });
  return connection;
}

/** Lasts as long as one check of the file, whatever it finds. */
function checkedOnce(file: string): Promise<void> {
  return new Promise((resolve) => {
    const url = new URL('../../electron/db/check-worker.ts', import.meta.url);
    const thread = new Worker(url, { workerData: { file } });
    thread.once('error', () => undefined);
    thread.once('exit', () => resolve());
  });
}

beforeEach(async () => {
  folder = new DataFolder();
  paths = dataPaths(folder.path);
  logger = createFileLogger(paths.logsDir, systemClock);
  server = await ScriptedServer.start(answers);
  states = [];
  networks = [];
  isLocked = false;
  kept.clear();
  start();
});

afterEach(async () => {
  await engine.stop();
  await server[Symbol.asyncDispose]();
  logger.flushSync();
  folder[Symbol.dispose]();
});

test('a stored token is not sent to another address by test or save, whoever asks', async () => {
  const { id } = await readOnce();
  const elsewhere = await ScriptedServer.start(answers);
  await expect(engine.testConnection(draft(elsewhere.baseUrl, id), null)).rejects.toMatchObject({
    code: 'NO_TOKEN',
    message: expect.stringContaining(elsewhere.baseUrl),
  });
  await expect(engine.connections.save(draft(elsewhere.baseUrl, id), null)).rejects.toThrowError(AppError);
  expect(elsewhere.received).toEqual([]);
  await elsewhere.stop();
});

test('the library asks only what reads: no record can be opened by deleting it', async () => {
  const { id } = await readOnce();
  const { library } = await engine.session(id);
  const before = server.received.length;
  const query = { operation: 'applications.delete', path: { application_id: 'a' }, query: {} };
  for (const refresh of ['always', 'never'] as const) {
    await expect(library.openRecord({ viewId: 'v', query, refresh })).rejects.toThrowError(
      /not an operation that reads/,
    );
    await expect(library.openList({ viewId: 'v', query, refresh })).rejects.toThrowError(
      /not an operation that reads/,
    );
  }
  expect(server.received.length).toBe(before);
});

test('a token refused in the middle is said once, holds back what follows, and is tried again when a person asks', async () => {
  const { id } = await readOnce();
  const session = await engine.session(id);
  server.answer(refuses);
  const before = server.received.length;
  const calls = Array.from({ length: 60 }, (_, n) =>
    session.client
      .call('applications.get', { path: { application_id: `a${n}` } }, { priority: 'view' })
      .catch(({ code }) => code),
  );
  expect(new Set(await Promise.all(calls))).toEqual(new Set(['UNAUTHORIZED']));
  expect(networks.filter((state) => state === 'unauthorized')).toHaveLength(1);
  const sent = server.received.length - before;
  expect(sent).toBeLessThan(60);
  expect(await read(id)).toMatchObject({ storedRows: 1, refresh: { phase: 'failed' } });
  expect(server.received.length - before).toBe(sent);

  server.answer(answers);
  await session.askAgain();
  expect(await read(id)).toMatchObject({ storedRows: 1, refresh: { phase: 'idle' } });
  expect(networks.at(-1)).toBe('online');
});

test('a token from a keychain that is unlocked later is used without a restart', async () => {
  const { id } = await readOnce();
  await engine.stop();
  isLocked = true;
  start();
  expect(await read(id)).toMatchObject({
    storedRows: 1,
    refresh: {
      phase: 'failed',
      error: { code: 'NO_TOKEN', message: expect.stringContaining('It is locked.') },
    },
  });
  isLocked = false;
  const session = await engine.session(id);
  await session.askAgain();
  expect(await read(id)).toMatchObject({ refresh: { phase: 'idle' } });
  expect(engine.lanes(id).map(({ operation }) => operation)).toContain('GET /v3/applications');
});

test('a connection test takes permits of its lanes and is not held back by an earlier refusal', async () => {
  const { id } = await readOnce();
  server.answer(refuses);
  expect(await engine.testConnection(draft(server.baseUrl, id), null)).toMatchObject({
    code: 'UNAUTHORIZED',
  });
  server.answer(answers);
  expect(await engine.testConnection(draft(server.baseUrl, id), null)).toMatchObject({ isOk: true });
  const lane = engine.lanes(id).find(({ operation }) => operation === 'GET /v3/server-info');
  expect(lane?.windows.some(({ used }) => used > 0)).toBe(true);
});

test.each(['library', 'uploads'] as const)(
  'a damaged %s.db stays as it is, and the other half works',
  async (which) => {
    const { id } = await readOnce();
    await engine.stop();
    const file = which === 'library' ? paths.libraryDb(id) : paths.uploadsDb(id);
    writeFileSync(file, DAMAGE);
    start();
    const session = await engine.session(id);
    const refused = { code: 'STORE_DAMAGED', message: expect.stringContaining(`${which}.db is damaged`) };
    if (which === 'library') {
      await expect(read(id)).rejects.toMatchObject(refused);
      expect(session.uploads.listJobs()).toEqual([]);
      await session.client.list('applications.list', {}, { priority: 'click' });
    } else {
      expect(await read(id)).toMatchObject({ storedRows: 1, refresh: { phase: 'idle' } });
      expect(() => session.uploads.listJobs()).toThrowError(expect.objectContaining(refused));
    }
    expect(readFileSync(file, 'utf8')).toBe(DAMAGE);
  },
);

test('damage in the middle of a large store is found while it is used, and only that part is closed', async () => {
  const { id } = await readOnce();
  await engine.stop();
  const file = paths.libraryDb(id);
  const db = new BetterSqlite(file);
  db.exec('CREATE TABLE filler (text TEXT)');
  db.prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
    INSERT INTO filler SELECT hex(zeroblob(500)) FROM n`).run();
  db.close();
  const bytes = readFileSync(file);
  expect(bytes.length).toBeGreaterThan(8_000_000);
  bytes.fill(0x5a, 6_000_000, 6_050_000);
  writeFileSync(file, bytes);
  start();
  await expect
    .poll(() => read(id, 'never').catch(({ code }) => code), { timeout: 20_000 })
    .toBe('STORE_DAMAGED');
  const other = (await engine.session(id)).uploads;
  expect(other.listJobs()).toEqual([]);
  // As long as the check took at most: what works beside it is not closed again by a second finding.
  for (let turn = 0; turn < 3; turn += 1) {
    await checkedOnce(file);
    expect((await engine.session(id)).uploads).toBe(other);
  }
});

test('without a readable budget file nothing is sent, and what is stored is there', async () => {
  const { id } = await readOnce();
  await engine.stop();
  writeFileSync(paths.budgetDb, DAMAGE);
  start();
  const before = server.received.length;
  expect(await read(id)).toMatchObject({
    storedRows: 1,
    refresh: {
      phase: 'failed',
      error: { code: 'STORE_DAMAGED', message: expect.stringContaining('budget.db') },
    },
  });
  expect(await engine.testConnection(draft(server.baseUrl, id), null)).toMatchObject({
    code: 'STORE_DAMAGED',
  });
  expect(server.received.length).toBe(before);
  expect(readFileSync(paths.budgetDb, 'utf8')).toBe(DAMAGE);
});

test('a damaged spandeck.db is refused with what to do, untouched', async () => {
  await readOnce();
  await engine.stop();
  writeFileSync(paths.appDb, DAMAGE);
  expect(() => start()).toThrowError(/spandeck\.db is damaged: .* move spandeck\.db .* a new one is made/);
  expect(readFileSync(paths.appDb, 'utf8')).toBe(DAMAGE);
});

test('a certificate file that is gone keeps requests back, not what is stored', async () => {
  const { id } = await readOnce();
  const gone = { ...draft(server.baseUrl, id), extraCaFile: folder.file('gone.pem') };
  await engine.connections.save(gone, TOKEN);
  expect(await read(id)).toMatchObject({
    storedRows: 1,
    refresh: {
      phase: 'failed',
      error: { code: 'INVALID_ARGUMENT', message: expect.stringContaining('gone.pem') },
    },
  });
});

test('a token in a path is neither sent nor kept', async () => {
  const { id } = await readOnce();
  const { client, requestLog } = await engine.session(id);
  const before = server.received.length;
  await expect(
    client.request({ method: 'GET', path: `/v3/applications/${TOKEN}` }, { priority: 'click' }),
  ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: expect.not.stringContaining(TOKEN) });
  expect(server.received.length).toBe(before);
  expect(JSON.stringify(requestLog.list({ limit: 10, beforeMs: null }))).not.toContain(TOKEN);
});

test('forgetting while views still ask leaves no folder behind', async () => {
  const { id } = await readOnce();
  const forgetting = engine.connections.forget(id);
  await expect(engine.session(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await forgetting;
  expect(existsSync(paths.connectionDir(id))).toBe(false);
});

test('the sample workspace that is asked for twice at once is saved once', async () => {
  const [first, second] = await Promise.all([engine.openSample(), engine.openSample()]);
  expect(second.id).toBe(first.id);
  expect(engine.connections.list().connections.map(({ kind }) => kind)).toEqual(['sample']);
});
