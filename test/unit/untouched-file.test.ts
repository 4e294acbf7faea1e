/**
 * Opening a store without changing any file gives the same results and errors as the usual driver, in each possible
 * state of the store.
 */
import { cpSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import BetterSqlite, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openUntouched } from '../../electron/db/untouched-file.ts';
import { toAppError } from '../../electron/shared/errors.ts';
import { DataFolder } from '../helpers/data-folder.ts';

const TIMEOUT_MS = 1_000;

let folder: DataFolder;
const opened: Database[] = [];
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => {
  for (const db of opened.splice(0)) if (db.open) db.close();
  folder[Symbol.dispose]();
});
const keep = (db: Database) => {
  opened.push(db);
  return db;
};
const footprint = () =>
  readdirSync(folder.path).map((name) => {
    const { size, mtimeNs, ino } = statSync(folder.file(name), { bigint: true });
    return `${name} ${ino} ${size} ${mtimeNs}`;
  });

function write(name: string): Database {
  const db = keep(new BetterSqlite(folder.file(name)));
  db.pragma('journal_mode = WAL');
  db.exec('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, bytes BLOB, share REAL)');
  const add = db.prepare('INSERT INTO note (text, bytes, share) VALUES (?, ?, ?)');
  add.run('one', Buffer.from([1, 2, 255]), 0.5);
  add.run(null, null, 2 ** 53 - 1);
  add.run('three ☂', Buffer.alloc(0), -1);
  return db;
}

/** Copies a store and the files beside it as a killed process leaves them. */
function killed(...ends: string[]): string {
  const db = write('live.db');
  for (const end of ['', ...ends]) cpSync(`${db.name}${end}`, folder.file(`left.db${end}`));
  db.close();
  return folder.file('left.db');
}

const STATES: Record<string, () => string> = {
  'nobody has it open': () => write('closed.db').close().name,
  'it is open elsewhere': () => write('open # 100 % ?.db').name,
  'its writer was killed': () => killed('-wal', '-shm'),
  'an empty log was left with its index': () => {
    const file = write('emptied.db').close().name;
    writeFileSync(`${file}-wal`, '');
    writeFileSync(`${file}-shm`, '');
    return file;
  },
  'an empty log was left alone': () => {
    const file = write('emptied.db').close().name;
    writeFileSync(`${file}-wal`, '');
    return file;
  },
};

test('integers of any size are those that the usual driver reads', () => {
  const usual = write('large.db');
  usual.exec('CREATE TABLE large (hash INTEGER)');
  for (const hash of [2n ** 53n - 1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), -7n])
    usual.prepare('INSERT INTO large VALUES (?)').run(hash);
  const db = keep(openUntouched(usual.name, TIMEOUT_MS));
  const sql = 'SELECT hash, rowid AS place FROM large ORDER BY rowid';
  expect(db.prepare(sql).all()).toStrictEqual(usual.prepare(sql).all());
  expect(db.prepare(sql).raw().all()).toStrictEqual(usual.prepare(sql).raw().all());
  expect([...db.prepare(sql).pluck().iterate()]).toStrictEqual(usual.prepare(sql).pluck().all());
  const one = 'SELECT hash FROM large WHERE hash = ?';
  expect(
    db
      .prepare(one)
      .pluck()
      .get(2n ** 63n - 1n),
  ).toBe(2 ** 63);
});

test.for(Object.entries(STATES))('%s: rows are the same, and no file is made or changed', ([, prepare]) => {
  const file = prepare();
  const before = footprint();
  const db = keep(openUntouched(file, TIMEOUT_MS));
  expect(db).toMatchObject({ name: file, open: true, readonly: true, memory: false, inTransaction: false });
  const all = db.prepare('SELECT * FROM note ORDER BY id');
  const rows = [
    { id: 1, text: 'one', bytes: Buffer.from([1, 2, 255]), share: 0.5 },
    { id: 2, text: null, bytes: null, share: 2 ** 53 - 1 },
    { id: 3, text: 'three ☂', bytes: Buffer.alloc(0), share: -1 },
  ];
  expect(all.all()).toStrictEqual(rows);
  expect([...all.iterate()]).toStrictEqual(rows);
  expect(all.get()).toStrictEqual(rows[0]);
  const raw = db.prepare('SELECT id, bytes FROM note ORDER BY id').raw();
  expect(raw.all()).toStrictEqual(rows.map(({ id, bytes }) => [id, bytes]));
  const bytes = db.prepare('SELECT bytes FROM note WHERE id = ?').pluck();
  expect(bytes.get(1)).toStrictEqual(Buffer.from([1, 2, 255]));
  expect(bytes.get(9)).toBeUndefined();
  const named = db.prepare('SELECT id FROM note WHERE text = :text OR id IN (@first, $second)').pluck();
  expect(named.all({ text: 'one', first: 2, second: 3, unused: 1 })).toEqual([1, 2, 3]);
  const listed = db.prepare('SELECT id FROM note WHERE id IN (?, ?)').pluck();
  expect([listed.all([1, 3]), listed.all(1, 3), [...listed.iterate([1, 3])]]).toEqual([
    [1, 3],
    [1, 3],
    [1, 3],
  ]);
  expect(db.pragma('user_version', { simple: true })).toBe(0);
  expect(db.pragma('table_info(note)')).toHaveLength(4);
  // A loop that is left early releases the statement.
  for (const row of all.iterate()) if (row !== null) break;
  expect(new BetterSqlite(db.serialize()).name).toBe(':memory:');
  db.close();
  expect(db.open).toBe(false);
  expect(footprint()).toEqual(before);
});

test('a transaction can hold another, and its errors pass through it', () => {
  const db = keep(openUntouched(STATES['nobody has it open']?.() ?? '', TIMEOUT_MS));
  const count = () => db.prepare('SELECT count(*) FROM note').pluck().get();
  const outer = db.transaction((more: number) => Number(db.transaction(count).immediate()) + more);
  expect([outer(1), outer.immediate(2), outer.deferred(3), outer.exclusive(4)]).toEqual([4, 5, 6, 7]);
  const failing = db.transaction(() => {
    expect(db.inTransaction).toBe(true);
    throw new RangeError('no');
  });
  expect(() => failing()).toThrow(RangeError);
  db.transaction(() => {
    expect(() => failing()).toThrow(RangeError);
    expect(count()).toBe(3);
  })();
  expect(db.inTransaction).toBe(false);
});

test('errors are those of the usual driver', () => {
  const file = STATES['nobody has it open']?.() ?? '';
  const db = keep(openUntouched(file, TIMEOUT_MS));
  const usual = keep(new BetterSqlite(file, { readonly: true }));
  const errorOf = (work: () => unknown) => {
    try {
      return work();
    } catch (thrown) {
      const { code, message } = thrown as { code?: string; message: string };
      return { isOfDriver: thrown instanceof BetterSqlite.SqliteError, code, message };
    }
  };
  const acts: ((of: Database) => unknown)[] = [
    (of) => of.exec("INSERT INTO note (text) VALUES ('new')"),
    (of) => of.prepare("UPDATE note SET text = 'new'").run(),
    (of) => of.prepare('SELECT nothing FROM note'),
    (of) => of.pragma('user_version = 3'),
    (of) => of.close().prepare('SELECT 1'),
  ];
  for (const act of acts) expect(errorOf(() => act(db))).toEqual(errorOf(() => act(usual)));
  writeFileSync(folder.file('no.db'), 'x'.repeat(4_096));
  expect(errorOf(() => openUntouched(folder.file('no.db'), TIMEOUT_MS))).toMatchObject({
    code: 'SQLITE_NOTADB',
  });
  expect(errorOf(() => openUntouched(folder.file('missing.db'), TIMEOUT_MS))).toMatchObject({
    code: 'SQLITE_CANTOPEN',
  });
});

test('a log without its index is refused with what to do, and opens once a writer had it', () => {
  const file = killed('-wal');
  const before = footprint();
  let thrown: unknown = null;
  try {
    openUntouched(file, TIMEOUT_MS);
  } catch (problem) {
    thrown = problem;
  }
  expect(toAppError(thrown)).toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('left.db-shm'),
    details: { nextStep: expect.stringContaining('Open this connection once') },
  });
  expect(footprint()).toEqual(before);
  const writer = new BetterSqlite(file);
  writer.exec('DELETE FROM note WHERE id = 1');
  writer.close();
  expect(keep(openUntouched(file, TIMEOUT_MS)).prepare('SELECT count(*) FROM note').pluck().get()).toBe(2);
  rmSync(file);
});
