/** Copies of stores: their content, and restoring one in place of the store. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../electron/db/migrate.ts';
import { UPLOAD_MIGRATIONS } from '../../electron/db/migrations/uploads/index.ts';
import { type Database, openStore, repairedName } from '../../electron/db/open.ts';
import { listCopies, removeCopy, restoreCopy } from '../../electron/db/store-copies.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { contentsText, restoredLines } from '../../electron/shared/health-model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger as logger } from '../helpers/virtual-world.ts';

const AT = Date.UTC(2026, 4, 1);
const COPY = 'uploads.db.v1000.backup';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

const open = (file: string): Database =>
  openStore({ file, migrations: UPLOAD_MIGRATIONS, synchronous: 'FULL', clock: systemClock, logger });

type Job = readonly [id: string, kind: string, state: string, startAtMs?: number];

function addJobs(db: Database, jobs: readonly Job[]): void {
  const add = db.prepare(
    `INSERT INTO job (job_id, kind, title, plan_json, facts_json, state, reason, start_at_ms, revision, is_hidden, created_at_ms)
     VALUES (?, ?, ?, '{}', '{}', ?, '', ?, 0, 0, 1)`,
  );
  for (const [id, kind, state, startAtMs = null] of jobs) add.run(id, kind, id, state, startAtMs);
}

const statesOf = (db: Database): Record<string, unknown> =>
  Object.fromEntries(
    db.prepare('SELECT job_id, state FROM job ORDER BY job_id').raw().all() as [string, string][],
  );

/**
 * Creates a store with one job, and a copy with these jobs and the first version of the tables. Returns the path of the
 * store.
 */
function storeWithCopy(jobs: readonly Job[] = [['old', 'upload', 'done']]): string {
  const file = folder.file('uploads.db');
  const db = open(file);
  addJobs(db, [['new', 'upload', 'done']]);
  db.close();
  const old = new BetterSqlite(folder.file(COPY));
  migrate(old, { file: COPY, migrations: UPLOAD_MIGRATIONS.slice(0, 1), clock: { nowMs: () => AT }, logger });
  addJobs(old, jobs);
  old.close();
  return file;
}

const restore = (file: string, name = COPY) => restoreCopy({ file, store: 'uploads' }, name, AT, logger);

test('copies are listed with their time and content, and reading them leaves no files behind', () => {
  const file = storeWithCopy([
    ['a', 'upload', 'done'],
    ['b', 'upload', 'done'],
    ['c', 'outbox', 'done'],
  ]);
  writeFileSync(folder.file('uploads.db.v900.backup'), 'no store at all');
  const before = readdirSync(dirname(file)).toSorted();
  const copies = listCopies({ file, store: 'uploads' });
  const good = copies.find(({ name }) => name === COPY);
  expect(good).toMatchObject({ origin: 'update', error: null, sizeBytes: expect.any(Number) });
  expect(contentsText({ contents: good?.contents ?? [] })).toBe('2 uploads, 1 outbox change');
  expect(copies.find(({ name }) => name !== COPY)?.error).toMatchObject({ code: 'STORE_DAMAGED' });
  expect(readdirSync(dirname(file)).toSorted()).toEqual(before);
});

test('a restored copy has the version of this build, and the replaced store can be brought back', () => {
  const file = storeWithCopy();
  const done = restore(file);
  const db = open(file);
  expect(statesOf(db)).toEqual({ old: 'done' });
  db.close();
  expect(done).toEqual({ keptAs: `uploads.db.r${AT}.backup`, endedJobs: 0 });
  expect(restoredLines({ connectionId: '', store: 'uploads', ...done })[1]).toContain(
    `kept as uploads.db.r${AT}`,
  );
  const [kept] = listCopies({ file, store: 'uploads' }).filter(({ origin }) => origin === 'restore');
  expect(kept).toMatchObject({ atMs: AT, contents: [{ noun: 'upload', count: 1 }] });
  restoreCopy({ file, store: 'uploads' }, done.keptAs ?? '', AT + 1, logger);
  const again = open(file);
  expect(statesOf(again)).toEqual({ new: 'done' });
  again.close();
});

test('no job of a restored copy sends anything by itself', () => {
  const file = storeWithCopy([
    ['upload', 'upload', 'running'],
    ['planned', 'upload', 'scheduled', 5],
    ['over', 'upload', 'done'],
    ['bulk', 'bulk', 'waiting'],
    ['deletion', 'deletion', 'sending'],
    ['later deletion', 'deletion', 'scheduled', 5],
    ['change', 'outbox', 'ready', 5],
    ['discarded', 'outbox', 'cancelled'],
    ['export', 'export', 'running'],
  ]);
  expect(restore(file).endedJobs).toBe(7);
  const db = open(file);
  expect(statesOf(db)).toEqual({
    upload: 'failed',
    planned: 'failed',
    over: 'done',
    bulk: 'stopped',
    deletion: 'unknown',
    'later deletion': 'cancelled',
    change: 'paused',
    discarded: 'cancelled',
    export: 'paused',
  });
  expect(db.prepare('SELECT count(*) FROM job WHERE start_at_ms IS NOT NULL').pluck().get()).toBe(0);
  expect(db.prepare("SELECT reason FROM job WHERE job_id = 'upload'").pluck().get()).toContain(
    'Compare before',
  );
  db.close();
});

test('a damaged copy, a name of no copy and a store that is open change nothing', () => {
  const file = storeWithCopy();
  const bytes = readFileSync(folder.file(COPY));
  bytes.fill(0xff, 4_096, 12_288);
  writeFileSync(folder.file('uploads.db.v990.backup'), bytes);
  const before = readFileSync(file);
  expect(() => restore(file, 'uploads.db.v990.backup')).toThrow(
    expect.objectContaining({ code: 'STORE_DAMAGED' }),
  );
  for (const name of ['uploads.db', `../${basename(dirname(file))}/${COPY}`, 'uploads.db.v1.backup'])
    expect(() => restore(file, name)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  const other = open(file);
  expect(() => restore(file)).toThrow(expect.objectContaining({ code: 'STORE_FAILED' }));
  other.close();
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(listCopies({ file, store: 'uploads' }).filter(({ origin }) => origin === 'restore')).toEqual([]);
});

test('a damaged store is quarantined unchanged when a copy replaces it', () => {
  const file = storeWithCopy();
  writeFileSync(file, 'no store at all. '.repeat(500));
  const { keptAs } = restore(file);
  expect(keptAs).toMatch(/^damaged-2026-05-01/);
  expect(readFileSync(folder.file(`${keptAs}/uploads.db`), 'utf8')).toContain('no store at all');
  const db = open(file);
  expect(statesOf(db)).toEqual({ old: 'done' });
  db.close();
});

test('the two newest replaced stores are kept, beside the copies from before an update', () => {
  const file = storeWithCopy();
  const namesOf = () => listCopies({ file, store: 'uploads' }).map(({ name }) => name);
  // Left by a killed process, as no process has this id.
  writeFileSync(folder.file('uploads.db.r1.backup.4194305'), 'part of a copy');
  for (const later of [0, 1, 2, 3]) {
    restoreCopy({ file, store: 'uploads' }, COPY, AT + later, logger);
    open(file).close();
  }
  const kept = [`uploads.db.r${AT + 3}.backup`, `uploads.db.r${AT + 2}.backup`];
  expect(namesOf().toSorted()).toEqual([...kept, COPY].toSorted());
  expect(existsSync(folder.file('uploads.db.r1.backup.4194305'))).toBe(false);
  // The oldest copy is restored before it is deleted.
  const db = open(file);
  db.exec("DELETE FROM job WHERE job_id = 'old'");
  db.close();
  restoreCopy({ file, store: 'uploads' }, `uploads.db.r${AT + 2}.backup`, AT + 4, logger);
  const restored = open(file);
  expect(statesOf(restored)).toEqual({ old: 'done' });
  restored.close();
  expect(namesOf().toSorted()).toEqual(
    [`uploads.db.r${AT + 4}.backup`, `uploads.db.r${AT + 3}.backup`, COPY].toSorted(),
  );
});

test('a removed copy is gone, and only copies can be removed', () => {
  const file = storeWithCopy();
  expect(() => removeCopy(file, 'uploads.db')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  removeCopy(file, COPY);
  expect(existsSync(folder.file(COPY))).toBe(false);
  expect(existsSync(file)).toBe(true);
});

interface Turn {
  dir: DataFolder;
  file: string;
  /** Changes of the file system in order, e.g. `rename uploads.db.PID.new`. */
  steps: string[];
}

/** Restores the copy in a separate process, which is killed before the step with this number, if it is reached. */
async function restoreUntil(source: string, killAt: number): Promise<Turn> {
  const dir = new DataFolder();
  const file = dir.file('uploads.db');
  copyFileSync(source, file);
  copyFileSync(folder.file(COPY), dir.file(COPY));
  const child = resolve(import.meta.dirname, '../helpers/restore-child.ts');
  const running = spawn(process.execPath, [child, file, COPY, String(killAt)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [lines] = await Promise.all([text(running.stdout), once(running, 'exit')]);
  return { dir, file, steps: lines.split('\n').filter((line) => line !== '') };
}

test('a restoration killed before any step leaves the present store or the restored one', async () => {
  const source = storeWithCopy();
  const whole = await restoreUntil(source, Number.POSITIVE_INFINITY);
  whole.dir[Symbol.dispose]();
  expect(whole.steps).toContain('rename uploads.db.PID.new to uploads.db.repaired');
  expect(whole.steps).toContain('rename uploads.db.repaired to uploads.db');
  const left = new Set<string>();
  for (const [killAt, step] of whole.steps.entries()) {
    const { dir, file, steps } = await restoreUntil(source, killAt);
    expect(steps).toEqual(whole.steps.slice(0, killAt));
    const db = open(file);
    const [only = ''] = Object.keys(statesOf(db));
    db.close();
    left.add(only);
    expect(['old', 'new'], step).toContain(only);
    expect(existsSync(repairedName(file)), step).toBe(false);
    // The replaced store is one of the copies if the restoration got as far as replacing it.
    const copies = listCopies({ file, store: 'uploads' });
    const kept = copies.filter(({ origin }) => origin === 'restore');
    if (only === 'old') expect(kept, step).toMatchObject([{ contents: [{ noun: 'upload', count: 1 }] }]);
    expect(
      copies.map(({ name }) => name),
      step,
    ).toContain(COPY);
    dir[Symbol.dispose]();
  }
  expect(left).toEqual(new Set(['new', 'old']));
});
