/**
 * Damage in the files that SQL reads: a prepared file is made again, a damaged store is named, and everything else is
 * answered.
 */
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LaterRig } from '../helpers/later-rig.ts';

let rig: LaterRig;
beforeEach(async () => {
  rig = await LaterRig.start();
});
afterEach(async () => {
  expect(await rig.end()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

const files = (end: string) =>
  readdirSync(rig.folder.path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => join(rig.folder.path, name));

const DAMAGES: [string, (file: string) => void][] = [
  ['emptied', (file) => truncateSync(file, 0)],
  ['cut', (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2))],
  ['another file', (file) => writeFileSync(file, 'This is a letter. '.repeat(3_000))],
  ...[0, 12_288].map((from): [string, (file: string) => void] => [
    `overwritten from ${from}`,
    (file) => {
      const bytes = readFileSync(file);
      const start = Math.min(from, bytes.length - 3_000);
      bytes.fill(0x5a, start, start + 3_000);
      writeFileSync(file, bytes);
    },
  ]),
];

test('a damaged prepared file is made anew, and every query is answered', async () => {
  await rig.here(['ls', 'datasets', '--all']);
  await rig.here(['ls', 'models', '--all']);
  const ask = (sql: string) => rig.here(['sql', sql]);
  const sums =
    'SELECT count(*) AS n, min(name) AS first, max(name) AS last, sum(length(id)) AS ids FROM datasets';
  const whole = await ask(sums);
  expect(whole.code).toBe(0);
  const prepared = files('.duckdb');
  expect(prepared).not.toEqual([]);
  const saved = new Map(prepared.map((file) => [file, readFileSync(file)]));
  const wrong: string[] = [];
  for (const [how, damage] of DAMAGES) {
    for (const [file, bytes] of saved) writeFileSync(file, bytes);
    for (const file of saved.keys()) damage(file);
    const other = await ask('SELECT count(*) AS n FROM models');
    const again = await ask(sums);
    if (other.code !== 0) wrong.push(`${how}: the other view: ${other.stderr}`);
    if (again.code !== 0) wrong.push(`${how}: ${again.stderr}`);
    else if (
      JSON.stringify(JSON.parse(again.stdout).items) !== JSON.stringify(JSON.parse(whole.stdout).items)
    )
      wrong.push(`${how}: other values ${again.stdout}`);
  }
  expect(wrong).toEqual([]);
});

test('an error that quotes words of damage leaves the prepared files, and is an error of the query', async () => {
  await rig.here(['ls', 'datasets', '--all']);
  expect((await rig.here(['sql', 'SELECT count(*) FROM datasets'])).code).toBe(0);
  const inodes = () => files('.duckdb').map((file) => statSync(file).ino);
  const before = inodes();
  expect(before).not.toEqual([]);
  for (const words of ['Serialization Error: ', 'Corrupt database file', 'in read-only mode'])
    expect(await rig.text(['sql', `SELECT ('${words}' || name)::INT FROM datasets`])).toMatchObject({
      stderr: expect.stringMatching(
        /^error INVALID_ARGUMENT: SQL line 1, column \d+: Could not convert string/m,
      ),
    });
  expect(inodes()).toEqual(before);
});

test('a store with unreadable pages is named with what to do, and views of other stores are answered', async () => {
  await rig.here(['ls', 'datasets', '--all']);
  const [file = ''] = files('library.db');
  const db = new BetterSqlite(file);
  // Larger than the stores that are checked completely each time they are opened.
  db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
    INSERT INTO list_row (generation_id, position, record)
    SELECT generation_id, 1000 + i, printf('{"id":"%d","name":"%s"}', i, hex(zeroblob(1200)))
    FROM n, (SELECT generation_id FROM list_row LIMIT 1)`);
  db.exec('UPDATE generation SET row_count = row_count + 4000');
  db.close();
  const bytes = readFileSync(file);
  expect(bytes.length).toBeGreaterThan(8_000_000);
  bytes.fill(0x5a, 6_000_000, 6_050_000);
  writeFileSync(file, bytes);
  const ask = (sql: string) => rig.text(['sql', sql]);
  expect(await ask('SELECT count(name) FROM datasets')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error STORE_DAMAGED: library\.db is damaged.+health repair/m),
  });
  expect(await ask('SELECT count(*) FROM requests')).toMatchObject({ code: 0 });
});
