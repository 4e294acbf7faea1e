/**
 * A program that opens a store, changes all of its rows in one transaction, writes them into its file and closes it,
 * again and again until a line of standard input arrives. Says how often a log existed before without its index, which
 * only a reader can cause.
 */
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import BetterSqlite from 'better-sqlite3';
import { givenOptions, say } from './child-life.ts';

const { file } = givenOptions('file');
let isEnding = false;
let strayLogs = 0;
const lines = createInterface({ input: process.stdin });
lines.once('line', () => {
  isEnding = true;
});
say('open');
for (let value = 1; !isEnding; value += 1) {
  if (existsSync(`${file}-wal`) && !existsSync(`${file}-shm`)) strayLogs += 1;
  const db = new BetterSqlite(file);
  db.prepare('UPDATE note SET value = ?').run(value);
  db.close();
  await new Promise((resolve) => setImmediate(resolve));
}
say(`end ${strayLogs}`);
lines.close();
