/** Messages of the command line about unexpected answers: one process for each kind of answer of a real service. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SampleService, startSampleService } from '../../electron/sample-service/start-service.ts';
import { type CliResult, runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { WORKSPACES } from '../helpers/workspaces.ts';

const TOKEN = 'contract-token-0123456789';
let service: SampleService;
let folder: ReturnType<typeof temporaryFolder>;

beforeEach(async () => {
  service = await startSampleService({ token: TOKEN, imageFolder: WORKSPACES });
  folder = temporaryFolder('cli-answers');
});

afterEach(async () => {
  await service.stop();
  folder.remove();
});

function cli(args: string[], stdin = ''): Promise<CliResult> {
  return runCli([...args, '--base-url', service.baseUrl], { token: TOKEN, dataDir: folder.path, stdin });
}
const here = (args: string[]): Promise<CliResult> =>
  runHere([...args, '--base-url', service.baseUrl], { token: TOKEN, dataDir: folder.path });

test('prints an answer outside 2xx, and fails with one line', async () => {
  const { stdout, stderr, code } = await cli(['request', 'GET', '/v3/nothing', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ status: 404, body: { kind: 'ERROR' } });
  expect(stderr).toMatch(/^error NOT_FOUND: GET \/v3\/nothing was answered with status 404\..+$/m);
  expect(code).toBe(6);
});

test('failed paths of standard input keep their lines, and the command reports their number', async () => {
  const paths = '/v3/applications\n/v3/nothing\nnot a path\n';
  const { stdout, stderr, code } = await cli(['request', 'GET', '-'], paths);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .toSorted((a, b) => a.line - b.line);
  expect(lines).toMatchObject([
    { line: 1, status: 200 },
    { line: 2, status: 404 },
    { line: 3, status: null, error: { code: 'INVALID_ARGUMENT' } },
  ]);
  expect(stderr).toMatch(/^error HTTP_ERROR: 2 requests failed; .+\n$/);
  expect(code).toBe(1);
});

test('Ctrl-C ends a command that waits for paths on standard input', async () => {
  const result = await runCli(['request', 'GET', '-', '--base-url', service.baseUrl], {
    token: TOKEN,
    dataDir: folder.path,
    stdin: '/v3/applications\n',
    keepsStdinOpen: true,
    onStart: (child) => child.stdout?.once('data', () => child.kill('SIGINT')),
  });
  expect(result.code).toBe(130);
  expect(result.stderr).toMatch(/^error CANCELLED: /m);
  expect(JSON.parse(result.stdout)).toMatchObject({ line: 1, status: 200 });
});

test('two command lines in one data folder share one budget and stay within the limit', async () => {
  const paths = Array.from({ length: 80 }, (_, n) => `/v3/applications?limit=1&offset=${n}\n`).join('');
  const results = await Promise.all([0, 1].map(() => cli(['request', 'GET', '-'], paths)));
  for (const { stdout, stderr, code } of results) {
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(80);
  }
  expect(service.report()).toMatchObject({ overLimit: 0, beforeRetryAfter: 0 });
  expect(service.report().operations['applications.list']?.requests).toBe(160);
});

test('answers from stored rows while the service is gone, and says so on standard error', async () => {
  const fresh = await here(['applications', '--json']);
  await service.stop();
  const stored = await here(['applications', '--json']);
  expect(JSON.parse(stored.stdout)).toEqual(JSON.parse(fresh.stdout));
  expect(stored.stderr).toMatch(/^not refreshed, CONNECTION_REFUSED: .* stored as of .+\n$/);
  expect(stored.code).toBe(0);
});

test('a name is found offline in a list that was read without a search', async () => {
  const { items } = JSON.parse((await here(['applications', '--json'])).stdout);
  await here(['catalog', items[0].id, '--json']);
  const { stdout, stderr } = await here(['catalog', items[0].name, '--offline', '--limit', '2', '--json']);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout).items).toHaveLength(2);
});

test('--offset requests its own page, at any distance', async () => {
  const all = JSON.parse((await here(['catalog', 'Support assistant', '--all', '--json'])).stdout);
  const { stdout } = await here([
    'catalog',
    'Support assistant',
    '--offset',
    '1203',
    '--limit',
    '2',
    '--json',
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ items: all.items.slice(1_203, 1_205), total: all.total });
});

test('a token that no header can carry is rejected without being shown', async () => {
  const { stdout, stderr, code } = await runCli(['test', '--base-url', service.baseUrl], {
    token: 'first-half second-half',
    dataDir: folder.path,
  });
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^error INVALID_ARGUMENT: SPANDECK_TOKEN .+$/m);
  expect(stderr).not.toContain('first-half');
  expect(code).toBe(2);
});
