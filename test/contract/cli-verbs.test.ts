/** Every operation that a verb or a question of the command line reaches, sent by a process of its own. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoint, OPERATION_IDS, type OperationId } from '../../electron/api/endpoints.ts';
import { isAsk } from '../../electron/cli/resource-table.ts';
import { argumentsOf, verbAndResource } from '../helpers/cli-operation.ts';
import { runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { World } from './sample-service-cases/world.ts';
import { CASES } from './sample-service-cases.ts';

let world: World;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  world = await World.start({ settings: { jobPendingMs: 0, jobRunMs: 0 } });
  folder = temporaryFolder('cli-verbs');
});
afterAll(async () => {
  const report = world.raw.service.report();
  await world.stop();
  folder.remove();
  expect(report).toMatchObject({ overLimit: 0, unknownRoutes: 0, malformedRequests: 0 });
});

const REACHED = OPERATION_IDS.filter((id) => isAsk(id) || verbAndResource(id) !== null);

async function answerOf(operation: OperationId): Promise<Record<string, unknown>> {
  const args = argumentsOf(operation, await CASES[operation].success(world));
  const result = await runCli([...args, '--json', '--base-url', world.raw.service.baseUrl], {
    token: TOKEN,
    dataDir: folder.path,
  });
  expect(result, args.join(' ')).toMatchObject({ code: 0 });
  expect(result.stdout + result.stderr).not.toContain(TOKEN);
  expect(result.stdout.trim().split('\n')).toHaveLength(1);
  return JSON.parse(result.stdout);
}

describe.concurrent('with --json', () => {
  test.for(REACHED.filter((id) => endpoint(id).answer === 'paginated'))(
    '%s answers items, total, complete and asOf',
    async (operation, { expect: soon }) => {
      const answer = await answerOf(operation);
      soon(Object.keys(answer).sort()).toEqual(['asOf', 'complete', 'items', 'total']);
      const { item } = endpoint(operation);
      for (const record of answer['items'] as unknown[]) soon(item.safeParse(record).success).toBe(true);
      soon(answer['asOf']).toMatch(/^\d{4}-\d{2}-\d{2}T/);
    },
  );

  test.for(REACHED.filter((id) => !endpoint(id).isWrite && endpoint(id).answer !== 'paginated'))(
    '%s answers its record',
    async (operation, { expect: soon }) => {
      const { asOf, ...record } = await answerOf(operation);
      soon(endpoint(operation).item.safeParse(record).success).toBe(true);
      // A score is not stored, so it is never of an earlier time.
      soon(asOf === undefined).toBe(operation === 'evaluators.score');
    },
  );

  test.for(REACHED.filter((id) => endpoint(id).isWrite))(
    '%s answers what became of it',
    async (operation, { expect: soon }) => {
      const { successStatus, answer: kind } = endpoint(operation);
      const answer = await answerOf(operation);
      soon(answer).toMatchObject({ operation, status: successStatus });
      soon(Object.keys(answer)).toEqual(soon.arrayContaining(['id', 'record', 'requestId', 'job']));
      if (kind === 'empty') soon(answer['record']).toBeNull();
      if (operation === 'applications.delete') {
        soon(answer).toMatchObject({ job: { name: 'Delete application' }, ended: { status: 'SUCCESS' } });
      }
    },
  );
});

test('the service was asked for every one of them', () => {
  const { operations } = world.raw.service.report();
  expect(REACHED.filter((id) => (operations[id]?.requests ?? 0) === 0)).toEqual([]);
});
