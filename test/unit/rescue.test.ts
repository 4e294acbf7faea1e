/**
 * Stores with real damage of each kind: the file is moved away unchanged, and the readable content is in the new store.
 */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkStore, compactStore, measureStore, repairStore } from '../../electron/db/maintenance.ts';
import { LIBRARY_MIGRATIONS } from '../../electron/db/migrations/library/index.ts';
import { UPLOAD_MIGRATIONS } from '../../electron/db/migrations/uploads/index.ts';
import { type Database, openStore, repairedName } from '../../electron/db/open.ts';
import { earliestPlannedStart } from '../../electron/db/planned-start-file.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { repairLines } from '../../electron/shared/health-model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger as logger } from '../helpers/virtual-world.ts';

const LIST_ROWS = 3_000;

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

const open = (file: string, store: 'library' | 'uploads'): Database =>
  openStore({
    file,
    migrations: store === 'library' ? LIBRARY_MIGRATIONS : UPLOAD_MIGRATIONS,
    synchronous: store === 'library' ? 'NORMAL' : 'FULL',
    clock: systemClock,
    logger,
  });

/** Stores a list of entities and a list of spans. Returns the path of the closed file. */
function library(): string {
  const file = folder.file('library.db');
  const db = open(file, 'library');
  db.transaction(() => {
    for (const [id, operation] of [
      [1, 'catalog.list'],
      [2, 'spans.query'],
    ] as const) {
      db.prepare('INSERT INTO list VALUES (?, ?, ?, 1, NULL, NULL, NULL, NULL)').run(
        id,
        `list ${id}`,
        JSON.stringify({ operation }),
      );
      db.prepare(
        'INSERT INTO generation (id, list_id, touched_at_ms, total_rows, row_count, front_position, front_offset, is_complete, size_bytes) VALUES (?, ?, 1, ?, ?, ?, ?, 1, 9)',
      ).run(id, id, LIST_ROWS, LIST_ROWS, LIST_ROWS, LIST_ROWS);
      db.prepare('UPDATE list SET shown_generation_id = ? WHERE id = ?').run(id, id);
      const row = db.prepare(
        'INSERT INTO list_row (generation_id, position, identity, record) VALUES (?, ?, ?, ?)',
      );
      for (let at = 0; at < LIST_ROWS; at += 1) {
        row.run(
          id,
          at,
          `row ${at}`,
          JSON.stringify({ name: `row ${at} of ${operation}`, text: 'x'.repeat(200) }),
        );
      }
    }
  })();
  db.close();
  return file;
}

/** Stores a finished and an unfinished upload with many batches each. */
function uploads(): string {
  const file = folder.file('uploads.db');
  const db = open(file, 'uploads');
  db.transaction(() => {
    for (const [id, state] of [
      ['finished', 'done'],
      ['unfinished', 'running'],
    ]) {
      db.prepare(
        `INSERT INTO job (job_id, kind, title, plan_json, facts_json, state, reason, revision, is_hidden, created_at_ms)
         VALUES (?, 'upload', ?, '{}', '{}', ?, '', 0, 0, 1)`,
      ).run(id, `${id}.csv`, state);
      for (let part = 0; part < 400; part += 1) {
        db.prepare(
          `INSERT INTO part (job_id, part, root, weight, ends_at, facts_json, state, attempts, split_requests)
           VALUES (?, ?, ?, 1, ?, ?, 'acknowledged', 1, 0)`,
        ).run(id, part, part, part + 1, JSON.stringify({ text: 'y'.repeat(300) }));
        db.prepare('INSERT INTO receipt VALUES (?, ?, ?)').run(
          id,
          part,
          JSON.stringify({ ids: ['z'.repeat(300)] }),
        );
      }
    }
  })();
  db.close();
  return file;
}

/** Returns the pages of a table in the order of the file. */
function pagesOf(file: string, table: string): number[] {
  const db = new BetterSqlite(file, { readonly: true });
  const pages = db
    .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno")
    .pluck();
  const found = pages.all(table).map(Number);
  db.close();
  return found;
}

function overwrite(file: string, pages: readonly number[], fill: number): void {
  const bytes = readFileSync(file);
  for (const page of pages) bytes.fill(fill, (page - 1) * 4_096, page * 4_096);
  writeFileSync(file, bytes);
}

const repair = (file: string, store: 'library' | 'uploads') =>
  repairStore({ file, store }, Date.now(), logger);
/** Returns a file of the damaged store in the only folder of damaged files. */
const asideOf = (file: string) => {
  const names = readdirSync(folder.path).filter((name) => name.startsWith('damaged-'));
  expect(names).toEqual([expect.stringMatching(/^damaged-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d$/)]);
  return join(folder.path, names[0] ?? '', file);
};
const check = (file: string, store: 'library' | 'uploads') => checkStore({ file, store }, Date.now());

test.each([
  ['zeroed', 0],
  ['overwritten', 0x5a],
])(
  '%s pages in the middle of a list lose their rows; the list ends there and is not called complete',
  (_, fill) => {
    const file = library();
    const rows = pagesOf(file, 'list_row');
    // Only the rows of the first list before the gap are trusted.
    const broken = rows.slice(Math.floor(rows.length / 4), Math.floor(rows.length / 4) + 3);
    overwrite(file, broken, fill);
    const damaged = readFileSync(file);
    expect(check(file, 'library').error?.code).toBe('STORE_DAMAGED');
    const done = repair(file, 'library');
    expect(done.isWhole).toBe(false);
    expect(join(done.folder, 'library.db')).toBe(asideOf('library.db'));
    expect(readFileSync(asideOf('library.db')).equals(damaged)).toBe(true);
    expect(check(file, 'library')).toEqual({ error: null, note: null });
    const db = open(file, 'library');
    const [first, second] = db
      .prepare(
        'SELECT row_count, front_position, front_offset, is_complete, is_outdated, id FROM generation ORDER BY id',
      )
      .raw()
      .all() as number[][];
    const kept = first?.[0] ?? 0;
    expect(kept).toBeGreaterThan(500);
    expect(kept).toBeLessThan(LIST_ROWS);
    expect(first).toEqual([kept, kept, kept, 0, 1, 1]);
    expect(second).toEqual([LIST_ROWS, LIST_ROWS, LIST_ROWS, 1, 0, 2]);
    // The rows have no gap and are unchanged.
    const positions = db
      .prepare('SELECT position, identity FROM list_row WHERE generation_id = 1')
      .raw()
      .all();
    expect(positions).toEqual(Array.from({ length: kept }, (_row, at) => [at, `row ${at}`]));
    expect(db.prepare('SELECT count(*) FROM list_row WHERE generation_id = 2').pluck().get()).toBe(LIST_ROWS);
    db.close();
    const words = repairLines({ ...done, connectionId: null, store: 'library', error: null }).join(' ');
    expect(words).toContain('The damaged library.db was moved to');
    expect(words).toContain('Not rescued from the rows of lists: 1 part of the file cannot be read');
  },
);

test('uploads with lost batches do not continue: their rows would be sent twice', () => {
  const file = uploads();
  overwrite(file, pagesOf(file, 'part').slice(-6, -4), 0);
  const done = repair(file, 'uploads');
  expect(done).toMatchObject({ isWhole: false, endedJobs: 1 });
  const db = open(file, 'uploads');
  const states = db.prepare('SELECT job_id, state, error_json IS NULL FROM job ORDER BY job_id').raw().all();
  expect(states).toEqual([
    ['finished', 'done', 1],
    ['unfinished', 'failed', 0],
  ]);
  expect(db.pragma('foreign_key_check')).toEqual([]);
  expect(db.prepare('SELECT count(*) FROM part').pluck().get()).toBeGreaterThan(700);
  db.close();
  expect(repairLines({ ...done, connectionId: null, store: 'uploads', error: null }).join(' ')).toContain(
    '1 unfinished job ended or paused',
  );
});

test('damage without lost rows ends no upload', () => {
  const file = uploads();
  overwrite(file, pagesOf(file, 'part_by_end').slice(1, 2), 0);
  expect(check(file, 'uploads').error?.code).toBe('STORE_DAMAGED');
  expect(repair(file, 'uploads')).toMatchObject({ isWhole: true, endedJobs: 0 });
  const db = open(file, 'uploads');
  expect(db.prepare('SELECT count(*) FROM part').pluck().get()).toBe(800);
  expect(db.prepare('SELECT count(*) FROM receipt').pluck().get()).toBe(800);
  db.close();
});

test.each(['truncated', 'foreign', 'empty', 'without its first page'])('a store that is %s', (damage) => {
  const file = uploads();
  const before = readFileSync(file);
  if (damage === 'truncated') truncateSync(file, Math.floor(before.length / 8 / 4_096) * 4_096);
  else if (damage === 'empty') truncateSync(file, 0);
  else if (damage === 'foreign') writeFileSync(file, 'This is a letter and no store. '.repeat(400));
  else overwrite(file, [1], 0);
  const damaged = readFileSync(file);
  const found = check(file, 'uploads').error;
  expect(found?.code).toBe('STORE_DAMAGED');
  expect(found?.details.nextStep).toContain('health repair');
  const done = repair(file, 'uploads');
  expect(done.isWhole).toBe(false);
  expect(readFileSync(asideOf('uploads.db')).equals(damaged)).toBe(true);
  expect(check(file, 'uploads').error).toBeNull();
  const words = repairLines({ ...done, connectionId: null, store: 'uploads', error: null }).join(' ');
  if (damage !== 'truncated') expect(words).toContain('It could not be read');
  else expect(done.tables.some(({ rows }) => rows > 0) || done.tables.length === 0).toBe(true);
});

test.each([
  ['removed', 0],
  ['cut', 100],
])(
  'a log that was %s is damage of a store of record: unfinished uploads end, and the loss is reported',
  (how, bytes) => {
    const file = uploads();
    const db = open(file, 'uploads');
    db.exec("INSERT INTO learned_size VALUES ('model', 10, 1)");
    const left = new Map(['', '-wal', '-shm'].map((end) => [end, readFileSync(`${file}${end}`)]));
    db.close();
    // As if the process was killed before SQLite wrote the log into the store.
    for (const [end, content] of left) writeFileSync(`${file}${end}`, content);
    if (how === 'removed') rmSync(`${file}-wal`);
    else truncateSync(`${file}-wal`, bytes);
    const lost = {
      code: 'STORE_DAMAGED',
      message: expect.stringContaining('write-ahead log was removed, cut or damaged'),
    };
    expect(() => open(file, 'uploads')).toThrow(expect.objectContaining(lost));
    expect(() => earliestPlannedStart(file, Date.now())).toThrow(expect.objectContaining(lost));
    expect(check(file, 'uploads').error).toMatchObject(lost);
    const done = repair(file, 'uploads');
    expect(done).toMatchObject({ isWhole: false, isLogLost: true, endedJobs: 1 });
    expect(repairLines({ ...done, connectionId: null, store: 'uploads', error: null }).join(' ')).toMatch(
      /1 unfinished job ended or paused.*Its last changes are lost/,
    );
    expect(check(file, 'uploads')).toEqual({ error: null, note: null });
    open(file, 'uploads').close();
  },
);

test('a complete log of a killed process is not damage, nor is a removed log whose changes are in the store', () => {
  const file = uploads();
  const db = open(file, 'uploads');
  db.exec("INSERT INTO learned_size VALUES ('model', 10, 1)");
  const left = new Map(['', '-wal', '-shm'].map((end) => [end, readFileSync(`${file}${end}`)]));
  db.pragma('wal_checkpoint(PASSIVE)');
  const saved = new Map(['', '-shm'].map((end) => [end, readFileSync(`${file}${end}`)]));
  db.close();
  for (const [end, content] of left) writeFileSync(`${file}${end}`, content);
  const again = open(file, 'uploads');
  expect(again.prepare('SELECT count(*) FROM learned_size').pluck().get()).toBe(1);
  again.close();
  for (const [end, content] of saved) writeFileSync(`${file}${end}`, content);
  const whole = open(file, 'uploads');
  expect(whole.prepare('SELECT count(*) FROM learned_size').pluck().get()).toBe(1);
  whole.close();
});

test('a missing log of a store that can be read again is reported, and the store opens with its content', () => {
  const file = folder.file('library.db');
  const db = open(file, 'library');
  const index = readFileSync(`${file}-shm`);
  // As if a program copied only this file and not its log.
  db.close();
  writeFileSync(`${file}-shm`, index);
  expect(check(file, 'library')).toMatchObject({
    error: null,
    note: expect.stringContaining('library.db-wal is missing'),
  });
});

test('a log without its store is moved away, not written into the new store', () => {
  const file = uploads();
  rmSync(file);
  writeFileSync(`${file}-wal`, 'left over');
  expect(check(file, 'uploads').error?.code).toBe('STORE_DAMAGED');
  repair(file, 'uploads');
  expect(readFileSync(asideOf('uploads.db-wal'), 'utf8')).toBe('left over');
  expect(check(file, 'uploads').error).toBeNull();
});

test('a store that another program has open is not touched by repair or compacting', () => {
  const file = library();
  const other = open(file, 'library');
  other.exec("INSERT INTO list VALUES (9, 'nine', '{}', 1, NULL, NULL, NULL, NULL)");
  const locked = expect.objectContaining({
    code: 'STORE_FAILED',
    message: expect.stringContaining('another program keeps it locked'),
  });
  expect(() => repair(file, 'library')).toThrow(locked);
  expect(() => compactStore({ file, store: 'library' }, Date.now())).toThrow(locked);
  expect(readdirSync(folder.path).filter((name) => !name.startsWith('library.db'))).toEqual([]);
  expect(other.prepare('SELECT count(*) FROM list').pluck().get()).toBe(3);
  other.close();
});

test('a store of a newer version is not repaired', () => {
  const file = library();
  const db = new BetterSqlite(file);
  db.pragma('user_version = 99000');
  db.close();
  expect(check(file, 'library').error?.code).toBe('STORE_NEWER');
  expect(() => repair(file, 'library')).toThrow(expect.objectContaining({ code: 'STORE_NEWER' }));
  expect(readdirSync(folder.path).filter((name) => name.startsWith('damaged-'))).toEqual([]);
});

test.runIf(process.getuid?.() !== 0)('in a read-only folder nothing changes', () => {
  const file = library();
  overwrite(file, [2], 0);
  const damaged = readFileSync(file);
  chmodSync(folder.path, 0o500);
  expect(() => repair(file, 'library')).toThrow(expect.objectContaining({ code: 'STORE_FAILED' }));
  chmodSync(folder.path, 0o700);
  expect(readFileSync(file).equals(damaged)).toBe(true);
});

test('a repair killed before its last step is completed by the next opening', () => {
  const file = library();
  const db = open(folder.file('new.db'), 'library');
  db.exec("INSERT INTO list VALUES (7, 'rescued', '{}', 1, NULL, NULL, NULL, NULL)");
  db.close();
  writeFileSync(repairedName(file), readFileSync(folder.file('new.db')));
  writeFileSync(`${file}-wal`, 'of the damaged one');
  const opened = open(file, 'library');
  expect(opened.prepare('SELECT list_key FROM list').pluck().all()).toEqual(['rescued']);
  opened.close();
  expect(existsSync(repairedName(file))).toBe(false);
});

test('a repair killed at any moment leaves the damaged store or the repaired one', async () => {
  const whole = library();
  const rows = pagesOf(whole, 'list_row');
  overwrite(whole, rows.slice(20, 22), 0);
  const damaged = readFileSync(whole);
  const child = resolve(import.meta.dirname, '../helpers/repair-child.ts');
  for (let turn = 0; turn < 6; turn += 1) {
    const dir = new DataFolder();
    const file = dir.file('library.db');
    writeFileSync(file, damaged);
    const process = spawn(globalThis.process.execPath, [child, file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolved) => process.once('exit', resolved));
    await new Promise((resolved) => process.stdout.once('data', resolved));
    const until = performance.now() + turn * 12;
    while (performance.now() < until) await new Promise((resolved) => setImmediate(resolved));
    process.kill('SIGKILL');
    await ended;
    const isDamaged =
      existsSync(file) && readFileSync(file).equals(damaged) && !existsSync(repairedName(file));
    if (isDamaged) repairStore({ file, store: 'library' }, Date.now(), logger);
    const db = open(file, 'library');
    expect(db.prepare('SELECT row_count FROM generation WHERE id = 2').pluck().get()).toBe(LIST_ROWS);
    db.close();
    // The folder of a killed repair may be empty.
    const copies = readdirSync(dir.path)
      .filter((name) => name.startsWith('damaged-'))
      .map((name) => join(dir.path, name, 'library.db'))
      .filter((copy) => existsSync(copy));
    expect(copies.some((copy) => readFileSync(copy).equals(damaged))).toBe(true);
    dir[Symbol.dispose]();
  }
});

test('compacting frees space, and sizes name the content of the file', () => {
  const file = library();
  const sizes = measureStore({ file, store: 'library' }, Date.now());
  expect(sizes.lists).toBeGreaterThan(500_000);
  expect(sizes.spans).toBeGreaterThan(500_000);
  const db = new BetterSqlite(file);
  const before = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
  expect(before).toBe(Number(db.pragma('page_count', { simple: true })) * 4_096);
  db.exec('DELETE FROM list_row WHERE generation_id = 2');
  db.close();
  expect(measureStore({ file, store: 'library' }, Date.now()).unused).toBeGreaterThan(500_000);
  compactStore({ file, store: 'library' }, Date.now());
  expect(measureStore({ file, store: 'library' }, Date.now()).unused).toBe(0);
  expect(readFileSync(file).length).toBeLessThan(before * 0.7);
  expect(check(file, 'library').error).toBeNull();
});
