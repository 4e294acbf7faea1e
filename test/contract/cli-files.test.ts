/** `upload-file` sends a file at once or in parts, and a job of the service publishes its events. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CliResult, temporaryFolder } from '../helpers/run-cli.ts';
import { runApart, runHere } from '../helpers/run-here.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { World } from './sample-service-cases/world.ts';

let world: World;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  world = await World.start({ settings: { jobPendingMs: 0, jobRunMs: 0 } });
  folder = temporaryFolder('cli-files');
});
afterEach(async () => {
  await world.stop();
  folder.remove();
});

function cli(args: string[], run: typeof runHere = runHere): Promise<CliResult> {
  return run([...args, '--base-url', world.raw.service.baseUrl], { token: TOKEN, dataDir: folder.path });
}

function csv(ids: readonly string[], name = 'fraud.csv'): string {
  const file = join(folder.path, name);
  writeFileSync(
    file,
    ['transaction_id,processed_at', ...ids.map((id) => `${id},2025-10-01 08:00:00`)].join('\n'),
  );
  return file;
}
function emptyFile(): string {
  const file = join(folder.path, 'empty.csv');
  writeFileSync(file, '');
  return file;
}
const asked = () =>
  Object.keys(world.raw.service.report().operations).filter((id) => /^(files|events)\./.test(id));
const stored = () => world.raw.service.events(world.ids.fraud).ids;

test('a small file is one request, and nothing is published without a model', async () => {
  world.raw.service.clearReport();
  const { stdout, code } = await cli(['upload-file', csv(['a', 'b']), '--json'], runApart);
  expect(JSON.parse(stdout)).toMatchObject({
    file: { filename: 'fraud.csv', type: 'CSV', status: 'SUCCESSFUL' },
    parts: 1,
    job: null,
  });
  expect(code).toBe(0);
  expect(asked()).toEqual(['files.upload']);
});

test('a large file is sent in parts, and all its events are published', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `part-${index}`);
  const file = csv(ids);
  const before = stored().length;
  const args = ['upload-file', file, '--part-bytes', '1000', '--model', 'Card fraud', '--json'];
  const { stdout, stderr, code } = await cli(args);
  expect(stderr.replaceAll(/.*(part \d+ of \d+|publish|PENDING|SUCCESS).*\n/gi, '')).toBe('');
  const answer = JSON.parse(stdout);
  expect(answer).toMatchObject({ file: { status: 'SUCCESSFUL' }, ended: { status: 'SUCCESS' } });
  expect(answer.parts).toBeGreaterThan(2);
  expect(code).toBe(0);
  expect(stored()).toHaveLength(before + 100);
  expect(stored()).toEqual(expect.arrayContaining(ids));
  expect(world.raw.service.report().operations['files.multipart-upload']?.requests).toBe(answer.parts);
});

test('an archive is not opened: the service decides about its content', async () => {
  const { stderr, code } = await cli(['upload-file', csv(['a'], 'fraud.tar.gz'), '--plan']);
  expect([code, stderr]).toEqual([0, '']);
});

test('a failed job is reported with its reason, and by the exit code too', async () => {
  const file = join(folder.path, 'bad.csv');
  writeFileSync(file, 'transaction_id,processed_at\na,not a time\n');
  const { stderr, code } = await cli(['upload-file', file, '--model', 'Card fraud']);
  expect(stderr).toMatch(/^error SERVICE_FAILED: Job .+ ended as FAILURE\. Line 2: .+\n$/m);
  expect(code).toBe(1);
});

test('a publish request with a lost answer is not sent again and is reported as unknown', async () => {
  world.raw.service.setFaults([{ match: { operation: 'events.publish' }, action: { type: 'drop-after' } }]);
  const { stderr, code } = await cli(['upload-file', csv(['lost']), '--model', 'Card fraud']);
  expect(stderr).toMatch(
    /^error CONNECTION_LOST: .+ is uploaded; whether its events are published is not known/m,
  );
  expect(code).toBe(1);
  expect(world.raw.service.report().operations['events.publish']?.requests).toBe(1);
});

test.each<[string, () => string[], RegExp]>([
  ['no file', () => [], /upload-file expects FILE/],
  ['a file that is not there', () => ['nowhere.csv'], /^error FILE_NOT_FOUND: .*nowhere\.csv/],
  ['a folder', () => ['.'], /^error FILE_UNREADABLE: /],
  ['an empty file', () => [emptyFile()], /^error FILE_EMPTY: /],
  ['a file of another kind', () => [csv(['a'], 'fraud.txt')], /^error INVALID_ARGUMENT: .*(CSV|csv)/],
  ['a part of no bytes', () => [csv(['a']), '--part-bytes', '0'], /--part-bytes expects a whole number/],
  ['a model that is not there', () => [csv(['a']), '--model', 'No such'], /^error NOT_FOUND: No model named/],
])('%s is rejected before anything is uploaded', async (_name, argsOf, reason) => {
  world.raw.service.clearReport();
  const { stderr, code } = await cli(['upload-file', ...argsOf()]);
  expect(stderr).toMatch(reason);
  expect(code).toBe(stderr.startsWith('error INVALID_ARGUMENT') ? 2 : 1);
  expect(asked()).toEqual([]);
});
