/** The command line as newcomers may use it: closed pipes, unusual folders, misplaced words, lost answers. */

import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { type CliOptions, type CliResult, jsonLines, runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { type HereOptions, runHere } from '../helpers/run-here.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { baselineBody } from './sample-service-cases/monitoring.ts';
import { World } from './sample-service-cases/world.ts';

const CLI = resolve(import.meta.dirname, '../../electron/cli.ts');
let world: World;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  world = await World.start();
  folder = temporaryFolder('cli-newcomer');
});
afterEach(async () => {
  await world.stop();
  folder.remove();
});

const address = () => ['--base-url', world.raw.service.baseUrl];
function cli(args: string[], options: Partial<CliOptions> = {}): Promise<CliResult> {
  return runCli([...args, ...address()], { token: TOKEN, dataDir: folder.path, ...options });
}
const here = (args: string[], options: Partial<HereOptions> = {}): Promise<CliResult> =>
  runHere([...args, ...address()], { token: TOKEN, dataDir: folder.path, ...options });
const requests = (operation: OperationId) => world.raw.service.report().operations[operation]?.requests ?? 0;
const makeBaselines = (count: number) =>
  Promise.all(Array.from({ length: count }, () => world.make('baselines.create', baselineBody(world))));

test('an output that is closed early stops a list without an error, and pauses a change', async () => {
  const list = await cli(['request', 'GET', '-'], {
    stdin: '/v3/models\n'.repeat(40),
    onStart: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
  });
  expect(list).toMatchObject({ code: 0, stderr: '' });

  const ids = await makeBaselines(30);
  world.raw.service.setFaults([
    { match: { operation: 'baselines.delete' }, action: { type: 'delay', delayMs: 300 } },
  ]);
  const cut = await cli(['delete', 'baselines', ...ids, '--yes', '--json'], {
    onStart: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
  });
  expect(cut.code).toBe(1);
  const [, changeId = ''] = /changes resume (\S+)/.exec(cut.stderr) ?? [];
  world.raw.service.setFaults([]);
  // The beginning of an id is sufficient.
  const rest = await here(['changes', 'resume', changeId.slice(0, 8), '--json']);
  expect(rest.code).toBe(0);
  expect(jsonLines(rest).map(({ state }) => state)).toEqual(ids.map(() => 'done'));
  expect(requests('baselines.delete')).toBe(30);
});

test.runIf(process.platform === 'linux')(
  'a failed write of the answer is one line, not a stack',
  async () => {
    expect(await onFullDisk(['models'])).toEqual({
      code: 1,
      stderr: 'error STORE_FAILED: Standard output could not be written (ENOSPC).\n',
    });
  },
);

test.runIf(process.platform === 'linux')(
  'a command that is stopped by a failed write names only this error, and with --json its exit code',
  async () => {
    const stdin = '/v3/models\n'.repeat(40);
    const error = 'error STORE_FAILED: Standard output could not be written (ENOSPC).';
    expect(await onFullDisk(['request', 'GET', '-'], stdin)).toEqual({ code: 1, stderr: `${error}\n` });
    const { code, stderr } = await onFullDisk(['request', 'GET', '-', '--json'], stdin);
    const [line, json = '', ...others] = stderr.trimEnd().split('\n');
    expect([code, line, others]).toEqual([1, error, []]);
    expect(JSON.parse(json)).toMatchObject({ error: { code: 'STORE_FAILED', exitCode: 1 } });
  },
);

test.runIf(process.platform === 'linux')(
  'a change whose answers cannot be written is paused, and continued without a second request',
  async () => {
    const ids = await makeBaselines(30);
    world.raw.service.setFaults([
      { match: { operation: 'baselines.delete' }, action: { type: 'delay', delayMs: 300 } },
    ]);
    const { code, stderr } = await onFullDisk(['delete', 'baselines', ...ids, '--yes']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error STORE_FAILED: Standard output could not be written \(ENOSPC\)\.$/m);
    const [, changeId = ''] = /^Resume it: changes resume (\S+)$/m.exec(stderr) ?? [];
    world.raw.service.setFaults([]);
    expect(await here(['changes', 'resume', changeId])).toMatchObject({ code: 0 });
    expect(requests('baselines.delete')).toBe(30);
  },
);

/** Runs a command whose standard output is a full disk. */
async function onFullDisk(words: string[], stdin = ''): Promise<Omit<CliResult, 'stdout'>> {
  const child = spawn(process.execPath, [CLI, ...words, ...address(), '--data-dir', folder.path], {
    env: { ...process.env, SPANDECK_TOKEN: TOKEN, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' },
    stdio: ['pipe', openSync('/dev/full', 'w'), 'pipe'],
  });
  child.stdin?.on('error', () => undefined).end(stdin);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((settle) => child.once('close', settle));
  return { code, stderr };
}

test('help is a command too', async () => {
  expect((await cli(['help'])).stdout).toBe((await here(['--help'])).stdout);
  expect((await here(['help', 'planned'])).stdout).toMatch(/^spandeck planned \[start\|change\|cancel ID\]/);
  expect(await here(['help', 'plannd'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'error INVALID_ARGUMENT: No command named plannd. Did you mean planned? Run with --help for the list.\n',
  });
});

test.each<[string[], RegExp]>([
  [['changes', '--start-at', '02:00'], /changes takes no --start-at\. It belongs to: changes resume\./],
  [['changes', 'stop', 'x', '--no-wait'], /changes stop takes no --no-wait/],
  [
    ['uploads', '--output', 'x.csv'],
    /uploads takes no --output\. It belongs to: uploads resume, uploads receipts/,
  ],
  [['builds', 'forget', '--verify'], /builds forget takes no --verify/],
  [
    ['changes', 'resume', 'x'],
    /^error NOT_FOUND: No change x on this connection\. Run changes for the list\.$/m,
  ],
  [['changes', 'resume'], /changes resume expects an ID; 0 changes fit\./],
  [['profile', 'models', 'Card fraud'], /models is one list, and Card fraud does not narrow it\./],
  [
    ['export', 'spans', 'Support', '--output', 's.csv', '--since', '1d'],
    /Did you mean --application "Support"\?/,
  ],
  [['export', 'models', 'Card fraud', '--output', 'm.csv'], /get models "Card fraud"/],
  [['models', '--connection', 'Other'], /Both --base-url and --connection were given\. One is enough\./],
])('%j is rejected with the expected form', async (args, reason) => {
  const { code, stdout, stderr } = await here(args);
  expect(stderr).toMatch(reason);
  expect({ code, stdout }).toEqual({ code: stderr.startsWith('error NOT_FOUND') ? 1 : 2, stdout: '' });
});

test('an invalid data folder, and a missing one, are reported', async () => {
  for (const dataDir of [join(CLI, 'below-a-file'), '']) {
    const { code, stderr } = await here(['models'], { dataDir });
    expect(stderr).toMatch(/^error (STORE_FAILED|INVALID_ARGUMENT): .*--data-dir.*\n$/);
    expect(code).toBe(dataDir === '' ? 2 : 1);
  }
  const unicode = await here(['models', '--json'], { dataDir: join(folder.path, 'ünï 数据 📁') });
  expect(jsonLines(unicode)).toMatchObject([{ total: 3 }]);
});

test('without a token the line says how to provide one', async () => {
  await here(['models']);
  const { stderr, code } = await runCli(['request', 'GET', '/v3/models', ...address()], {
    dataDir: folder.path,
  });
  expect(stderr).toMatch(/^error NO_TOKEN: .* SPANDECK_TOKEN\.\n$/);
  expect(code).toBe(1);
});

test('escape codes in names do not reach the terminal unescaped', async () => {
  const body = JSON.stringify({ name: 'red \u001b[31m' });
  const made = await here(['create', 'projects', '--body', body]);
  expect(made.stdout).toMatch(/ {2}created {2}red �\[31m\n$/);
  expect((await here(['ls', 'projects'])).stdout).not.toContain('\u001b');
  const listed = jsonLines(await here(['ls', 'projects', '--json']));
  expect(listed[0].items.map(({ name }: { name: string }) => name)).toContain('red \u001b[31m');
});

test('a deletion with a lost answer succeeds when it is repeated; one of nothing is not found', async () => {
  const ids = await makeBaselines(3);
  const loseOne = () =>
    world.raw.service.setFaults([
      { match: { operation: 'baselines.delete' }, times: 1, action: { type: 'drop-after' } },
    ]);
  loseOne();
  const one = await here(['delete', 'baselines', ids[0] ?? '', '--yes', '--json']);
  expect(jsonLines(one)).toMatchObject([
    { operation: 'baselines.delete', id: ids[0], status: 404, job: null },
  ]);
  expect(one.stderr).toContain('The answer to an earlier attempt was lost. The record no longer exists.');
  expect(one.code).toBe(0);
  loseOne();
  const several = await here(['delete', 'baselines', ...ids.slice(1), '--yes', '--json']);
  expect(jsonLines(several).map(({ state }) => state)).toEqual(['done', 'done']);
  expect(several.code).toBe(0);
  expect(requests('baselines.delete')).toBe(5);
  const gone = await here(['delete', 'baselines', ids[0] ?? '', '--yes']);
  expect(gone).toMatchObject({ code: 6, stdout: '', stderr: expect.stringMatching(/^error NOT_FOUND: /) });
});

test('lists without rows say so in a sentence, and what fills them', async () => {
  const lists = [
    'kept',
    'builds',
    'uploads',
    'changes',
    'damaged',
    'presets',
    'scores',
    'jobs',
    'outbox',
    'planned',
  ];
  for (const list of lists) {
    const { code, stdout } = await here([list]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[A-Z][^\n]+( with: [^\n]+|\.)\n$/);
  }
});
