/** Damage in the files that SQL reads: a prepared file is made anew, and a damaged store is named; the rest is answered. */
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  ...[0, 4_096, 8_192, 12_288, 40_000, 274_432, 536_576].map((from): [string, (file: string) => void] => [
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
