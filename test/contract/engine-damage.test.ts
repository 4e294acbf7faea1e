/** Damaged stores: each is rejected with a next step and stays unchanged, and everything else works. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { privateFieldsOf } from '../../electron/shared/private-fields.ts';
import { draft, engineRig } from '../helpers/engine-rig.ts';

const DAMAGE = 'This is not a store of Spandeck. '.repeat(40);
const MODEL = '00000000-0000-4000-8000-000000000001';
const currentRig = engineRig();

/** Resolves after the time that one check of the file takes, whatever its result. */
function checkedOnce(file: string): Promise<void> {
  return new Promise((resolve) => {
    const url = new URL('../../electron/db/check-worker.ts', import.meta.url);
    const thread = new Worker(url, { workerData: { file } });
    thread.once('error', () => undefined);
    thread.once('exit', () => resolve());
  });
}

test.each(['library', 'uploads'] as const)(
  'a damaged %s.db stays unchanged, and the other half works',
  async (which) => {
    const rig = currentRig();
    const { id } = await rig.readOnce();
    await rig.engine.stop();
    const file = which === 'library' ? rig.paths.libraryDb(id) : rig.paths.uploadsDb(id);
    writeFileSync(file, DAMAGE);
    rig.start();
    const session = await rig.engine.session(id);
    const refused = { code: 'STORE_DAMAGED', message: expect.stringContaining(`${which}.db is damaged`) };
    if (which === 'library') {
      await expect(rig.read(id)).rejects.toMatchObject(refused);
      expect(session.uploads.listJobs()).toEqual([]);
      await session.client.list('applications.list', {}, { priority: 'click' });
    } else {
      expect(await rig.read(id)).toMatchObject({ storedRows: 1, refresh: { phase: 'idle' } });
      expect(() => session.uploads.listJobs()).toThrowError(expect.objectContaining(refused));
    }
    expect(readFileSync(file, 'utf8')).toBe(DAMAGE);
  },
);

test('a damaged datasets.db stays unchanged, and everything else works', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  writeFileSync(rig.paths.datasetsDb(id), DAMAGE);
  rig.start();
  const session = await rig.engine.session(id);
  const refused = { code: 'STORE_DAMAGED', message: expect.stringContaining('datasets.db is damaged') };
  expect(() => session.datasets.builds.list()).toThrowError(expect.objectContaining(refused));
  expect(() => session.datasets.scores.list(null)).toThrowError(expect.objectContaining(refused));
  expect(await rig.read(id)).toMatchObject({ storedRows: 1, refresh: { phase: 'idle' } });
  expect(session.uploads.listJobs()).toEqual([]);
  expect(readFileSync(rig.paths.datasetsDb(id), 'utf8')).toBe(DAMAGE);
});

test('damage in the middle of a large store is detected in use, and only that part is closed', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  const file = rig.paths.libraryDb(id);
  const db = new BetterSqlite(file);
  db.exec('CREATE TABLE filler (text TEXT)');
  db.prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
    INSERT INTO filler SELECT hex(zeroblob(500)) FROM n`).run();
  db.close();
  const bytes = readFileSync(file);
  expect(bytes.length).toBeGreaterThan(8_000_000);
  bytes.fill(0x5a, 6_000_000, 6_050_000);
  writeFileSync(file, bytes);
  rig.start();
  await expect.poll(() => rig.read(id, 'never').catch(({ code }) => code)).toBe('STORE_DAMAGED');
  const other = (await rig.engine.session(id)).uploads;
  expect(other.listJobs()).toEqual([]);
  // Waits as long as a check takes: another check must not close working parts again.
  for (let turn = 0; turn < 3; turn += 1) {
    await checkedOnce(file);
    expect((await rig.engine.session(id)).uploads).toBe(other);
  }
});

test('without a readable budget file nothing is sent, and stored data is available', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  writeFileSync(rig.paths.budgetDb, DAMAGE);
  rig.start();
  const before = rig.server.received.length;
  expect(await rig.read(id)).toMatchObject({
    storedRows: 1,
    refresh: {
      phase: 'failed',
      error: { code: 'STORE_DAMAGED', message: expect.stringContaining('budget.db') },
    },
  });
  expect(await rig.engine.testConnection(draft(rig.server.baseUrl, id), null)).toMatchObject({
    code: 'STORE_DAMAGED',
  });
  // The use of the limit is unknown: neither "nothing" nor "done at once" would be true.
  const damaged = expect.objectContaining({ code: 'STORE_DAMAGED' });
  const { traffic } = rig.engine;
  expect(() => traffic.lanes(id)).toThrow(damaged);
  expect(() => traffic.plan(id, [{ operation: 'applications.list', count: 5 }], null)).toThrow(damaged);
  expect(rig.server.received.length).toBe(before);
  expect(readFileSync(rig.paths.budgetDb, 'utf8')).toBe(DAMAGE);
});

test.each([
  ['budget.db', 'a deletion would be the 31st of the day'],
  ['uploads.db', 'what was sent before is not known'],
])('an empty %s is damage and no new start: nothing is deleted, because %s', async (name) => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  const file = name === 'budget.db' ? rig.paths.budgetDb : rig.paths.uploadsDb(id);
  writeFileSync(file, '');
  rig.start();
  const before = rig.server.received.length;
  const session = await rig.engine.session(id);
  const damaged = {
    code: 'STORE_DAMAGED',
    message: expect.stringContaining(`${name} is damaged: it is empty`),
  };
  const deletion = async () =>
    name === 'budget.db'
      ? session.client.call(
          'events.delete',
          { body: { model_id: MODEL, event_ids: ['e'] } },
          { priority: 'click' },
        )
      : session.uploads.listDeletions();
  await expect(deletion()).rejects.toMatchObject(damaged);
  expect(rig.server.received.length).toBe(before);
  expect(readFileSync(file)).toHaveLength(0);
});

test('a damaged spandeck.db: connections are restored from their folders, with stored data and their token', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const before = rig.engine.connections.get(id);
  await rig.engine.stop();
  writeFileSync(rig.paths.appDb, DAMAGE);
  const engine = rig.start();
  expect(engine.notice).toContain('or in their own folders: 1.');
  expect(engine.connections.list()).toMatchObject({
    activeId: id,
    connections: [{ ...before, isReadOnly: true }],
  });
  expect(await rig.read(id)).toMatchObject({ storedRows: 1 });
  await engine.connections.forget(id);
  await engine.stop();
  writeFileSync(rig.paths.appDb, DAMAGE);
  expect(rig.start().connections.list().connections).toEqual([]);
});

test('a damaged spandeck.db is moved away at the start, and the application opens and says so', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  writeFileSync(rig.paths.appDb, DAMAGE);
  writeFileSync(rig.paths.connectionFile(id), '{"id":');
  const engine = rig.start();
  expect(engine.notice).toContain('spandeck.db is damaged');
  expect(engine.notice).toContain('add your connections again');
  expect(engine.connections.list().connections).toEqual([]);
  const { aside } = await engine.health.storage();
  expect(aside).toHaveLength(1);
  expect(readFileSync(join(aside[0]?.folder ?? '', 'spandeck.db'), 'utf8')).toBe(DAMAGE);
});

test('connections are rescued from a spandeck.db in which only settings are broken', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  const db = new BetterSqlite(rig.paths.appDb);
  const page = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'setting'").pluck().get());
  db.close();
  const bytes = readFileSync(rig.paths.appDb);
  writeFileSync(rig.paths.appDb, bytes.fill(0x5a, (page - 1) * 4_096, page * 4_096));
  const engine = rig.start();
  expect(engine.notice).toContain('or in their own folders: 1.');
  expect(engine.connections.get(id).name).toBe('Staging');
});

const PRIVATE = 'app.account.country';
/** Damages the page of a table in the store of connections and settings, which is not open. */
function breakTable(file: string, table: string): void {
  const db = new BetterSqlite(file);
  const page = Number(db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table));
  db.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, (page - 1) * 4_096, page * 4_096));
}

test('after private fields were lost, agents are shut out and nothing is written until the user sets them again', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  rig.engine.saveSettings({ privateFields: PRIVATE });
  rig.engine.agents.open(id);
  await rig.engine.stop();
  breakTable(rig.paths.appDb, 'setting');
  for (let start = 0; start < 2; start += 1) {
    const engine = rig.start();
    expect(engine.notice).toContain('The list of private fields may be lost');
    expect(engine.agents.access.list()).toEqual([]);
    expect(() => privateFieldsOf(engine.readSettings())).toThrow('Expected the list of private fields');
    const session = await engine.session(id);
    const folder = join(rig.paths.dataDir, 'mirror');
    const made = await session.mirrors.create({ tables: null }, { folder, startAtMs: null });
    const ended = await session.mirrors.whenIdle(made.mirrorId);
    expect(ended).toMatchObject({ result: null, error: { code: 'FORBIDDEN' } });
    expect(existsSync(join(folder, 'catalog.json'))).toBe(false);
    await engine.stop();
  }
  const engine = rig.start();
  engine.saveSettings({ privateFields: '' });
  expect(privateFieldsOf(engine.readSettings())).toEqual([]);
  await engine.stop();
  expect(rig.start().notice).toBeNull();
});

test('private fields that were rescued, as settings of a store with another broken part, stay in effect', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  rig.engine.saveSettings({ privateFields: PRIVATE });
  rig.engine.agents.open(id);
  await rig.engine.stop();
  breakTable(rig.paths.appDb, 'connection');
  const engine = rig.start();
  expect(privateFieldsOf(engine.readSettings())).toEqual([PRIVATE]);
  expect(engine.agents.access.list()).toMatchObject([{ connectionId: id }]);
  expect(engine.connections.get(id).isReadOnly).toBe(true);
});

test('private fields whose stored value cannot be read are not taken for none', async () => {
  const rig = currentRig();
  rig.engine.saveSettings({ privateFields: PRIVATE });
  await rig.engine.stop();
  const db = new BetterSqlite(rig.paths.appDb);
  db.prepare("UPDATE setting SET value = '7' WHERE name = 'privateFields'").run();
  db.close();
  const engine = rig.start();
  expect(engine.notice).toContain('The list of private fields may be lost');
  engine.saveSettings({ privateFields: PRIVATE });
  expect(privateFieldsOf(engine.readSettings())).toEqual([PRIVATE]);
});

test.each(['library', 'uploads', 'datasets'] as const)(
  'a damaged %s.db is repaired while the application runs, and used at once',
  async (store) => {
    const rig = currentRig();
    const { id } = await rig.readOnce();
    await rig.engine.stop();
    writeFileSync(join(rig.paths.connectionDir(id), `${store}.db`), DAMAGE);
    const engine = rig.start();
    await engine.session(id);
    const damaged = (await engine.health.check()).filter(({ error }) => error !== null);
    expect(damaged).toMatchObject([{ store, connectionId: id, error: { code: 'STORE_DAMAGED' } }]);
    const done = await engine.health.repair(id, store);
    expect(readFileSync(join(done.folder ?? '', `${store}.db`), 'utf8')).toBe(DAMAGE);
    const session = await engine.session(id);
    expect(session.uploads.listJobs()).toEqual([]);
    expect(session.datasets.builds.list()).toEqual([]);
    expect(await rig.read(id)).toMatchObject({ storedRows: 1, refresh: { phase: 'idle' } });
    expect((await engine.health.check()).filter(({ error }) => error !== null)).toEqual([]);
    await expect(engine.health.repair(id, store)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('not damaged'),
    });
  },
);

test('compacting closes the connection while it runs; concurrent callers are answered after it', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const compacting = rig.engine.health.compact(null);
  const read = rig.read(id);
  const compacted = (await compacting).filter(({ store }) => store !== 'search');
  expect(compacted.map(({ store, error }) => [store, error])).toEqual([
    ['library', null],
    ['uploads', null],
    ['datasets', null],
  ]);
  expect(await read).toMatchObject({ storedRows: 1 });
});
