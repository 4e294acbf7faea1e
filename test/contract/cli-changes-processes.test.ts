/** Changes by the command line that are killed or interrupted, and continued by another process. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { type CliOptions, type CliResult, jsonLines, runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { baselineBody } from './sample-service-cases/monitoring.ts';
import { World } from './sample-service-cases/world.ts';

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

function cli(args: string[], options: Partial<CliOptions> = {}): Promise<CliResult> {
  return runCli([...args, '--base-url', world.raw.service.baseUrl], {
    token: TOKEN,
    dataDir: folder.path,
    ...options,
  });
}
const requests = (operation: OperationId) => world.raw.service.report().operations[operation]?.requests ?? 0;

test('a killed change is continued, and each record is changed', async () => {
  const names = Array.from({ length: 12 }, () => world.name('Set'));
  const make = (name: string) =>
    world.make('datasets.create', { name, application_id: world.ids.application });
  const ids: string[] = [];
  for (const name of names) ids.push(await make(name));
  world.raw.service.setFaults([
    { match: { operation: 'datasets.update' }, after: 3, action: { type: 'hang' } },
  ]);
  const killed = await cli(['update', 'datasets', ...ids, '--body', '{"active": false}', '--json'], {
    onStart: (child) =>
      child.stdout?.on('data', (text: Buffer) => {
        if (text.toString().includes('done')) child.kill('SIGKILL');
      }),
  });
  expect(killed.code).toBeNull();
  world.raw.service.setFaults([]);
  const [kept] = jsonLines(await cli(['changes', '--json']));
  expect(kept).toMatchObject({ items: [{ what: 'Change 12 datasets', state: 'paused', total: 12 }] });
  const resumed = await cli(['changes', 'resume', kept.items[0].id, '--json']);
  expect(resumed).toMatchObject({ code: 0 });
  expect(jsonLines(resumed)).toMatchObject(ids.map((id) => ({ id, state: 'done' })));
  const list = jsonLines(await cli(['ls', 'datasets', '--json'])).flatMap(({ items }) => items);
  const changed = list.filter(
    ({ id, active }: { id: string; active: boolean }) => ids.includes(id) && !active,
  );
  expect(changed).toHaveLength(12);
});

test('Ctrl-C stops waiting for a job and says how to inspect it', async () => {
  await world.stop();
  world = await World.start({ settings: { jobPendingMs: 600_000, jobRunMs: 0 } });
  const result = await cli(['delete', 'applications', world.ids.claims, '--yes'], {
    onStart: (child) => child.stderr?.once('data', () => child.kill('SIGINT')),
  });
  expect(result.stderr).toMatch(
    /^error CANCELLED: Stopped waiting\. Job .+ continues at the service\. Look at it with: get jobs .+\n$/m,
  );
  expect(result.code).toBe(130);
  expect(requests('applications.delete')).toBe(1);
});

test('Ctrl-C among several: unsent changes are listed as unsent, and continued later', async () => {
  const ids = await Promise.all(
    Array.from({ length: 12 }, () => world.make('baselines.create', baselineBody(world))),
  );
  world.raw.service.setFaults([
    { match: { operation: 'baselines.delete' }, action: { type: 'delay', delayMs: 300 } },
  ]);
  const result = await cli(['delete', 'baselines', ...ids, '--yes', '--json'], {
    onStart: (child) => child.stdout?.once('data', () => child.kill('SIGINT')),
  });
  const answers = jsonLines(result);
  expect(answers.map(({ id }) => id)).toEqual(ids);
  expect(answers[0]).toMatchObject({ state: 'done' });
  expect(answers.at(-1)).toMatchObject({
    state: 'waiting',
    error: { code: 'CANCELLED', outcome: 'unsent' },
  });
  expect(result.stderr).toMatch(/^error CANCELLED: \d+ of 12 failed; each line gives the reason\.$/m);
  expect(result.code).toBe(130);
  const [, changeId = ''] = /changes resume (\S+)/.exec(result.stderr) ?? [];
  const [listed] = jsonLines(await cli(['changes', '--json']));
  expect(listed).toMatchObject({ items: [{ id: changeId, state: 'paused', total: 12 }] });
  const rest = await cli(['changes', 'resume', changeId, '--json']);
  expect(rest.code).toBe(0);
  expect(jsonLines(rest).map(({ state }) => state)).toEqual(ids.map(() => 'done'));
  // Each deletion was sent once, despite the interrupts.
  expect(requests('baselines.delete')).toBe(12);
  expect(jsonLines(await cli(['changes', '--json']))).toMatchObject([{ items: [] }]);
});
