/**
 * `budget`, `traffic` and `upload --start-at` as a user runs them, with a real service and real files. Interrupts are
 * tested in processes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SampleService, startSampleService } from '../../electron/sample-service/start-service.ts';
import type { LaneOverview } from '../../electron/shared/traffic-model.ts';
import { har } from '../helpers/har-schema.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { type CliOptions, type CliResult, runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { ScriptedServer } from '../helpers/scripted-server.ts';
import { WORKSPACES } from '../helpers/workspaces.ts';

const TOKEN = 'traffic-token-0123456789';
let service: SampleService;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  service = await startSampleService({ token: TOKEN, imageFolder: WORKSPACES });
  folder = temporaryFolder('cli-traffic');
});
afterEach(async () => {
  await service.stop();
  folder.remove();
});

function cli(args: string[], options: Partial<CliOptions> = {}) {
  return runCli([...args, '--base-url', service.baseUrl], { token: TOKEN, dataDir: folder.path, ...options });
}
const here = (args: string[]) =>
  runHere([...args, '--base-url', service.baseUrl], { token: TOKEN, dataDir: folder.path });

async function json<T>(args: string[], run: (args: string[]) => Promise<CliResult> = here): Promise<T> {
  const result = await run([...args, '--json']);
  expect(result.stdout + result.stderr).not.toContain(TOKEN);
  if (result.stdout === '') throw new Error(`no answer: ${result.stderr}`);
  return JSON.parse(result.stdout);
}

const minute = (overview: LaneOverview) =>
  overview.lanes
    .find(({ operation }) => operation === 'GET /v3/applications')
    ?.windows.find(({ lengthMs }) => lengthMs === 60_000);

test('budget shows the use of every process, like the window; offline and without a token, too', async () => {
  const lane = 'DELETE /v3/sessions';
  // Checks the window of a day, because a minute may have passed before the last of these processes reads it.
  const laneOf = ({ lanes }: LaneOverview) => lanes.find(({ operation }) => operation === lane);
  const day = (overview: LaneOverview) =>
    laneOf(overview)?.windows.find(({ lengthMs }) => lengthMs === 86_400_000);
  const of = ['--application', 'f0000000-0000-4000-8000-000000000000', '--yes'];
  const deletion = ['delete', 'sessions', 'none', ...of];
  for (let time = 0; time < 2; time += 1) expect((await cli(deletion)).stderr).toContain('NOT_FOUND');
  const overview = await json<LaneOverview>(['budget'], cli);
  expect(overview).toMatchObject({ isAllPaused: false });
  expect(day(overview)).toMatchObject({ count: 100, used: 2, left: 98, foreign: 0 });
  expect(laneOf(overview)).toMatchObject({
    title: expect.any(String),
    limitTitle: expect.any(String),
    queuedBy: { view: 0 },
    reason: 'ready',
    why: 'ready',
    wait: { reason: 'ready', why: 'ready' },
    learned: { refusals: 0 },
  });
  const { baseUrl } = service;
  await service.stop();
  const offline = ['budget', '--offline', '--json', '--base-url', baseUrl];
  const withToken = await runHere(offline, { token: TOKEN, dataDir: folder.path });
  expect(day(JSON.parse(withToken.stdout))?.used).toBe(2);
  const without = await runHere(offline, { dataDir: folder.path });
  expect(day(JSON.parse(without.stdout))?.used).toBe(2);
  const human = await runHere(['budget', '--offline', '--base-url', baseUrl], { dataDir: folder.path });
  expect(human.stdout).toMatch(/DELETE \/v3\/sessions +100 per day +2 +98/);
  service = await startSampleService({ token: TOKEN, imageFolder: WORKSPACES });
});

test('a command with a long wait says until when, while it waits', async () => {
  const server = await ScriptedServer.start((_request, response) => {
    response.writeHead(429, { 'retry-after': '3600' }).end();
  });
  const waits = await runCli(['applications', '--json', '--base-url', server.baseUrl], {
    token: TOKEN,
    dataDir: folder.path,
    onStart: (child) => child.stderr?.once('data', () => child.kill('SIGINT')),
  });
  await server[Symbol.asyncDispose]();
  expect(waits.stderr).toMatch(
    /^GET \/v3\/applications waits until \d+ \w{3} \d{4} \d\d:\d\d:\d\d\. The service asked to wait\.$/m,
  );
  expect(waits.stdout).toBe('');
  expect(server.received).toHaveLength(1);
});

test('the limits a service states are shown with their time, and deleted by name', async () => {
  await service.stop();
  service = await startSampleService({
    token: TOKEN,
    imageFolder: WORKSPACES,
    limits: { categories: { 'metadata-read': [{ count: 7, lengthMs: 1_000 }] } },
  });
  await json(['applications']);
  const stated = await here(['budget', 'applications']);
  expect(stated.stdout).toMatch(
    /GET \/v3\/applications +7 per s .*stated by the service: 7 per 1 second since \d\d:/,
  );
  const lane = 'GET /v3/applications';
  const forgotten = await json<LaneOverview>(['budget', '--forget', lane]);
  expect(minute(forgotten)).toMatchObject({ count: 1_000 });
  expect(minute(await json<LaneOverview>(['budget']))).toMatchObject({ count: 1_000 });
  const unknown = await here(['budget', '--forget', 'GET /v3/nothing']);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('NOT_FOUND') });
  const watched = await cli(['budget', '--watch', '--json'], {
    onStart: (child) => child.stdout?.once('data', () => child.kill('SIGINT')),
  });
  const [line = ''] = watched.stdout.split('\n');
  expect(JSON.parse(line)).toMatchObject({
    lanes: expect.arrayContaining([
      expect.objectContaining({
        operation: lane,
        wait: expect.objectContaining({ why: expect.any(String) }),
      }),
    ]),
    waiting: [],
  });
});

test('traffic lists sent requests, finds them, shows one with its attempts, as curl, and saves all', async () => {
  await json(['applications']);
  await here(['get', 'models', 'f0000000-0000-4000-8000-000000000000']);
  const all = await json<{ items: { id: string; url: string; status: number }[]; total: number }>([
    'traffic',
  ]);
  expect(all.items.map(({ status }) => status).sort()).toEqual([200, 404]);
  expect(all.total).toBe(2);
  const found = await json<typeof all>(['traffic', '--status', 'answered', '--search', 'APPLICATIONS']);
  expect(found.items).toHaveLength(1);
  const id = found.items[0]?.id ?? '';
  expect(await json(['traffic', '--request', id])).toMatchObject({
    tries: [{ status: 200, rate: { limit: expect.stringContaining('30') } }],
  });
  const curl = await here(['traffic', '--curl', id]);
  expect(curl.stdout).toContain(`'${service.baseUrl}/v3/applications`);
  expect(curl.stdout).toContain('"Authorization: Bearer $SPANDECK_TOKEN"');
  const file = join(folder.path, 'log.har');
  expect(await json(['traffic', '--har', file])).toEqual({ entries: 2, harFile: file });
  const text = readFileSync(file, 'utf8');
  expect(har.parse(JSON.parse(text)).log.entries.map(({ response }) => response.status)).toEqual([200, 404]);
  expect(text).not.toContain(TOKEN);
  const human = await here(['traffic', '--offline', '--limit', '1']);
  expect(human.stdout).toContain('1 of 2');
  const wrong = await here(['traffic', '--status', 'good']);
  expect(wrong.stderr).toMatch(/^error INVALID_ARGUMENT: --status expects answered, problems, /m);
  const sorted = await json<typeof all>(['traffic', '--sort', 'status:asc', '--method', 'get']);
  expect(sorted.items.map(({ status }) => status)).toEqual([200, 404]);
  const powershell = await here(['traffic', '--curl', id, '--shell', 'powershell']);
  expect(powershell.stdout).toContain('"Authorization: Bearer $env:SPANDECK_TOKEN"');
  const gone = await here(['traffic', '--request', 'none']);
  expect(gone.stderr).toMatch(/^error NOT_FOUND: /m);
  expect(await json(['traffic', '--clear', '--yes'])).toEqual({ cleared: 2 });
  expect(await json(['traffic'])).toMatchObject({ items: [], total: 0 });
});

test('an upload planned for later stays planned if interrupted, and can be started by hand', async () => {
  const file = join(folder.path, 'churn.csv');
  writeFileSync(file, churnCsv(30));
  const upload = ['upload', file, '--model', 'Bank churn', '--start-at'];
  const wrong = await here([...upload, 'tonight']);
  expect(wrong.stderr).toMatch(/^error INVALID_ARGUMENT: --start-at expects a time such as 02:00/m);
  const past = await here([...upload, '2020-01-01 00:00']);
  expect(past.stderr).toContain('has passed');
  const planned = await cli([...upload, '2099-01-01 02:00', '--json'], {
    onStart: (child) => {
      child.stderr?.on('data', (text: Buffer) => {
        if (text.toString().includes('Starts at')) child.kill('SIGINT');
      });
    },
  });
  expect(planned.stderr).toContain('Starts at 1 Jan 2099 02:00.');
  expect(planned.stderr).toContain('Stays planned');
  expect(JSON.parse(planned.stdout)).toMatchObject({ state: 'scheduled', acknowledged: 0 });
  expect(planned.code).toBe(0);
  const list = await json<{ items: { id: string; state: string; startAt: string }[] }>(['uploads']);
  expect(list.items).toMatchObject([{ state: 'scheduled', startAt: new Date(2099, 0, 1, 2).toISOString() }]);
  expect(await json(['uploads', 'resume'])).toMatchObject({ state: 'done', acknowledged: 30, startAt: null });
});
