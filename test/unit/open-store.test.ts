/** Opens and migrates stores on real files. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Migration, migrationHash } from '../../electron/db/migrate.ts';
import { LIBRARY_MIGRATIONS } from '../../electron/db/migrations/library/index.ts';
import { type Database, openStore } from '../../electron/db/open.ts';
import { quarantineOlder } from '../../electron/db/quarantine.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const FIRST: Migration = {
  number: 10,
  name: 'notes',
  sql: 'CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT',
};
const SECOND: Migration = {
  number: 20,
  name: 'colours',
  sql: "ALTER TABLE note ADD COLUMN colour TEXT NOT NULL DEFAULT 'teal'",
};

let folder: DataFolder;
let file: string;
beforeEach(() => {
  folder = new DataFolder();
  file = folder.file('notes.db');
});
afterEach(() => folder[Symbol.dispose]());

function open(migrations: readonly Migration[], path = file): Database {
  return openStore({
    file: path,
    migrations,
    synchronous: 'NORMAL',
    clock: new VirtualClock(),
    logger: silentLogger,
  });
}

function refused(action: () => unknown): AppError {
  try {
    action();
  } catch (problem) {
    if (problem instanceof AppError) return problem;
    throw problem;
  }
  throw new Error('Nothing was refused.');
}

function snapshot(): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder.path).map((name) => [name, readFileSync(join(folder.path, name)).toString('base64')]),
  );
}

test('a store that another process is creating is not mistaken for a foreign one', () => {
  // The state that a process leaves if another one overtakes it between creating the file and creating its tables.
  const begun = new BetterSqlite(file);
  begun.pragma('journal_mode = WAL');
  begun.close();
  let wasOvertaken = false;
  const pragma = vi.spyOn(BetterSqlite.prototype, 'pragma');
  pragma.mockImplementationOnce(function (this: Database, source) {
    pragma.mockRestore();
    const version = this.pragma(source, { simple: true });
    open([FIRST]).close();
    wasOvertaken = true;
    return version;
  });
  open([FIRST]).close();
  expect(wasOvertaken).toBe(true);
});

describe('a new store', () => {
  test('is created with its folder, in WAL, with foreign keys and the requested durability', () => {
    const db = open([FIRST], folder.file('deep/er/notes.db'));
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(db.pragma('synchronous', { simple: true })).toBe(1);
    expect(db.pragma('user_version', { simple: true })).toBe(10);
    db.close();
  });

  test('leaves no backup, because there is nothing to lose', () => {
    open([FIRST, SECOND]).close();
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.backup'))).toEqual([]);
  });
});

describe('a store of an older version', () => {
  test('is migrated, its rows kept, with a backup beside it', () => {
    const old = open([FIRST]);
    old.prepare('INSERT INTO note (text) VALUES (?)').run('remember');
    old.close();
    const db = open([FIRST, SECOND]);
    expect(db.prepare('SELECT text, colour FROM note').all()).toEqual([{ text: 'remember', colour: 'teal' }]);
    db.close();
    const backup = new BetterSqlite(`${file}.v10.backup`, { readonly: true });
    expect(backup.prepare('SELECT * FROM note').all()).toEqual([{ id: 1, text: 'remember' }]);
    backup.close();
  });

  test('keeps two backups, the newest', () => {
    const chain = [10, 20, 30, 40].map((number) => ({
      number,
      name: `t${number}`,
      sql: `CREATE TABLE t${number} (a INTEGER) STRICT`,
    }));
    for (let length = 1; length <= chain.length; length += 1) open(chain.slice(0, length)).close();
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.backup'))).toEqual([
      'notes.db.v20.backup',
      'notes.db.v30.backup',
    ]);
  });

  test('stays unchanged if a migration fails half way', () => {
    const old = open([FIRST]);
    old.prepare('INSERT INTO note (text) VALUES (?)').run('remember');
    old.close();
    const broken = { number: 30, name: 'broken', sql: 'INSERT INTO nowhere VALUES (1)' };
    expect(refused(() => open([FIRST, SECOND, broken])).code).toBe('STORE_FAILED');
    const db = open([FIRST]);
    expect(db.prepare('SELECT * FROM note').all()).toEqual([{ id: 1, text: 'remember' }]);
    db.close();
  });

  test('is rejected if a migration was edited after it was applied', () => {
    open([FIRST]).close();
    const edited = { ...FIRST, sql: `${FIRST.sql} -- edited` };
    expect(migrationHash(edited)).not.toBe(migrationHash(FIRST));
    const error = refused(() => open([edited, SECOND]));
    expect(error.code).toBe('STORE_FAILED');
    expect(error.message).toContain('Migration 10 (notes)');
  });
});

test('migrations out of order fail the build', () => {
  expect(refused(() => open([SECOND, FIRST])).code).toBe('INTERNAL');
});

describe('a store of a newer version', () => {
  test('is rejected by name and number, and no byte of the folder changes', () => {
    open([FIRST, SECOND]).close();
    const before = snapshot();
    const error = refused(() => open([FIRST]));
    expect(error.code).toBe('STORE_NEWER');
    expect(error.message).toMatch(/notes\.db was written by a newer version.*20.*10/);
    expect(snapshot()).toEqual(before);
  });

  test('is recognised if its version is only in the write-ahead log of a killed process', () => {
    open([FIRST]).close();
    const script = `
      import D from 'better-sqlite3';
      const db = new D(${JSON.stringify(file)});
      db.exec('CREATE TABLE later (a) ; PRAGMA user_version = 90');
      process.kill(process.pid, 'SIGKILL');`;
    expect(() =>
      execFileSync(process.execPath, ['--input-type=module', '-e', script], {
        cwd: process.cwd(),
        stdio: 'ignore',
      }),
    ).toThrow();
    expect(readFileSync(file).readUInt32BE(60)).toBe(10);
    const before = readFileSync(file);
    expect(refused(() => open([FIRST])).code).toBe('STORE_NEWER');
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

describe('a damaged file', () => {
  test.each([
    ['text', () => Buffer.from('this is not a database, but it is long enough to hold a header'.repeat(4))],
    ['a few bytes', () => Buffer.from('SQLite')],
  ])('of %s is rejected, kept, and the message says what to do', (_name, content) => {
    writeFileSync(file, content());
    const error = refused(() => open([FIRST]));
    expect(error.code).toBe('STORE_DAMAGED');
    expect(error.details.nextStep).toContain('health repair');
    expect(readFileSync(file).equals(content())).toBe(true);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  test('with broken pages inside is found by the check and kept', () => {
    const db = open([FIRST]);
    const insert = db.prepare('INSERT INTO note (text) VALUES (?)');
    for (let n = 0; n < 2_000; n += 1) insert.run('x'.repeat(100));
    db.close();
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 8_192, 40_000);
    writeFileSync(file, bytes);
    expect(refused(() => open([FIRST])).code).toBe('STORE_DAMAGED');
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  test('of another program is not taken over', () => {
    const other = new BetterSqlite(file);
    other.exec('CREATE TABLE bookmarks (url TEXT)');
    other.close();
    expect(refused(() => open([FIRST])).code).toBe('STORE_DAMAGED');
    expect(statSync(file).size).toBeGreaterThan(0);
  });
});

test('an empty file is damage and no new store: its content is lost, and counts must not restart from zero', () => {
  writeFileSync(file, '');
  const error = refused(() => open([FIRST]));
  expect(error).toMatchObject({
    code: 'STORE_DAMAGED',
    message: expect.stringContaining('notes.db is damaged: it is empty'),
  });
  expect(statSync(file).size).toBe(0);
});

test('a write-ahead log without its store is damage: it would be written into the new one', () => {
  const db = open([FIRST]);
  db.prepare("INSERT INTO note (text) VALUES ('in the log')").run();
  renameSync(file, folder.file('elsewhere.db'));
  expect(refused(() => open([FIRST])).message).toContain('its write-ahead log is still there');
  expect(existsSync(file)).toBe(false);
  db.close();
});

test('files that a killed process left of a new store are removed, and not mistaken for the store', () => {
  // An unused process id, as the largest on Linux is 4,194,304.
  for (const end of ['', '-wal', '-shm']) writeFileSync(`${file}.99999999.new${end}`, 'half');
  open([FIRST]).close();
  expect(readdirSync(folder.path)).toEqual(['notes.db']);
});

test.skipIf(process.platform === 'win32')(
  'a store, its backup and the files beside it are readable by the owner only',
  () => {
    open([FIRST]).close();
    chmodSync(file, 0o644);
    const db = open([FIRST, SECOND]);
    db.prepare("INSERT INTO note (text) VALUES ('x')").run();
    const modes = readdirSync(folder.path).map((name) => [name, statSync(folder.file(name)).mode & 0o777]);
    db.close();
    expect(modes).toEqual([
      ['notes.db', 0o600],
      ['notes.db-shm', 0o600],
      ['notes.db-wal', 0o600],
      ['notes.db.v10.backup', 0o600],
    ]);
  },
);

test('a folder in place of the file is named, with what to do', () => {
  mkdirSync(file);
  const message =
    /^Expected the file notes\.db in the data folder, got a folder of that name\. Move the folder away/;
  for (const action of [
    () => open([FIRST]),
    () =>
      quarantineOlder({ appDb: file, budgetDb: folder.file('budget.db'), connectionsDir: folder.file('c') }),
  ])
    expect(refused(action)).toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringMatching(message),
    });
});

test.skipIf(process.platform === 'win32')(
  'a file that cannot be looked at has the message of a store that does not open',
  () => {
    symlinkSync(file, file);
    expect(refused(() => open([FIRST]))).toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringMatching(/^notes\.db could not be opened/),
    });
  },
);

test('eight processes that open a new store at the same time migrate it once', async () => {
  const opener = join(import.meta.dirname, '../helpers/open-library-once.ts');
  const exits = await Promise.all(
    Array.from(
      { length: 8 },
      () =>
        new Promise<{ code: number | null; text: string }>((resolve) => {
          const child = spawn(process.execPath, [opener, file], { stdio: ['ignore', 'ignore', 'pipe'] });
          let text = '';
          child.stderr.on('data', (part: Buffer) => {
            text += part.toString();
          });
          child.on('close', (code) => resolve({ code, text }));
        }),
    ),
  );
  expect(exits).toEqual(exits.map(() => ({ code: 0, text: '' })));
  const db = new BetterSqlite(file, { readonly: true });
  expect(db.prepare('SELECT count(*) FROM migration').pluck().get()).toBe(LIBRARY_MIGRATIONS.length);
  expect(db.prepare('SELECT count(*) FROM request_log').pluck().get()).toBe(8);
  db.close();
});
