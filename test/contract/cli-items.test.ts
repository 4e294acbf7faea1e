/** Rows of files as items of a dataset, by the command line; a real service. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const EMPTY = 'Escalations, to be collected';
let raw: RawService;
let folder: ReturnType<typeof temporaryFolder>;

beforeEach(async () => {
  raw = await RawService.start();
  folder = temporaryFolder('cli-items');
});
afterEach(async () => {
  const report = raw.service.report();
  await raw.service.stop();
  folder.remove();
  expect(report).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

const run = (...args: string[]) =>
  runHere([...args, '--base-url', raw.service.baseUrl, '--json'], { token: TOKEN, dataDir: folder.path });
const asked = () => raw.service.report().operations['datasets.add-items']?.requests ?? 0;

function write(name: string, text: string): string {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return file;
}

test('a dry run and a plan send nothing; then the rows are items, with receipts, and stand among the jobs', async () => {
  const file = write('q.csv', 'question,answer,notes\n"When, exactly?",Now,x\nWhy?,,y\n');
  const add = ['items', 'add', EMPTY, file, '--map', 'question=inputs.prompt', '--map', 'notes=-'];
  const dry = await run(...add, '--dry-run');
  expect(JSON.parse(dry.stdout)).toMatchObject({ rows: 2, items: 2, badRows: 0, requests: 1 });
  expect((await run(...add, '--plan')).code).toBe(0);
  expect(asked()).toBe(0);
  const done = JSON.parse((await run(...add)).stdout);
  expect(done).toMatchObject({ state: 'done', rows: 2, added: 2, refused: 0, unknown: 0 });
  expect(readFileSync(String(done.receiptsFile), 'utf8').trim().split('\n')).toHaveLength(3);
  expect(asked()).toBe(1);
  const { items } = JSON.parse((await run('items', EMPTY)).stdout);
  expect(items).toMatchObject([
    { inputs: { prompt: 'When, exactly?' }, expected_outputs: { answer: 'Now' } },
    { inputs: { prompt: 'Why?' } },
  ]);
  expect(JSON.parse((await run('jobs')).stdout).items).toMatchObject([
    { kind: 'items', state: 'done', done: 2 },
  ]);
});

test('a column that is not there, or a place that is none, is refused with the names', async () => {
  const file = write('q.csv', 'question\na\n');
  const other = await run('items', 'add', EMPTY, file, '--map', 'questoin=inputs.q');
  expect(other.code).not.toBe(0);
  expect(other.stderr).toContain('The file has the columns question');
  const place = await run('items', 'add', EMPTY, file, '--map', 'question=output.q');
  expect(place.stderr).toContain('--map expects inputs, expected_outputs, metadata or extras');
  expect(asked()).toBe(0);
});
