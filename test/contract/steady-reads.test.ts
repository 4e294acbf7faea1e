/** Reads from a store that another process constantly opens, writes and closes. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import BetterSqlite, { type Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SteadyReads } from '../../electron/cli/agents/steady-reads.ts';
import { holdLog } from '../../electron/db/hold-log.ts';
import { openUntouched } from '../../electron/db/untouched-file.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { ToldProcess } from '../helpers/told-process.ts';

const ROWS = 4_000;
const READS = 150;
const TIMEOUT_MS = 5_000;

let folder: DataFolder;
let file: string;
let db: Database | null = null;
beforeEach(() => {
  folder = new DataFolder();
  file = folder.file('notes.db');
  using made = { db: new BetterSqlite(file), [Symbol.dispose]: () => made.db.close() };
  made.db.pragma('journal_mode = WAL');
  made.db.exec('CREATE TABLE note (value INTEGER NOT NULL, text TEXT NOT NULL)');
  made.db.exec(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})
     INSERT INTO note SELECT 0, hex(randomblob(200)) FROM n`,
  );
});
afterEach(() => {
  close();
  folder[Symbol.dispose]();
});

const close = () => {
  db?.close();
  db = null;
};
const opened = () => {
  db ??= openUntouched(file, TIMEOUT_MS);
  return db;
};
const steady = (more: { onOpen?: () => void } = {}) =>
  new SteadyReads({
    stores: () => [file],
    reopen: async () => {
      close();
      more.onOpen?.();
    },
  });
/** Reads by two statements, so that a change in between would be seen. */
const values = async () => {
  const read = (sql: string) => opened().prepare(sql).pluck().get();
  const first = read('SELECT min(value) FROM note');
  await new Promise((resolve) => setImmediate(resolve));
  return [first, read('SELECT max(value) FROM note')];
};

/** Reads in one transaction from pages that are far apart. */
const halves = async () => {
  const of = opened();
  const read = (half: string) => of.prepare(`SELECT max(value) FROM note WHERE rowid ${half}`).pluck().get();
  of.exec('BEGIN');
  try {
    const first = read(`<= ${ROWS / 2}`);
    await setTimeout(2);
    return [first, read(`> ${ROWS / 2}`)];
  } finally {
    of.exec('COMMIT');
  }
};

test('each answer is of one state of the store, and no reader leaves a log', async () => {
  await using writer = await ToldProcess.start('store-writer-child.ts', { file });
  const reads = steady();
  const seen = new Set<unknown>();
  let answers = 0;
  for (let count = 0; count < READS; count += 1) {
    try {
      // Like a client that calls now and then: every other read finds the store closed.
      if (count % 2 === 0) close();
      const [first, second] = await reads.read(halves);
      expect(second).toBe(first);
      seen.add(second);
      answers += 1;
    } catch (thrown) {
      // The store was opened and closed during each attempt.
      if (!(thrown instanceof AppError) || thrown.code !== 'TIMEOUT') throw thrown;
    }
  }
  close();
  expect(await writer.last('end')).toBe('end 0');
  expect(answers).toBeGreaterThan(0);
  expect(seen.size).toBeGreaterThan(1);
});

test('keeps an inspected log until it is opened, even if its last writer closes the store meanwhile', async () => {
  const writer = await ToldProcess.start('store-opener-child.ts', { file });
  const holder = holdLog(file, TIMEOUT_MS);
  expect(existsSync(`${file}-wal`)).toBe(true);
  await writer.end();
  expect(existsSync(`${file}-wal`)).toBe(true);
  holder.close();
  expect(await values()).toEqual([1, 1]);
  close();
  // The next writer that closes the store writes the log into its file.
  await (await ToldProcess.start('store-opener-child.ts', { file })).end();
  expect(existsSync(`${file}-wal`)).toBe(false);
  // If nobody has the store open, no file is created.
  holdLog(file, TIMEOUT_MS).close();
  expect(existsSync(`${file}-wal`)).toBe(false);
});

test('a store that is written between two statements is read again, and the answer is the new one', async () => {
  let attempts = 0;
  const answer = await steady().read(async () => {
    attempts += 1;
    const first = opened().prepare('SELECT min(value) FROM note').pluck().get();
    if (attempts === 1) {
      const writer = new BetterSqlite(file);
      writer.exec('UPDATE note SET value = 7');
      writer.close();
    }
    return [first, opened().prepare('SELECT max(value) FROM note').pluck().get()];
  });
  expect(answer).toEqual([7, 7]);
  expect(attempts).toBe(2);
});

test('a change between two reads is seen by the next one, and nothing is opened again without one', async () => {
  let openings = 0;
  const reads = steady({ onOpen: () => (openings += 1) });
  expect(await reads.read(values)).toEqual([0, 0]);
  expect(await reads.read(values)).toEqual([0, 0]);
  expect(openings).toBe(0);
  const writer = new BetterSqlite(file);
  writer.exec('UPDATE note SET value = 3');
  writer.close();
  expect(await Promise.all([reads.read(values), reads.read(values)])).toEqual([
    [3, 3],
    [3, 3],
  ]);
  expect(openings).toBe(1);
});

test('a store with the empty log of a killed process is read anew once somebody writes it', async () => {
  writeFileSync(`${file}-wal`, '');
  const reads = steady();
  expect(await reads.read(values)).toEqual([0, 0]);
  const writer = new BetterSqlite(file);
  writer.exec('UPDATE note SET value = 3');
  writer.pragma('wal_checkpoint(PASSIVE)');
  expect(await reads.read(values)).toEqual([3, 3]);
  close();
  writer.close();
});

test('a store that changes in every attempt ends with what to do, and an error of another kind at once', async () => {
  const reads = steady();
  let value = 10;
  const changing = reads.read(async () => {
    const writer = new BetterSqlite(file);
    writer.exec(`UPDATE note SET value = ${value}`);
    writer.close();
    value += 1;
  });
  await expect(changing).rejects.toMatchObject({
    code: 'TIMEOUT',
    details: { nextStep: expect.stringContaining('Ask again') },
  });
  expect(value).toBe(16);
  let attempts = 0;
  const refused = reads.read(() => {
    attempts += 1;
    return Promise.reject(new AppError('NOT_FOUND', 'No such record.'));
  });
  await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(attempts).toBe(1);
});

test('a failure to reopen the stores is the error of that read only', async () => {
  let isBroken = false;
  const reads = new SteadyReads({
    stores: () => [file],
    reopen: () => {
      close();
      return isBroken ? Promise.reject(new AppError('STORE_FAILED', 'broken')) : Promise.resolve();
    },
  });
  expect(await reads.read(values)).toEqual([0, 0]);
  isBroken = true;
  close();
  rmSync(file);
  await expect(reads.read(values)).rejects.toMatchObject({ code: 'STORE_FAILED' });
  isBroken = false;
  expect(await reads.read(() => Promise.resolve('present'))).toBe('present');
});
