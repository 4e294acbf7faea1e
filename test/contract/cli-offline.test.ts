/** The command line when it may not send: offline with stored data, and on a read-only connection. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { openAppStore } from '../../electron/db/app-store.ts';
import { dataPaths, makeDataDir } from '../../electron/platform/paths.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { type CliResult, jsonLines, temporaryFolder } from '../helpers/run-cli.ts';
import { runApart, runHere } from '../helpers/run-here.ts';
import { READ_ONLY_TOKEN, TOKEN } from '../helpers/sample-service.ts';
import { silentLogger } from '../helpers/virtual-world.ts';
import { baselineBody } from './sample-service-cases/monitoring.ts';
import { World } from './sample-service-cases/world.ts';

let world: World;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  world = await World.start();
  folder = temporaryFolder('cli-offline');
});
afterEach(async () => {
  await world.stop();
  folder.remove();
});

function cli(args: string[], token = TOKEN, run: typeof runHere = runHere): Promise<CliResult> {
  return run([...args, '--base-url', world.raw.service.baseUrl], { token, dataDir: folder.path });
}
const requests = (operation: OperationId) => world.raw.service.report().operations[operation]?.requests ?? 0;

test('read data is available offline, a change is rejected offline', async () => {
  const at = ['--start', '2000-01-01T00:00:00Z', '--end', '2100-01-01T00:00:00Z'];
  const reads = [
    ['ls', 'baselines', '--model', world.ids.fraud],
    ['get', 'models', world.ids.fraud],
    ['spans', '--application', world.ids.application, ...at, '--limit', '3'],
    ['span-fields', '--application', world.ids.application, ...at],
  ];
  for (const args of reads) {
    // The first command runs in separate processes, to show that one process uses the data that another stored.
    const run: typeof runHere = args === reads[0] ? runApart : runHere;
    const fresh = await cli([...args, '--json'], TOKEN, run);
    const stored = await cli([...args, '--json', '--offline'], TOKEN, run);
    expect(stored).toMatchObject({ code: 0, stderr: '' });
    expect(jsonLines(stored)).toEqual(jsonLines(fresh));
  }
  const never = await cli(['ls', 'projects', '--offline']);
  expect(never.stderr).toMatch(/^error NOT_STORED: /);
  const refused = await cli(['create', 'projects', '--body', '{"name": "x"}', '--offline']);
  expect(refused.stderr).toMatch(/^error OFFLINE: .*was not sent\. This command runs with --offline\./);
  expect(requests('projects.create')).toBe(0);
});

test('a command that reads a list opens no store of jobs, and one that lists jobs reports that theirs is damaged', async () => {
  await cli(['ls', 'models', '--json']);
  const [id = ''] = readdirSync(dataPaths(folder.path).connectionsDir);
  const { libraryDb, uploadsDb, datasetsDb } = dataPaths(folder.path);
  expect([libraryDb(id), uploadsDb(id), datasetsDb(id)].map((file) => existsSync(file))).toEqual([
    true,
    false,
    false,
  ]);

  expect(await cli(['jobs', '--json'])).toMatchObject({ code: 0, stderr: '' });
  writeFileSync(uploadsDb(id), 'no store');
  expect(await cli(['ls', 'models', '--json', '--offline'])).toMatchObject({ code: 0, stderr: '' });
  expect((await cli(['jobs', '--json'])).stderr).toContain('uploads.db is damaged');
  rmSync(uploadsDb(id));
  // A folder in place of the store cannot be read at all.
  mkdirSync(uploadsDb(id));
  expect(await cli(['ls', 'models', '--json', '--offline'])).toMatchObject({ code: 0 });
  expect((await cli(['jobs', '--json'])).stderr).toContain('got a folder of that name');
});

test('read data is found by search offline, one letter too; data never read is not', async () => {
  for (const resource of ['models', 'applications']) await cli(['ls', resource, '--all', '--json']);
  const [models] = jsonLines(await cli(['ls', 'models', '--all', '--json', '--offline']));
  const name = String((models as { items: { name: string }[] }).items[0]?.name);
  const sent = requests('models.list');
  for (const typed of [name, name.slice(1, 4), name.slice(0, 1)]) {
    const found = await cli(['search', typed, '--kind', 'resources', '--json', '--all', '--offline']);
    expect(found).toMatchObject({ code: 0, stderr: '' });
    const titles = (jsonLines(found)[0] as { items: { title: string }[] }).items.map(({ title }) => title);
    expect(titles).toContain(name);
  }
  const nothing = await cli(['search', 'never-read-anywhere', '--offline']);
  expect(nothing.stdout).toMatch(/^0 found in \d+ stored records, the oldest from /m);
  const none = await cli(['search', name, '--kind', 'resources', '--since', '1s', '--json', '--offline']);
  expect(jsonLines(none)[0]).toMatchObject({ items: [] });
  const [wrong] = jsonLines(
    await cli(['search', `${name.slice(0, 3)}x${name.slice(3)}`, '--json', '--offline']),
  );
  expect(wrong).toMatchObject({ items: [], near: expect.arrayContaining([name.toLowerCase()]) });
  expect((await cli(['search', 'x', '--kind', 'spams'])).stderr).toMatch(/Did you mean spans\?/);
  expect(requests('models.list')).toBe(sent);
});

test('a deleted record is not found; its stored data is available offline', async () => {
  const id = await world.make('baselines.create', baselineBody(world, 'Doomed'));
  await cli(['get', 'baselines', id]);
  expect((await cli(['delete', 'baselines', id, '--yes'])).stdout).toMatch(/deleted/);
  const gone = await cli(['get', 'baselines', id]);
  expect(gone.stderr).toMatch(/^error NOT_FOUND: It was deleted/);
  expect(gone.code).toBe(1);
  const stored = await cli(['get', 'baselines', id, '--offline', '--json']);
  expect(jsonLines(stored)).toMatchObject([{ name: 'Doomed' }]);
  expect(stored.stderr).toMatch(/^It was deleted/);
});

test('a token without write permission and a read-only connection both reject changes', async () => {
  const create = ['create', 'projects', '--body', '{"name": "x"}'];
  const forbidden = await cli(create, READ_ONLY_TOKEN);
  expect(forbidden.stderr).toMatch(/^error FORBIDDEN: /);
  saveReadOnly();
  const named = ['--connection', 'Looking only'];
  const options = { token: TOKEN, dataDir: folder.path };
  const refused = await runHere([...create, ...named], options);
  expect(refused.stderr).toMatch(/^error READ_ONLY: /);
  expect(refused.code).toBe(1);
  expect((await runHere(['ls', 'projects', ...named, '--json'], options)).code).toBe(0);
  expect(requests('projects.create')).toBe(1);
});

function saveReadOnly(): void {
  const paths = dataPaths(folder.path);
  makeDataDir(paths);
  const store = openAppStore({ file: paths.appDb, clock: systemClock, logger: silentLogger });
  store.saveConnection({
    id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
    name: 'Looking only',
    baseUrl: world.raw.service.baseUrl,
    colour: 'slate',
    isReadOnly: true,
    allowsPlainHttp: false,
    proxyUrl: null,
    extraCaFile: null,
    tokenStorage: 'memory',
    kind: 'service',
    createdAtMs: 0,
    tokenHint: null,
  });
  store.close();
}
