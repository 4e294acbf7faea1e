/** A store knows its own write-ahead log, also if nothing but the log itself says whose it is. */
import { readFileSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stateOfLog } from '../../electron/db/log-evidence.ts';
import { markAfter } from '../../electron/db/log-link.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { COMMITS, type Files, filesNow, killed, open, put, sizesIn } from '../helpers/killed-store.ts';
import { runs } from '../helpers/runs.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

describe('a log that is not that of the store, whose index is missing or its own', () => {
  const restarted = (file: string, files: Files): Files => {
    put(file, files);
    const db = new BetterSqlite(file);
    db.pragma('wal_checkpoint(RESTART)');
    for (let at = 0; at < COMMITS; at += 1) db.exec(`UPDATE learned_size SET batch_rows = ${at}`);
    const later = filesNow(file);
    db.close();
    return later;
  };

  test('is seen also if it was restarted since its store was opened', () => {
    const { file, files } = killed(folder, 'uploads.db');
    const other = killed(folder, 'other.db');
    const later = restarted(other.file, other.files);
    for (const index of [undefined, later.get('-shm')]) {
      files.set('-wal', later.get('-wal') ?? Buffer.alloc(0));
      if (index === undefined) files.delete('-shm');
      else files.set('-shm', index);
      put(file, files);
      expect(() => open(file)).toThrow(/its write-ahead log is not its own/);
    }
  });

  test('is seen if it is a later one of the same store, which was replaced by an earlier copy', () => {
    const { file, files } = killed(folder, 'uploads.db');
    put(file, files);
    open(file).close();
    const earlier = readFileSync(file);
    const db = open(file);
    db.exec("INSERT INTO learned_size VALUES ('later', 10, 1)");
    db.close();
    const last = open(file);
    last.exec("INSERT INTO learned_size VALUES ('last', 10, 1)");
    const left = filesNow(file);
    last.close();
    put(file, left);
    expect(sizesIn(file)).toBe(COMMITS + 2);
    left.set('', earlier);
    for (const hasIndex of [true, false]) {
      if (!hasIndex) left.delete('-shm');
      put(file, left);
      expect(() => open(file)).toThrow(/its write-ahead log is not its own/);
    }
  });
});

describe('the own log of a store', () => {
  test('of before stores had marks is taken over', () => {
    const { file, files } = killed(folder, 'uploads.db');
    put(file, files);
    open(file).close();
    const db = new BetterSqlite(file);
    db.pragma('application_id = 0');
    db.pragma('wal_checkpoint(RESTART)');
    db.exec("INSERT INTO learned_size VALUES ('more', 10, 1)");
    const left = filesNow(file);
    db.close();
    put(file, left);
    expect(sizesIn(file)).toBe(COMMITS + 1);
  });

  test('is its own at every moment of a link that is interrupted', () => {
    const { file, files } = killed(folder, 'uploads.db');
    put(file, files);
    open(file).close();
    // The process is ended after the first of the two commits, and the next one too.
    for (let times = 0; times < 3; times += 1) {
      const db = new BetterSqlite(file);
      const mark = Number(db.pragma('application_id', { simple: true })) >>> 0;
      db.pragma(`application_id = ${markAfter(mark) | 0}`);
      const left = filesNow(file);
      db.close();
      left.delete('-shm');
      put(file, left);
      expect(sizesIn(file)).toBe(COMMITS);
    }
  });

  test('is never taken for another one, by property', () => {
    const step = fc.oneof(
      fc.constantFrom('open', 'close', 'kill', 'kill without index', 'PASSIVE', 'RESTART', 'TRUNCATE'),
      fc.nat({ max: 30 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const own = new DataFolder();
        const file = own.file('uploads.db');
        const opened: BetterSqlite.Database[] = [open(file)];
        const close = () => {
          for (const db of opened.splice(0)) db.close();
        };
        let rows = 0;
        try {
          for (const each of steps) {
            const db = opened.at(-1);
            if (each === 'open') opened.push(open(file));
            else if (each === 'close') opened.pop()?.close();
            else if (each === 'kill' || each === 'kill without index') {
              const left = filesNow(file);
              close();
              if (each !== 'kill') left.delete('-shm');
              put(file, left);
              expect(stateOfLog(file, Date.now())).toBe('whole');
              expect(sizesIn(file)).toBe(rows);
            } else if (typeof each === 'string') db?.pragma(`wal_checkpoint(${each})`);
            else if (db !== undefined) {
              db.transaction(() => {
                for (let at = 0; at < each; at += 1, rows += 1)
                  db.exec(`INSERT INTO learned_size VALUES ('${rows}${'x'.repeat(3_000)}', 10, 1)`);
              })();
            }
          }
        } finally {
          close();
          own[Symbol.dispose]();
        }
      }),
      { numRuns: runs(40) },
    );
  });
});
