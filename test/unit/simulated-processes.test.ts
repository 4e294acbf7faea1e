/** Simulated processes run in one real process, but each has its own open files. */
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { DataFolder } from '../helpers/data-folder.ts';

const source = (file: string): string => JSON.stringify(pathToFileURL(file).href);

test('a store that one simulated process has open is not open in another one, but in its own threads', () => {
  using folder = new DataFolder();
  // The script replaces functions of Node.js for the whole process.
  const script = `
    const { prepareProcess } = await import(${source('test/simulation/prepare.ts')});
    const { world } = prepareProcess(1, null);
    const { Life } = await import(${source('test/simulation/world.ts')});
    const { openStore } = await import(${source('electron/db/open.ts')});
    const { isOpenHere } = await import(${source('electron/db/open-here.ts')});
    const { closeSync, openSync, writeFileSync } = await import('node:fs');
    const [first, second] = [new Life('first', { pid: 1 }), new Life('second', { pid: 2 })];
    const thread = new Life('thread', { parent: first });
    const store = ${JSON.stringify(folder.file('store.db'))};
    const file = ${JSON.stringify(folder.file('notes.txt'))};
    const here = (life, path) => world.lives.run(life, () => isOpenHere(path));
    const all = (path) => [first, thread, second].map((life) => here(life, path));
    const migrations = [{ number: 10, name: 'one', sql: 'CREATE TABLE t (a INTEGER) STRICT' }];
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const clock = { nowMs: () => 0, monotonicMs: () => 0, setTimer: () => () => {} };
    const db = world.lives.run(first, () => openStore({ file: store, migrations, logger, clock, synchronous: 'FULL' }));
    writeFileSync(file, 'text');
    const descriptor = world.lives.run(second, () => openSync(file, 'r'));
    const open = { store: all(store), file: all(file) };
    world.lives.run(first, () => db.close());
    closeSync(descriptor);
    console.log(JSON.stringify({ open, closed: { store: all(store), file: all(file) } }));
  `;
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(JSON.parse(told)).toEqual({
    open: { store: [true, true, false], file: [false, false, true] },
    closed: { store: [false, false, false], file: [false, false, false] },
  });
});

test('a killed process leaves the logs of its stores, and the next one reads its last changes', () => {
  using folder = new DataFolder();
  const script = `
    const { prepareProcess } = await import(${source('test/simulation/prepare.ts')});
    const { world } = prepareProcess(1, null);
    const { Life } = await import(${source('test/simulation/world.ts')});
    const { abandonDatabasesOf } = await import(${source('test/simulation/databases.ts')});
    const { openStore } = await import(${source('electron/db/open.ts')});
    const { existsSync } = await import('node:fs');
    const store = ${JSON.stringify(folder.file('store.db'))};
    const [first, second] = [new Life('first', { pid: 1 }), new Life('second', { pid: 2 })];
    const migrations = [{ number: 10, name: 'one', sql: 'CREATE TABLE t (a INTEGER) STRICT' }];
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const clock = { nowMs: () => 0, monotonicMs: () => 0, setTimer: () => () => {} };
    const asked = { file: store, migrations, logger, clock, synchronous: 'FULL' };
    const opened = (life) => world.lives.run(life, () => openStore(asked));
    opened(first).exec('INSERT INTO t VALUES (7)');
    const reader = opened(second);
    abandonDatabasesOf(first);
    const isLogged = [existsSync(store + '-wal')];
    abandonDatabasesOf(second);
    isLogged.push(existsSync(store + '-wal'));
    const db = opened(first);
    const rows = db.prepare('SELECT a FROM t').all();
    db.close();
    console.log(JSON.stringify({ isOpen: reader.open, isLogged, rows, isLoggedAfterClose: existsSync(store + '-wal') }));
  `;
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(JSON.parse(told)).toEqual({
    ...{ isOpen: false, isLogged: [true, true] },
    ...{ rows: [{ a: 7 }], isLoggedAfterClose: false },
  });
});
