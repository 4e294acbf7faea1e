/** A store that is open in this process keeps its locks, even if other code of the process reads its files. */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMaintenance } from '../../electron/db/maintenance-thread.ts';
import { APP_MIGRATIONS } from '../../electron/db/migrations/app/index.ts';
import { UPLOAD_MIGRATIONS } from '../../electron/db/migrations/uploads/index.ts';
import { openStore } from '../../electron/db/open.ts';
import { isOpenHere } from '../../electron/db/open-here.ts';
import { earliestPlannedStart } from '../../electron/db/planned-start-file.ts';
import { quarantineOlder } from '../../electron/db/quarantine.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger as logger } from '../helpers/virtual-world.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

const open = (file: string, migrations = UPLOAD_MIGRATIONS) =>
  openStore({ file, migrations, synchronous: 'FULL', clock: systemClock, logger });

/** Number of times that the list of locks is read. */
const LOCK_READS = 5;

const countedElsewhere = (file: string): number => countedBy('SELECT count(*) FROM kept', file);
const countedTables = (file: string): number => countedBy('SELECT count(*) FROM sqlite_schema', file);

function countedBy(query: string, file: string): number {
  const script = `
    import { createRequire } from 'node:module';
    const Sqlite = createRequire(${JSON.stringify(resolve('package.json'))})('better-sqlite3');
    const db = new Sqlite(process.argv[1]);
    console.log(db.prepare(process.argv[2]).pluck().get());
    db.close();`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script, file, query], {
    encoding: 'utf8',
  });
  return Number(stdout);
}

/** The locks of this process on the store and on the index of its log, if the system lists them. */
function locksOn(file: string): string[] {
  if (process.platform !== 'linux') return [];
  const inodes = [file, `${file}-shm`].map((each) => statSync(each).ino);
  const isOwn = (line: string) =>
    line.includes(` ${process.pid} `) && inodes.some((inode) => line.includes(`:${inode} `));
  // The list is not consistent: while other processes take and release locks, a line can be missing or repeated.
  const lines = Array.from({ length: LOCK_READS }, () => readFileSync('/proc/locks', 'utf8')).flatMap(
    (text) => text.split('\n').map((line) => line.trim().split(/\s+/).slice(1).join(' ')),
  );
  return [...new Set(lines.filter(isOwn))].toSorted();
}

const maintenance = createMaintenance();
const LOOKS: [string, (file: string) => unknown][] = [
  ['is checked in a thread', (file) => maintenance.check('uploads', file, Date.now())],
  ['is measured in a thread', (file) => maintenance.measure('uploads', file, Date.now())],
  [
    'cannot be repaired',
    (file) => expect(maintenance.repair('uploads', file, Date.now())).rejects.toThrow('locked'),
  ],
  [
    'cannot be compacted',
    (file) => expect(maintenance.compact('uploads', file, Date.now())).rejects.toThrow('locked'),
  ],
  ['is opened a second time', (file) => open(file).close()],
  ['is searched for planned starts', (file) => earliestPlannedStart(file, Date.now())],
];

test.each(LOOKS)('a store that %s keeps the log of the process that has it open', async (_name, look) => {
  const file = folder.file('uploads.db');
  open(file).close();
  const db = open(file);
  db.exec('CREATE TABLE kept (id INTEGER); INSERT INTO kept VALUES (1)');
  const locks = locksOn(file);
  await look(file);
  expect(locksOn(file)).toEqual(locks);
  expect(countedElsewhere(file)).toBe(1);
  expect(existsSync(`${file}-wal`)).toBe(true);
  for (let at = 0; at < 20; at += 1) db.exec('INSERT INTO kept VALUES (2)');
  expect(countedElsewhere(file)).toBe(21);
  db.close();
  expect(countedElsewhere(file)).toBe(21);
});

test('a thread that reads the beginning of a store drops no lock of one that opens it meanwhile', async () => {
  const file = folder.file('uploads.db');
  open(file).close();
  // Reading this many bytes takes as long as several openings.
  const bytes = 60_000_000;
  truncateSync(file, bytes);
  // The number of reads, and whether to stop.
  const reads = new Int32Array(new SharedArrayBuffer(8));
  const script = `
    import { workerData } from 'node:worker_threads';
    const { readStart } = await import(workerData.module);
    while (Atomics.load(workerData.reads, 1) === 0) {
      readStart(workerData.file, workerData.bytes);
      Atomics.add(workerData.reads, 0, 1);
      Atomics.notify(workerData.reads, 0);
    }`;
  const module = pathToFileURL(resolve('electron/db/open-here.ts')).href;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`), {
    workerData: { module, file, bytes, reads },
  });
  const failed = new Promise<never>((_resolve, reject) => thread.once('error', reject));
  const nextRead = async () => {
    const { value } = Atomics.waitAsync(reads, 0, Atomics.load(reads, 0));
    await Promise.race([value, failed]);
  };
  try {
    const held: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      await nextRead();
      const db = open(file);
      const locks = locksOn(file).length;
      // The read that was in progress has ended.
      await nextRead();
      await nextRead();
      held.push(locksOn(file).length - locks);
      expect(countedTables(file)).toBeGreaterThan(0);
      expect(existsSync(`${file}-wal`)).toBe(true);
      db.close();
    }
    expect(held).toEqual(held.map(() => 0));
  } finally {
    const ended = new Promise((resolved) => thread.once('exit', resolved));
    Atomics.store(reads, 1, 1);
    await ended;
  }
});

test('a thread that was ended while it read a store does not keep others from opening it', async () => {
  const file = folder.file('uploads.db');
  const script = `
    import { parentPort, workerData } from 'node:worker_threads';
    const { whileNobodyOpens } = await import(workerData);
    whileNobodyOpens(() => {
      parentPort.postMessage('reads');
      for (;;);
    });`;
  const workerData = pathToFileURL(resolve('electron/db/open-here.ts')).href;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`), { workerData });
  await new Promise((resolved, reject) => {
    thread.once('message', resolved);
    thread.once('error', reject);
  });
  await thread.terminate();
  const db = open(file);
  expect(db.prepare('SELECT count(*) FROM job').pluck().get()).toBe(0);
  db.close();
});

test('a second start in one process leaves the settings their locks', () => {
  const file = folder.file('app.db');
  const db = open(file, APP_MIGRATIONS);
  db.exec('CREATE TABLE kept (id INTEGER); INSERT INTO kept VALUES (1)');
  const profile = {
    appDb: file,
    budgetDb: folder.file('budget.db'),
    connectionsDir: folder.file('connections'),
  };
  const locks = locksOn(file);
  expect(quarantineOlder(profile)).toBeNull();
  expect(locksOn(file)).toEqual(locks);
  expect(countedElsewhere(file)).toBe(1);
  expect(existsSync(`${file}-wal`)).toBe(true);
  db.close();
});

test.skipIf(process.platform === 'win32')('a file is open here while any descriptor of it is', () => {
  const file = folder.file('store.db');
  expect(isOpenHere(file)).toBe(false);
  writeFileSync(file, 'x');
  expect(isOpenHere(file)).toBe(false);
  const descriptor = openSync(file, 'r');
  expect(isOpenHere(file)).toBe(true);
  closeSync(descriptor);
  expect(isOpenHere(file)).toBe(false);
});
