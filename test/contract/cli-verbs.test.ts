/** Every operation that the command line reaches by a verb or a query, and its answer with --json. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoint, OPERATION_IDS, type OperationId } from '../../electron/api/endpoints.ts';
import { isAsk } from '../../electron/cli/resource-table.ts';
import { argumentsOf, verbAndResource } from '../helpers/cli-operation.ts';
import { runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
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

/**
 * Operations whose command runs as a separate process, one for each kind of answer: a list, a record, a query, changes.
 */
const OWN_PROCESS = new Set<OperationId>([
  'projects.list',
  'models.get',
  'evaluators.score',
  'projects.create',
  'applications.delete',
]);

async function answerOf(operation: OperationId): Promise<Record<string, unknown>> {
  const args = argumentsOf(operation, await CASES[operation].success(world));
  const run = OWN_PROCESS.has(operation) ? runCli : runHere;
  const result = await run([...args, '--json', '--base-url', world.raw.service.baseUrl], {
    token: TOKEN,
    dataDir: folder.path,
  });
  expect(result, args.join(' ')).toMatchObject({ code: 0 });
  expect(result.stdout + result.stderr).not.toContain(TOKEN);
  expect(result.stdout.trim().split('\n')).toHaveLength(1);
  return JSON.parse(result.stdout);
}

describe('commands with --json', () => {
  test.each(REACHED.filter((id) => endpoint(id).answer === 'paginated'))(
    '%s answers with items, total, complete and asOf',
    async (operation) => {
      const answer = await answerOf(operation);
      expect(Object.keys(answer).sort()).toEqual(['asOf', 'complete', 'items', 'total']);
      const { item } = endpoint(operation);
      for (const record of answer['items'] as unknown[]) expect(item.safeParse(record).success).toBe(true);
      expect(answer['asOf']).toMatch(/^\d{4}-\d{2}-\d{2}T/);
    },
  );

  test.each(REACHED.filter((id) => !endpoint(id).isWrite && endpoint(id).answer !== 'paginated'))(
    '%s answers with its record',
    async (operation) => {
      const { asOf, ...record } = await answerOf(operation);
      expect(endpoint(operation).item.safeParse(record).success).toBe(true);
      // A score is not stored, so there is never an earlier time.
      expect(asOf === undefined).toBe(operation === 'evaluators.score');
    },
  );

  test.each(REACHED.filter((id) => endpoint(id).isWrite))(
    '%s answers with its outcome',
    async (operation) => {
      const { successStatus, answer: kind } = endpoint(operation);
      const answer = await answerOf(operation);
      expect(answer).toMatchObject({ operation, status: successStatus });
      expect(Object.keys(answer)).toEqual(expect.arrayContaining(['id', 'record', 'requestId', 'job']));
      if (kind === 'empty') expect(answer['record']).toBeNull();
      if (operation === 'applications.delete') {
        expect(answer).toMatchObject({ job: { name: 'Delete application' }, ended: { status: 'SUCCESS' } });
      }
    },
  );
});

test('each operation was requested from the service', () => {
  const { operations } = world.raw.service.report();
  expect(REACHED.filter((id) => (operations[id]?.requests ?? 0) === 0)).toEqual([]);
});
