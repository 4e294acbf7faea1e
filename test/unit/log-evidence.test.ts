/**
 * The write-ahead log and its index are damaged or exchanged in every way: no change is lost, and none of another store
 * taken over, without a message.
 */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openCoverageReads } from '../../electron/db/coverage-reads.ts';
import { readKept } from '../../electron/db/kept-tables.ts';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { stateOfLog } from '../../electron/db/log-evidence.ts';
import { checkStore, compactStore, measureStore, repairStore } from '../../electron/db/maintenance.ts';
import { UPLOAD_MIGRATIONS } from '../../electron/db/migrations/uploads/index.ts';
import { openStore, updateStore } from '../../electron/db/open.ts';
import { earliestPlannedStart } from '../../electron/db/planned-start-file.ts';
import { heldRows } from '../../electron/db/stored-tables.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { canBeBound, runBound } from '../helpers/bound-by-permissions.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger as logger } from '../helpers/virtual-world.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

const open = (file: string) =>
  openStore({ file, migrations: UPLOAD_MIGRATIONS, synchronous: 'FULL', clock: systemClock, logger });

const FRAME_BYTES = 24 + 4_096;
const COMMITS = 10;
const ENDS = ['', '-wal', '-shm'] as const;
type Files = Map<(typeof ENDS)[number], Buffer>;

/**
 * Files of a store as a kill leaves them: a job in the main file, and one commit in the log for each number of bytes.
 */
function killed(name: string, bytesACommit = 0): { file: string; files: Files } {
  const file = folder.file(name);
  const first = open(file);
  first.exec(
    `INSERT INTO job (job_id, kind, title, plan_json, facts_json, state, reason, revision, is_hidden, created_at_ms)
     VALUES ('${name}', 'upload', 'a.csv', '{}', '{}', 'running', '', 0, 0, 1)`,
  );
  first.close();
  const db = open(file);
  db.pragma('wal_autocheckpoint = 0');
  for (let at = 0; at < COMMITS; at += 1)
    db.exec(`INSERT INTO learned_size VALUES ('${name} ${at}${'x'.repeat(bytesACommit)}', 10, 1)`);
  const files: Files = new Map(ENDS.map((end) => [end, readFileSync(`${file}${end}`)]));
  db.close();
  return { file, files };
}

function put(file: string, files: Files): void {
  for (const end of ENDS) {
    const content = files.get(end);
    if (content === undefined) rmSync(`${file}${end}`, { force: true });
    else writeFileSync(`${file}${end}`, content);
  }
}

const flipped = (bytes: Buffer | undefined, at: number): Buffer => {
  const changed = Buffer.from(bytes ?? '');
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
};
const sizesIn = (file: string): number => {
  const db = open(file);
  try {
    return Number(db.prepare('SELECT count(*) FROM learned_size').pluck().get());
  } finally {
    db.close();
  }
};
const inFrame = (frame: number, at: number) => 32 + (frame - 1) * FRAME_BYTES + at;

const DAMAGES: [string, (files: Files, other: Files) => void][] = [
  ['a flipped bit in a page', (files) => files.set('-wal', flipped(files.get('-wal'), inFrame(4, 500)))],
  [
    'a flipped bit in the salt of a frame',
    (files) => files.set('-wal', flipped(files.get('-wal'), inFrame(4, 9))),
  ],
  [
    'a flipped bit in the last frame',
    (files) => files.set('-wal', flipped(files.get('-wal'), inFrame(COMMITS, 500))),
  ],
  ['a flipped bit in the header', (files) => files.set('-wal', flipped(files.get('-wal'), 20))],
  [
    'a page, without the index of the log',
    (files) => {
      files.set('-wal', flipped(files.get('-wal'), inFrame(4, 500)));
      files.delete('-shm');
    },
  ],
  ['bytes of no log', (files) => files.set('-wal', Buffer.alloc(files.get('-wal')?.length ?? 0, 7))],
  ['the log of another store', (files, other) => files.set('-wal', other.get('-wal') ?? Buffer.alloc(0))],
];

test.each(DAMAGES)(
  '%s: the store is refused with its damage, and its repair ends the unfinished upload',
  (_name, damage) => {
    const { file, files } = killed('uploads.db');
    const other = killed('other.db');
    damage(files, other.files);
    put(file, files);
    const lost = {
      code: 'STORE_DAMAGED',
      message: expect.stringMatching(
        /write-ahead log (?:was removed, cut or damaged|is not its own), so its last changes are lost/,
      ),
      details: expect.objectContaining({ nextStep: expect.stringContaining('health repair') }),
    };
    expect(() => open(file)).toThrow(expect.objectContaining(lost));
    expect(checkStore({ file, store: 'uploads' }, Date.now()).error).toMatchObject(lost);
    for (const [end, content] of files) expect(readFileSync(`${file}${end}`).equals(content)).toBe(true);
    const done = repairStore({ file, store: 'uploads' }, Date.now(), logger);
    expect(done).toMatchObject({ isWhole: false, isLogLost: true, endedJobs: 1 });
    // The damaged files are unchanged, and nothing else is left beside them.
    expect(readdirSync(done.folder).toSorted()).toEqual(
      [...files.keys()].map((end) => `uploads.db${end}`).toSorted(),
    );
    for (const [end, content] of files)
      expect(readFileSync(join(done.folder, `uploads.db${end}`)).equals(content)).toBe(true);
    const db = open(file);
    expect(db.prepare('SELECT job_id, state FROM job').raw().all()).toEqual([['uploads.db', 'failed']]);
    const named = db.prepare('SELECT model_id FROM learned_size').pluck().all().map(String);
    expect(named.filter((name) => !name.startsWith('uploads.db'))).toEqual([]);
    db.close();
  },
);

describe('an index of the log', () => {
  test('that a crash left is not damage: with its log, or of a log that was taken over', () => {
    const { file, files } = killed('uploads.db');
    put(file, files);
    expect(sizesIn(file)).toBe(COMMITS);
    const index = files.get('-shm');
    files.set('', readFileSync(file)).delete('-wal');
    files.delete('-shm');
    put(file, files);
    if (index !== undefined) writeFileSync(`${file}-shm`, Buffer.alloc(index.length));
    expect(sizesIn(file)).toBe(COMMITS);
  });

  test.each(['empty', 'cut', 'bytes of no index'])('that is %s is made anew from the log', (how) => {
    const { file, files } = killed('uploads.db');
    const index = files.get('-shm') ?? Buffer.alloc(0);
    if (how === 'empty') files.set('-shm', Buffer.alloc(0));
    else if (how === 'cut') files.set('-shm', index.subarray(0, 60));
    else files.set('-shm', Buffer.alloc(index.length, 7));
    put(file, files);
    expect(sizesIn(file)).toBe(COMMITS);
  });

  test('of a power cut is older than its log, which was restarted since: no damage', () => {
    const { file, files } = killed('uploads.db');
    put(file, files);
    const db = new BetterSqlite(file);
    db.exec('DELETE FROM learned_size');
    db.pragma('wal_checkpoint(RESTART)');
    for (let at = 0; at < 2 * COMMITS; at += 1) db.exec(`INSERT INTO learned_size VALUES ('${at}', 10, 1)`);
    const later: Files = new Map(ENDS.map((end) => [end, readFileSync(`${file}${end}`)]));
    db.close();
    const old = files.get('-shm');
    if (old !== undefined) later.set('-shm', old);
    put(file, later);
    expect(stateOfLog(file, Date.now())).toBe('whole');
    expect(sizesIn(file)).toBe(2 * COMMITS);
  });
});

test('the end of a commit that a power cut interrupted is not damage', () => {
  const { file, files } = killed('uploads.db');
  files.delete('-shm');
  files.set('-wal', flipped(files.get('-wal'), inFrame(COMMITS, 500)));
  put(file, files);
  expect(sizesIn(file)).toBe(COMMITS - 1);
});

test.each([
  ['empty', (frame: Buffer) => frame.fill(0)],
  [
    'from before the log was restarted',
    (frame: Buffer) => {
      frame.writeUInt32BE(frame.readUInt32BE(8) - 1, 8);
      frame.writeUInt32BE(~frame.readUInt32BE(12) >>> 0, 12);
    },
  ],
] as const)('a frame that a power cut left %s is not damage: its commit was not flushed', (_name, leave) => {
  const { file, files } = killed('uploads.db');
  files.delete('-shm');
  const log = files.get('-wal') ?? Buffer.alloc(0);
  leave(log.subarray(inFrame(4, 0), inFrame(5, 0)));
  put(file, files);
  expect(sizesIn(file)).toBe(3);
});

describe('after a start of the computer', () => {
  const COMMITTED: [string, (file: string, files: Files) => void][] = [
    [
      'newer than the log, which lost a commit that was not flushed',
      (file, files) => {
        const db = new BetterSqlite(file);
        db.exec("INSERT INTO learned_size VALUES ('not flushed', 10, 1)");
        files.set('-shm', readFileSync(`${file}-shm`));
        db.close();
      },
    ],
    [
      'older than the log, which was emptied since',
      (file, files) => {
        const db = new BetterSqlite(file);
        db.pragma('wal_checkpoint(TRUNCATE)');
        for (const end of ['', '-wal'] as const) files.set(end, readFileSync(`${file}${end}`));
        db.close();
      },
    ],
    [
      'older than the log, which was removed since',
      (file, files) => {
        const db = new BetterSqlite(file);
        db.pragma('wal_checkpoint(TRUNCATE)');
        db.close();
        files.set('', readFileSync(file)).delete('-wal');
      },
    ],
  ];

  test.each(COMMITTED)('an index of the log that is %s is not damage', (_name, happens) => {
    const { file, files } = killed('uploads.db');
    put(file, files);
    happens(file, files);
    put(file, files);
    expect(() => open(file)).toThrow(/write-ahead log/);
    // The index was written before the computer was started.
    utimesSync(`${file}-shm`, 1, 1);
    expect(checkStore({ file, store: 'uploads' }, Date.now()).error).toBeNull();
    put(file, files);
    utimesSync(`${file}-shm`, 1, 1);
    expect(sizesIn(file)).toBe(COMMITS);
  });

  test('a damaged frame in the middle of the log is still damage', () => {
    const { file, files } = killed('uploads.db');
    files.set('-wal', flipped(files.get('-wal'), inFrame(4, 500)));
    put(file, files);
    utimesSync(`${file}-shm`, 1, 1);
    expect(() => open(file)).toThrow(/write-ahead log was removed, cut or damaged/);
  });
});

const LOST = /write-ahead log was removed, cut or damaged/;
const inBackground = { migrations: UPLOAD_MIGRATIONS, clock: systemClock, logger, onShare: () => undefined };
const update = (file: string, synchronous: 'NORMAL' | 'FULL') =>
  updateStore({ ...inBackground, file, synchronous });

describe('a look at a closed store with a damaged log keeps what shows the damage', () => {
  const LOOKS: [string, (file: string) => unknown][] = [
    [
      'the search for planned starts',
      (file) => expect(() => earliestPlannedStart(file, Date.now())).toThrow(LOST),
    ],
    [
      'a query of the rows that were acknowledged',
      (file) => expect(() => [...readKept({ file, name: 'events' }, Date.now())]).toThrow(LOST),
    ],
    [
      'an export of receipts',
      (file) =>
        expect(() => [...heldRows(file, { form: 'receipts', jobId: 'uploads.db' }, Date.now())]).toThrow(
          LOST,
        ),
    ],
    [
      'the comparison of a dataset',
      (file) => {
        const library = folder.file('library.db');
        openLibraryStore({ file: library, clock: systemClock, logger }).close();
        expect(() => openCoverageReads(library, file, Date.now())).toThrow(LOST);
      },
    ],
    [
      'its measuring',
      (file) => expect(() => measureStore({ file, store: 'uploads' }, Date.now())).toThrow(LOST),
    ],
    [
      'its compacting',
      (file) => expect(() => compactStore({ file, store: 'uploads' }, Date.now())).toThrow(LOST),
    ],
    ['its update by a thread', (file) => expect(update(file, 'FULL')).rejects.toThrow(LOST)],
  ];
  test.each(LOOKS)('%s', async (_name, look) => {
    const { file, files } = killed('uploads.db');
    files.set('-wal', flipped(files.get('-wal'), inFrame(4, 500)));
    for (const hasIndex of [true, false]) {
      if (!hasIndex) files.delete('-shm');
      put(file, files);
      await look(file);
      for (const end of ENDS) expect(existsSync(`${file}${end}`)).toBe(files.has(end));
      for (const [end, content] of files) expect(readFileSync(`${file}${end}`).equals(content)).toBe(true);
      expect(() => open(file)).toThrow(LOST);
    }
  });

  test('a store that can be read again is updated nevertheless', async () => {
    const { file, files } = killed('uploads.db');
    put(file, files.set('-wal', flipped(files.get('-wal'), inFrame(4, 500))));
    await update(file, 'NORMAL');
    expect(sizesIn(file)).toBe(3);
  });
});

test.each([['with'], ['without']])('an ordinary log of 4 MB is read whole at opening, %s an index', (how) => {
  const { file, files } = killed('uploads.db', 400_000);
  const log = files.get('-wal') ?? Buffer.alloc(0);
  expect(log.length).toBeGreaterThan(4_000_000);
  if (how === 'without') files.delete('-shm');
  put(file, files);
  expect(sizesIn(file)).toBe(COMMITS);
  put(file, files.set('-wal', flipped(log, inFrame(4, 500))));
  expect(() => open(file)).toThrow(LOST);
});

describe('a log of more than 8 MB', () => {
  /** Long model names, so that each is on separate pages. */
  const large = () => killed('uploads.db', 900_000);

  test('is refused when it is opened if it is cut, or damaged near its end', () => {
    const { file, files } = large();
    const log = files.get('-wal') ?? Buffer.alloc(0);
    expect(log.length).toBeGreaterThan(8_500_000);
    put(file, files);
    expect(stateOfLog(file, Date.now())).toBe('undecided');
    expect(sizesIn(file)).toBe(COMMITS);
    for (const damaged of [log.subarray(0, -FRAME_BYTES), flipped(log, log.length - 50 * FRAME_BYTES)]) {
      put(file, files.set('-wal', damaged));
      expect(() => open(file)).toThrow(LOST);
    }
  });

  test('is read as a whole by the check of the store', () => {
    const { file, files } = large();
    put(file, files.set('-wal', flipped(files.get('-wal'), inFrame(4, 500))));
    expect(checkStore({ file, store: 'uploads' }, Date.now()).error?.message).toMatch(LOST);
  });

  test.each([
    ['with an index', 4],
    ['without an index', 1_950],
  ])('is read as a whole by the search for planned starts, %s', (how, frame) => {
    const { file, files } = large();
    if (how === 'without an index') files.delete('-shm');
    put(file, files.set('-wal', flipped(files.get('-wal'), inFrame(frame, 500))));
    expect(() => earliestPlannedStart(file, Date.now())).toThrow(LOST);
    expect(checkStore({ file, store: 'uploads' }, Date.now()).error?.message).toMatch(LOST);
  });

  test('that holds old frames after a few new ones is decided', () => {
    const { file, files } = large();
    put(file, files);
    const db = new BetterSqlite(file);
    db.exec('DELETE FROM learned_size');
    db.pragma('wal_checkpoint(RESTART)');
    db.exec("UPDATE job SET start_at_ms = 7000, state = 'planned'");
    const later: Files = new Map(ENDS.map((end) => [end, readFileSync(`${file}${end}`)]));
    db.close();
    put(file, later);
    expect(stateOfLog(file, Date.now())).toBe('whole');
    expect(earliestPlannedStart(file, Date.now())).toBe(7_000);
  });
});

test('while another process writes, an opening never mistakes its log', async () => {
  const file = folder.file('uploads.db');
  open(file).close();
  const script = `
    import { createRequire } from 'node:module';
    const Sqlite = createRequire(${JSON.stringify(resolve('package.json'))})('better-sqlite3');
    const db = new Sqlite(process.argv[1]);
    for (let at = 0; at < 3000; at += 1) {
      db.exec(\`INSERT INTO learned_size VALUES ('\${at}', 10, 1)\`);
      if (at % 50 === 49) db.pragma('wal_checkpoint(RESTART)');
    }
    db.close();`;
  const writer = spawn(process.execPath, ['--input-type=module', '-e', script, file], { stdio: 'inherit' });
  const ended = new Promise<number | null>((resolved) => writer.once('exit', resolved));
  let looks = 0;
  while (writer.exitCode === null) {
    if (existsSync(`${file}-wal`)) looks += 1;
    expect(stateOfLog(file, Date.now())).toBe('whole');
    await new Promise((resolved) => setImmediate(resolved));
  }
  expect(await ended).toBe(0);
  expect(looks).toBeGreaterThan(0);
  expect(existsSync(`${file}-wal`)).toBe(false);
  expect(sizesIn(file)).toBe(3_000);
});

test.skipIf(!canBeBound)('an index or a log that cannot be written is named, and nothing is lost', () => {
  const own = mkdtempSync('/tmp/spandeck-test-log-');
  onTestFinished(() => rmSync(own, { recursive: true }));
  const file = join(own, 'uploads.db');
  const { files } = killed('uploads.db');
  const script = `
    import { openStore } from ${JSON.stringify(resolve('electron/db/open.ts'))};
    import { toAppError } from ${JSON.stringify(resolve('electron/shared/errors.ts'))};
    import { UPLOAD_MIGRATIONS } from ${JSON.stringify(resolve('electron/db/migrations/uploads/index.ts'))};
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const clock = { nowMs: Date.now };
    try {
      const db = openStore({ file: process.argv[1], migrations: UPLOAD_MIGRATIONS, synchronous: 'FULL', clock, logger });
      console.log(db.prepare('SELECT count(*) FROM learned_size').pluck().get(), 'read');
      db.exec("INSERT INTO learned_size VALUES ('more', 10, 1)");
    } catch (thrown) {
      const { code, message } = toAppError(thrown);
      console.log(code, message);
    }`;
  for (const end of ['-shm', '-wal'] as const) {
    put(file, files);
    chmodSync(`${file}${end}`, 0o400);
    const { stdout, stderr } = runBound(process.execPath, ['--input-type=module', '-e', script, file]);
    expect(stdout + stderr).toMatch(
      /^10 read\nSTORE_FAILED The local store can be read but not changed, .+ Make the files .+ writable, then try again\.\n$/,
    );
    chmodSync(`${file}${end}`, 0o600);
    expect(sizesIn(file)).toBe(COMMITS);
  }
});
