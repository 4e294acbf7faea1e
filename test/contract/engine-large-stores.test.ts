/** Large stores of an older version: a thread migrates them, and the window receives the progress. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, expect, test, vi } from 'vitest';
import type { Migration } from '../../electron/db/migrate.ts';
import { openStore } from '../../electron/db/open.ts';
import { MIGRATIONS_OF, type StoreKind } from '../../electron/db/update-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { ENGINE_TOKEN, type EngineRig, engineRig } from '../helpers/engine-rig.ts';
import { Lives } from '../helpers/lives.ts';
import { runHere } from '../helpers/run-here.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

/** Each store as a later version would have it. So far only the first version was released. */
const { withNext } = vi.hoisted(() => ({
  withNext: (migrations: readonly Migration[]): Migration[] => [
    ...migrations,
    { number: 10_000, name: 'next', sql: 'CREATE TABLE next (a INTEGER) STRICT' },
  ],
}));
vi.mock('../../electron/db/migrations/library/index.ts', async (original) => ({
  LIBRARY_MIGRATIONS: withNext((await original<{ LIBRARY_MIGRATIONS: Migration[] }>()).LIBRARY_MIGRATIONS),
}));
vi.mock('../../electron/db/migrations/uploads/index.ts', async (original) => ({
  UPLOAD_MIGRATIONS: withNext((await original<{ UPLOAD_MIGRATIONS: Migration[] }>()).UPLOAD_MIGRATIONS),
}));
vi.mock('../../electron/db/migrations/datasets/index.ts', async (original) => ({
  DATASET_MIGRATIONS: withNext((await original<{ DATASET_MIGRATIONS: Migration[] }>()).DATASET_MIGRATIONS),
}));

const currentRig = engineRig();
const lives = new Lives('session-child.ts');
afterEach(() => lives.killAll());
const LARGE_BYTES = 8_000_000;

/** Stores of a connection as the previous version left them, too large to be migrated on the main thread. */
function makeOld(rig: EngineRig, id: string, kind: StoreKind): string {
  const file = rig.paths[`${kind}Db`](id);
  const migrations: readonly Migration[] = MIGRATIONS_OF[kind].slice(0, -1);
  for (const name of [file, `${file}-wal`, `${file}-shm`]) rmSync(name, { force: true });
  const db = openStore({ file, migrations, synchronous: 'NORMAL', clock: systemClock, logger: silentLogger });
  db.exec('CREATE TABLE filler (text TEXT)');
  db.prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
    INSERT INTO filler SELECT hex(zeroblob(500)) FROM n`).run();
  db.close();
  return file;
}

const versionOf = (file: string) => {
  const db = new BetterSqlite(file, { readonly: true });
  const [version, rows] = [
    db.pragma('user_version', { simple: true }),
    db.prepare('SELECT count(*) FROM filler').pluck().get(),
  ];
  db.close();
  return { version, rows };
};
const backupOf = (kind: StoreKind) => `.v${MIGRATIONS_OF[kind].at(-2)?.number}.backup`;

test('large stores are migrated when the session opens, each with a backup, and progress is reported', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  const files = {
    library: makeOld(rig, id, 'library'),
    uploads: makeOld(rig, id, 'uploads'),
    datasets: makeOld(rig, id, 'datasets'),
  };
  rig.start();
  rig.updating = [];
  const opening = rig.engine.session(id);
  await expect.poll(() => rig.updating.length).toBeGreaterThan(0);
  const session = await opening;
  const told = rig.updating.map((list) => list.map(({ connectionId }) => connectionId));
  expect(told.at(-1)).toEqual([]);
  expect(new Set(told.slice(0, -1).flat())).toEqual(new Set([id]));
  const shares = rig.updating.flatMap((list) => list.map(({ share }) => share));
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect([shares[0], shares.at(-1)]).toEqual([0, expect.closeTo(1)]);
  expect(rig.updating[0]?.[0]?.sizeBytes).toBeGreaterThan(3 * LARGE_BYTES);
  for (const kind of ['library', 'uploads', 'datasets'] as const) {
    const target = MIGRATIONS_OF[kind].at(-1)?.number;
    expect(versionOf(files[kind])).toEqual({ version: target, rows: 9_000 });
    expect(versionOf(`${files[kind]}${backupOf(kind)}`)).toEqual({
      version: MIGRATIONS_OF[kind].at(-2)?.number,
      rows: 9_000,
    });
  }
  expect(session.uploads.listJobs()).toEqual([]);
  expect(session.datasets.builds.list()).toEqual([]);
  expect(await rig.read(id)).toMatchObject({ storedRows: 1 });
});

test('a store that cannot be copied stays unchanged and says why; the others work, and the next attempt migrates it', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  const file = makeOld(rig, id, 'datasets');
  const inTheWay = `${file}${backupOf('datasets')}.${process.pid}`;
  mkdirSync(inTheWay);
  rig.start();
  const session = await rig.engine.session(id);
  expect(() => session.datasets.builds.list()).toThrowError(
    expect.objectContaining({ code: 'STORE_FAILED', message: expect.stringContaining('datasets.db') }),
  );
  expect(session.uploads.listJobs()).toEqual([]);
  expect(versionOf(file).version).toBe(MIGRATIONS_OF.datasets.at(-2)?.number);
  await rig.engine.stop();
  rmSync(inTheWay, { recursive: true });
  rig.start();
  expect((await rig.engine.session(id)).datasets.builds.list()).toEqual([]);
});

test('a connection that is removed meanwhile is not awaited, and leaves nothing', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  const file = makeOld(rig, id, 'library');
  rig.start();
  rig.updating = [];
  const opening = rig.engine.session(id).then(
    () => 'opened',
    ({ code }) => code,
  );
  await expect.poll(() => rig.updating.length).toBeGreaterThan(0);
  await rig.engine.connections.forget(id);
  expect(await opening).toBe('CANCELLED');
  expect(existsSync(dirname(file))).toBe(false);
  expect(rig.updating.at(-1)).toEqual([]);
});

test('the command line says what it waits for, and then answers', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  const file = makeOld(rig, id, 'uploads');
  const { code, stderr } = await runHere(['uploads', '--connection', 'Staging', '--json'], {
    token: ENGINE_TOKEN,
    dataDir: rig.folder.path,
  });
  expect(stderr).toMatch(
    /^The stored data of this connection \(\d+ MB\) is being updated to this version, once\.\n$/,
  );
  expect(code).toBe(0);
  expect(versionOf(file).version).toBe(MIGRATIONS_OF.uploads.at(-1)?.number);
  rig.start();
});

test('a partial copy of a killed process is removed by the next one', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  const file = makeOld(rig, id, 'library');
  // No process has this id.
  mkdirSync(dirname(file), { recursive: true });
  const left = `${file}${backupOf('library')}.4194304`;
  for (const name of [left, `${left}-journal`]) new BetterSqlite(name).exec('CREATE TABLE t (a)').close();
  rig.start();
  await rig.engine.session(id);
  const names = readdirSync(dirname(file)).filter((name) => name.includes('.backup'));
  expect(names).toEqual([`library.db${backupOf('library')}`]);
});

test('stores that a process of the previous version has open are not migrated until it has ended', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  const file = makeOld(rig, id, 'library');
  const before = versionOf(file);
  // The process knows the migrations of this version, but not the next one.
  const life = lives.start({ folder: rig.folder.path, connection: id });
  await life.heard('open');
  rig.start();
  await expect(rig.engine.session(id)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringMatching(
      /process \d+, since .+ is of an older version\. .+ Nothing was changed\.$/,
    ),
  });
  expect(versionOf(file)).toEqual(before);
  life.kill();
  await life.ended;
  await rig.engine.session(id);
  expect(versionOf(file)).toEqual({ ...before, version: 10_000 });
  // Afterwards, other processes can use the connection.
  const other = new BetterSqlite(join(rig.paths.inUseDir, `${id}.db`), { timeout: 0 });
  expect(other.transaction(() => other.prepare('SELECT count(*) FROM sqlite_master').pluck().get())()).toBe(
    0,
  );
  other.close();
});

test('stores are updated once if several processes of this version open them at the same time', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  const file = makeOld(rig, id, 'library');
  const engines = Array.from({ length: 3 }, () => {
    rig.start();
    return rig.engine;
  });
  const opened = await Promise.allSettled(engines.map((engine) => engine.session(id)));
  for (const engine of engines) await engine.stop();
  expect(opened.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  expect(versionOf(file)).toEqual({ version: 10_000, rows: 9_000 });
});
