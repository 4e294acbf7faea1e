/** Changes by the command line: several at once, rejections, dry runs, jobs, lost answers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { type CliResult, jsonLines, temporaryFolder } from '../helpers/run-cli.ts';
import { type HereOptions, type Running, runHere } from '../helpers/run-here.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { ScriptedServer, sendJson } from '../helpers/scripted-server.ts';
import { baselineBody } from './sample-service-cases/monitoring.ts';
import { UNKNOWN_ID, World } from './sample-service-cases/world.ts';

let world: World;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  world = await World.start({ settings: { jobPendingMs: 0, jobRunMs: 0 } });
  folder = temporaryFolder('cli-changes');
});
afterEach(async () => {
  await world.stop();
  folder.remove();
});

function cli(
  args: string[],
  options: Partial<HereOptions> = {},
  baseUrl = world.raw.service.baseUrl,
): Promise<CliResult> {
  return runHere([...args, '--base-url', baseUrl], {
    token: TOKEN,
    dataDir: folder.path,
    ...options,
  });
}
/** Presses Ctrl-C once the planned job is stored. */
const interruptOnceKept = (command: Running): void => {
  command.stderr?.on('data', (text: Buffer) => {
    if (text.toString().includes('Keep this running')) command.kill('SIGINT');
  });
};
const requests = (operation: OperationId) => world.raw.service.report().operations[operation]?.requests ?? 0;

test('several ids are changed one by one, each with its line, and a failure sets the exit code', async () => {
  const ids = [
    await world.make('baselines.create', baselineBody(world)),
    UNKNOWN_ID,
    await world.make('baselines.create', baselineBody(world)),
  ];
  const result = await cli(['delete', 'baselines', ...ids, ids[0] ?? '', 'no such name', '--yes', '--json']);
  expect(jsonLines(result)).toMatchObject([
    { id: 'no such name', error: { code: 'NOT_FOUND' } },
    { id: ids[0], state: 'done' },
    { id: UNKNOWN_ID, state: 'failed', error: { code: 'NOT_FOUND', status: 404, outcome: 'answered' } },
    { id: ids[2], state: 'done' },
  ]);
  expect(result.stderr).toMatch(/^Plan: 3 to Delete a baseline .+ · ends .+\.$/m);
  expect(result.stderr).toContain('1 id repeated; each is sent once.');
  expect(result.stderr).toMatch(/^error HTTP_ERROR: 2 of 4 failed; each line gives the reason\.$/m);
  expect(result.code).toBe(1);
  expect(requests('baselines.delete')).toBe(3);
});

test('reads ids from standard input and the body from a file', async () => {
  const file = join(folder.path, 'body.json');
  writeFileSync(file, '{"description": "from a file"}');
  const made = { name: world.name('Set'), application_id: world.ids.application };
  const ids = [world.ids.dataset, await world.make('datasets.create', made)];
  const result = await cli(['update', 'datasets', '-', '--body', `@${file}`, '--json'], {
    stdin: `${ids.join('\n')}\n\n`,
  });
  expect(jsonLines(result)).toMatchObject(
    ids.map((id) => ({ operation: 'datasets.update', id, state: 'done' })),
  );
  expect(result.stderr).toMatch(/^Plan: 2 to Change a dataset .+ · ends .+\.$/m);
  expect(result.code).toBe(0);
  for (const id of ids) {
    const read = await cli(['get', 'datasets', id, '--json']);
    expect(jsonLines(read)).toMatchObject([{ id, description: 'from a file' }]);
  }
});

test('the cost of several changes is shown, and nothing is sent', async () => {
  const ids = [world.ids.dataset, UNKNOWN_ID];
  const command = ['update', 'datasets', ...ids, '--body', '{"active": false}', '--plan'];
  expect(jsonLines(await cli([...command, '--json']))).toMatchObject([
    { operation: 'datasets.update', wouldChange: ids, plan: { requests: 2 } },
  ]);
  const text = await cli(command);
  expect(text.stdout).toMatch(/^2 to Change a dataset .+ · ends /m);
  expect(text.code).toBe(0);
  const wrong = await cli([...command, '--start-at', 'tonight']);
  expect(wrong.stderr).toMatch(/^error INVALID_ARGUMENT: --start-at expects a time such as 02:00/m);
  expect(requests('datasets.update')).toBe(0);
});

test('a name is accepted in place of an id', async () => {
  const name = 'Support answers, golden set';
  const result = await cli(['update', 'datasets', name, '--body', '{"active": false}', '--json']);
  expect(jsonLines(result)).toMatchObject([{ id: name, record: { id: world.ids.dataset, active: false } }]);
});

test('without --yes a deletion lists its targets and deletes nothing', async () => {
  const result = await cli(['delete', 'applications', 'Support assistant', '--json']);
  expect(jsonLines(result)).toMatchObject([
    {
      operation: 'applications.delete',
      wouldDelete: [
        {
          id: world.ids.application,
          name: 'Support assistant',
          also: expect.arrayContaining([
            { what: 'Datasets', count: 2 },
            { what: 'Catalog', count: expect.any(Number) },
          ]),
        },
      ],
    },
  ]);
  expect(result.stderr).toMatch(/^error INVALID_ARGUMENT: Nothing was deleted\. Add --yes to delete it\.$/m);
  expect(result.code).toBe(2);
  expect(requests('applications.delete')).toBe(0);
  const text = await cli(['delete', 'applications', 'Support assistant']);
  expect(text.stdout).toMatch(/everything that belongs to it\.\n.*Support assistant\n.*Datasets: 2/);
});

test('a deletion with a job is followed to its end, but not with --no-wait', async () => {
  const made = (name: string) => world.make('applications.create', { name, project_id: world.ids.project });
  const ids = [await made('One'), await made('Two')];
  const waited = await cli(['delete', 'applications', ids[0] ?? '', '--yes', '--json']);
  expect(jsonLines(waited)).toMatchObject([{ status: 202, ended: { status: 'SUCCESS', isOver: true } }]);
  const started = await cli(['delete', 'applications', ids[1] ?? '', '--yes', '--no-wait', '--json']);
  expect(jsonLines(started)).toMatchObject([{ status: 202, job: { name: 'Delete application' } }]);
  expect(jsonLines(started)[0]).not.toHaveProperty('ended');
});

test('a job that fails fails the command', async () => {
  const job = { id: 'j', name: 'Delete application', status: 'FAILURE', error_message: 'It is in use.' };
  await using server = await ScriptedServer.start((request, response) => {
    const data = request.method === 'DELETE' ? { job: { id: 'j', name: job.name } } : job;
    sendJson(response, request.method === 'DELETE' ? 202 : 200, { api_version: '3.0', kind: 'NORMAL', data });
  });
  const result = await cli(['delete', 'applications', UNKNOWN_ID, '--yes'], {}, server.baseUrl);
  expect(result.stderr).toMatch(/^error SERVICE_FAILED: Job .+ ended as FAILURE\. It is in use\.$/m);
  expect(result.code).toBe(1);
});

test('a plan shows its cost and sends nothing', async () => {
  const ids = [1, 2].map((index) => index.toString(16).padStart(32, '0'));
  const result = await cli([
    'delete',
    'traces',
    ...ids,
    '--application',
    'Support assistant',
    '--plan',
    '--json',
  ]);
  expect(jsonLines(result)).toMatchObject([
    { operation: 'traces.delete', plan: { requests: 1, leftToday: 100 }, wouldDelete: [{ id: ids[0] }, {}] },
  ]);
  expect(result.code).toBe(0);
  const id = await world.make('baselines.create', baselineBody(world));
  const text = await cli(['delete', 'baselines', id, '--plan', '--yes']);
  expect(text.stdout).toMatch(/^1 to Delete a baseline .+ · ends /m);
  expect(requests('traces.delete') + requests('baselines.delete')).toBe(0);
});

test('a deletion planned for later is stored, rescheduled, and cancelled', async () => {
  const ids = await Promise.all([1, 2].map(() => world.make('baselines.create', baselineBody(world))));
  const planned = await cli(['delete', 'baselines', ...ids, '--yes', '--start-at', '2099-05-01T02:00:00Z'], {
    onStart: interruptOnceKept,
  });
  const [, changeId = ''] = /Stays planned for .+ planned start (\S+)/.exec(planned.stderr) ?? [];
  expect(jsonLines(await cli(['changes', '--json']))).toMatchObject([
    { items: [{ id: changeId, what: 'Delete 2 baselines', state: 'scheduled' }] },
  ]);
  expect(requests('baselines.delete')).toBe(0);
  const stopped = await cli(['changes', 'stop', changeId, '--json']);
  expect(jsonLines(stopped)).toMatchObject([{ state: 'stopped', left: 2 }]);
  expect((await cli(['changes', 'forget', changeId, '--yes'])).stdout).toBe(
    'Dismissed: Delete 2 baselines.\n',
  );
  expect(
    (await cli(['delete', 'baselines', ...ids, '--yes', '--start-at', '2001-01-01 02:00'])).stderr,
  ).toMatch(/has passed/);
});

test('a change of one record planned for later is stored', async () => {
  const command = ['update', 'datasets', world.ids.dataset, '--body', '{"active": false}'];
  const planned = await cli([...command, '--start-at', '2099-05-01T02:00:00Z'], {
    onStart: interruptOnceKept,
  });
  expect(planned.stderr).toMatch(/Stays planned for .+ planned start \S+/);
  expect(jsonLines(await cli(['changes', '--json']))).toMatchObject([
    { items: [{ what: 'Change 1 dataset', state: 'scheduled' }] },
  ]);
  expect(requests('datasets.update')).toBe(0);
});

test('traces are deleted together, as many per request as it accepts', async () => {
  const ids = Array.from({ length: 1_001 }, (_, index) => (index + 1).toString(16).padStart(32, '0'));
  const result = await cli(
    ['delete', 'traces', '-', '--application', 'Support assistant', '--yes', '--json'],
    {
      stdin: ids.join('\n'),
    },
  );
  expect(jsonLines(result).map(({ id }) => id)).toEqual(ids);
  expect(requests('traces.delete')).toBe(2);
});

test('a change with a lost answer is not sent again, and the line says that the outcome is unknown', async () => {
  world.raw.service.setFaults([{ match: { operation: 'projects.create' }, action: { type: 'drop-after' } }]);
  const { stderr, code } = await cli(['create', 'projects', '--body', '{"name": "x"}']);
  expect(stderr).toMatch(/^error CONNECTION_LOST: /);
  expect(code).toBe(1);
  expect(requests('projects.create')).toBe(1);
});
