/** A program that opens a store, changes its rows, and closes it at the first line of standard input. */
import { createInterface } from 'node:readline';
import BetterSqlite from 'better-sqlite3';
import { givenOptions, say } from './child-life.ts';

const { file } = givenOptions('file');
const db = new BetterSqlite(file);
db.exec('UPDATE note SET value = 1');
say('open');
createInterface({ input: process.stdin }).once('line', () => {
  db.close();
  say('end');
  // Exits explicitly, because standard input stays open.
  process.exit();
});
