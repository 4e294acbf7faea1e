/**
 * The command line as a user runs it: a process for each kind of answer, with a real service on loopback and real
 * files.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  folder = temporaryFolder('cli');
});

afterEach(async () => {
  const report = service.report();
  await service.stop();
  folder.remove();
  expect(report).toMatchObject({ overLimit: 0, beforeRetryAfter: 0, unknownRoutes: 0, malformedRequests: 0 });
});

function cli(args: string[], stdin = ''): Promise<CliResult> {
  return runCli([...args, '--base-url', service.baseUrl], { token: TOKEN, dataDir: folder.path, stdin });
}

const here = (args: string[]): Promise<CliResult> =>
  runHere([...args, '--base-url', service.baseUrl], { token: TOKEN, dataDir: folder.path });

/** The parsed standard output, which must be exactly one JSON document. */
async function json(args: string[], run = here): Promise<Record<string, unknown>> {
  const result = await run([...args, '--json']);
  expect(result.stderr + result.stdout).not.toContain(TOKEN);
  if (result.stdout === '') throw new Error(`no answer: ${result.stderr}`);
  return JSON.parse(result.stdout);
}

test('test describes the service', async () => {
  expect(await json(['test'], cli)).toMatchObject({ isOk: true, apiVersion: '3.0' });
});

test('a wrong token, a dead address and a page of HTML each end in one clear line', async () => {
  const wrong = await runCli(['applications', '--base-url', service.baseUrl], {
    token: 'wrong-token-000',
    dataDir: folder.path,
  });
  expect(wrong.code).not.toBe(0);
  expect(wrong.stderr).toMatch(/^error UNAUTHORIZED: .+\n$/m);
  expect(wrong.code).toBe(6);
  const dead = await runHere(['applications', '--base-url', 'http://127.0.0.1:9'], {
    token: TOKEN,
    dataDir: folder.path,
  });
  expect(dead.code).not.toBe(0);
  expect(dead.stderr).toMatch(/^error CONNECTION_REFUSED: /m);
  service.setFaults([{ match: { operation: 'applications.list' }, action: { type: 'html' } }]);
  const html = await here(['applications']);
  expect(html.code).not.toBe(0);
  expect(html.stderr).toMatch(/^error NOT_THIS_SERVICE: /m);
  service.setFaults([]);
});

test('lists answer items, total, complete and asOf; --all reads every page; --offline reads stored rows', async () => {
  const applications = await json(['applications'], cli);
  const items = applications['items'] as { id: string; name: string }[];
  expect(items.length).toBe(2);
  expect(applications).toMatchObject({ total: 2, complete: true });
  const app = items[0]?.name ?? '';
  const first = await json(['catalog', app]);
  const all = await json(['catalog', app, '--all']);
  expect((all['items'] as unknown[]).length).toBe(all['total']);
  expect(all['complete']).toBe(true);
  expect((first['items'] as unknown[]).length).toBeLessThanOrEqual((all['items'] as unknown[]).length);
  const unknown = await json(['catalog', app, '--all', '--semantic-name', 'UNKNOWN']);
  expect(
    (unknown['items'] as { semantic_name: string }[]).every((item) => item.semantic_name === 'UNKNOWN'),
  ).toBe(true);
  expect((unknown['items'] as unknown[]).length).toBeGreaterThan(0);

  const { baseUrl } = service;
  await service.stop();
  const offline = await runHere(['catalog', app, '--offline', '--all', '--json', '--base-url', baseUrl], {
    token: TOKEN,
    dataDir: folder.path,
  });
  expect(offline.stderr).toBe('');
  expect(JSON.parse(offline.stdout)).toMatchObject({
    items: all['items'],
    total: all['total'],
    complete: true,
  });
  service = await startSampleService({ token: TOKEN, imageFolder: WORKSPACES });
});

test('request answers any /v3 call, one line for each path on standard input', async () => {
  const one = await json(['request', 'GET', '/v3/applications', '--query', 'limit=1']);
  expect(one).toMatchObject({ status: 200, body: { kind: 'PAGINATED' } });
  const many = await cli(['request', 'GET', '-'], '/v3/applications?limit=1\n\n/v3/applications?limit=2\n');
  const lines = many.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map((line) => line.line).sort()).toEqual([1, 3]);
  expect(lines.every((line) => line.status === 200)).toBe(true);
  expect(many.code).toBe(0);
});

test('an upload is stored completely and its receipts name every event', async () => {
  const models = (await json(['models']))['items'] as { id: string; name: string }[];
  const model = models.find(({ name }) => /churn/i.test(name));
  expect(model).toBeDefined();
  const file = join(folder.path, 'churn.csv');
  writeFileSync(file, churnCsv(2_500));
  const result = await json(['upload', file, '--model', model?.id ?? '', '--env-type', 'PRODUCTION'], cli);
  expect(result).toMatchObject({
    rows: 2_500,
    rejected: 0,
    acknowledged: 2_500,
    refused: 0,
    unknown: 0,
    batches: 3,
    requests: 3,
  });
  const receipts = await json(['uploads', 'receipts', String(result['jobId'])]);
  expect(receipts).toMatchObject({ rows: 2_500 });
  expect(service.events(model?.id ?? '').count).toBe(2_500);
  const budget = await json(['budget']);
  expect(budget).toMatchObject({
    lanes: expect.arrayContaining([
      expect.objectContaining({
        operation: 'DELETE /v3/events',
        windows: [expect.objectContaining({ count: 30, left: 30 })],
      }),
    ]),
  });
});

function churnCsv(rows: number): string {
  const header =
    'CreditScore,Geography,Gender,Age,Tenure,Balance,NumOfProducts,HasCrCard,IsActiveMember,EstimatedSalary,Churned';
  const lines = Array.from(
    { length: rows },
    (_, row) =>
      `${400 + (row % 400)},${['France', 'Spain', 'Germany'][row % 3]},${row % 2 ? 'Male' : 'Female'},${18 + (row % 60)},${row % 10},${row}.5,${1 + (row % 3)},Yes,No,${row}.25,${row % 5 ? 'Not Churned' : 'Churned'}`,
  );
  return [header, ...lines, ''].join('\n');
}
