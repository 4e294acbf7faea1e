/** `mirror FOLDER` writes everything that was read as files for notebooks. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LaterRig } from '../helpers/later-rig.ts';

let rig: LaterRig;
beforeAll(async () => {
  rig = await LaterRig.start();
});
afterAll(async () => {
  expect(await rig.end()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

const ask = async (...words: string[]) => {
  const { code, stdout, stderr } = await rig.here(words);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

test('writes everything stored, the scores of runs too, and nothing again if nothing has changed', async () => {
  const folder = join(rig.folder.path, 'notebooks');
  const { items: datasets } = await ask('ls', 'datasets', '--all');
  const scored = await ask(...rig.scores());
  const first = await ask('mirror', folder);
  expect(first).toMatchObject({ folder, rowsWritten: first.rows, maskedFields: [] });
  const tables = Object.fromEntries(first.tables.map((each: { name: string }) => [each.name, each]));
  expect(tables['datasets']).toMatchObject({ rows: datasets.length, complete: true, missing: null });
  const [{ n, average, runs }] = (
    await ask(
      'sql',
      'SELECT count(*) AS n, avg(value) AS average, count(DISTINCT run_id) AS runs FROM scores',
    )
  ).items;
  expect({ n, runs }).toEqual({ n: scored.scored, runs: 1 });
  expect(average).toBeGreaterThan(0);
  expect(tables['scores']).toMatchObject({ rows: n, complete: true });
  expect(readdirSync(folder).toSorted()).toEqual(
    [
      '.mirror',
      'catalog.json',
      'spandeck.py',
      ...first.tables.map((each: { name: string }) => each.name),
    ].toSorted(),
  );
  // Only the log of requests may have grown.
  const again = await ask('mirror', folder, '--tables', 'datasets,scores');
  expect(again).toMatchObject({ filesWritten: 0, rowsWritten: 0, rows: datasets.length + n });
  const { stdout } = await rig.textHere(['mirror', folder, '--tables', 'datasets']);
  expect(stdout).toContain(`1 table with ${datasets.length} rows`);
  expect(stdout).toContain('Nothing had changed.');
  expect(Object.keys(JSON.parse(readFileSync(join(folder, 'catalog.json'), 'utf8')).tables)).toEqual([
    'datasets',
  ]);
  const { items: jobs } = await ask('jobs');
  expect(jobs.filter(({ kind }: { kind: string }) => kind === 'mirror')).toHaveLength(1);
});

test('refuses a folder with other files, an unknown table and a missing folder', async () => {
  const other = join(rig.folder.path, 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'thesis.docx'), 'x');
  const foreign = await rig.here(['mirror', other]);
  expect(foreign).toMatchObject({ code: 2 });
  expect(foreign.stderr).toContain(
    'got a folder with other files (thesis.docx). Choose an empty folder or a new name.',
  );
  const unknown = await rig.here(['mirror', join(rig.folder.path, 'new'), '--tables', 'traces']);
  expect(unknown.stderr).toContain('Expected names of stored tables, got traces. Stored are');
  expect((await rig.here(['mirror'])).stderr).toContain('mirror expects one FOLDER.');
});
