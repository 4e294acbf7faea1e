/** Every command with a service that implements only the specification. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATION_IDS } from '../../electron/api/endpoints.ts';
import { COMMANDS, type CommandName } from '../../electron/cli/command-specs.ts';
import { isAsk } from '../../electron/cli/resource-table.ts';
import { SPECIFIED_OPERATIONS } from '../../electron/sample-service/routes.ts';
import { argumentsOf, verbAndResource } from '../helpers/cli-operation.ts';
import type { CliResult } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { World } from './sample-service-cases/world.ts';
import { CASES } from './sample-service-cases.ts';

let world: World;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  world = await World.start({ settings: { jobPendingMs: 0, jobRunMs: 0 } });
  folder = temporaryFolder('strict-commands');
});
afterAll(async () => {
  await world.stop();
  folder.remove();
});

const run = (args: readonly string[]): Promise<CliResult> =>
  runHere([...args, '--base-url', world.raw.service.baseUrl], {
    token: TOKEN,
    dataDir: folder.path,
    env: { SPANDECK_PASSPHRASE: 'four words are enough' },
  });

const SPECIFIED = OPERATION_IDS.filter(
  (id) => SPECIFIED_OPERATIONS.has(id) && (isAsk(id) || verbAndResource(id) !== null),
);

test.each(SPECIFIED)('%s works without other operations', async (operation) => {
  // The requirements of a case are created while the service still knows everything.
  world.raw.service.setStrict(false);
  const args = argumentsOf(operation, await CASES[operation].success(world));
  world.raw.service.setStrict(true);
  expect(await run([...args, '--json']), args.join(' ')).toMatchObject({ code: 0 });
});

const file = (name: string): string => join(folder.path, name);
function scoreFile(name: string): string {
  writeFileSync(file(name), '{"item_id": "i1", "scores": {"quality": {"value": 1}}}\n');
  return file(name);
}
const APPLICATION = 'Support assistant';
const DATASET = 'Claims triage, edge cases';
/** Commands that have no operation, in their shortest form. */
const OTHERS: Partial<Record<CommandName, () => readonly string[]>> = {
  test: () => ['test'],
  doctor: () => ['doctor'],
  agents: () => ['agents'],
  applications: () => ['applications'],
  attributes: () => ['attributes'],
  datasets: () => ['datasets'],
  catalog: () => ['catalog', APPLICATION],
  values: () => ['values', APPLICATION, '--entity-type', 'span_type', '--name', 'llm'],
  items: () => ['items', DATASET],
  snapshots: () => ['snapshots', DATASET],
  // `items` has read all of them and thus taken a snapshot.
  diff: () => ['diff', DATASET, DATASET],
  coverage: () => ['coverage', DATASET],
  schema: () => ['schema', DATASET],
  spans: () => ['spans', '--application', APPLICATION, '--since', '7d'],
  'span-fields': () => ['span-fields', '--application', APPLICATION, '--since', '7d'],
  'score-items': () => [
    ...['score-items', DATASET, '--evaluator', 'conciseness'],
    ...['--input', 'response=expected_outputs.answer', '--plan'],
  ],
  uploads: () => ['uploads'],
  presets: () => ['presets'],
  builds: () => ['builds'],
  review: () => ['review'],
  scores: () => ['scores'],
  gate: () => ['gate', scoreFile('before.jsonl'), scoreFile('after.jsonl'), '--fail-if', 'missing > 0'],
  keep: () => ['keep', 'application', APPLICATION, '--plan'],
  kept: () => ['kept'],
  changes: () => ['changes'],
  outbox: () => ['outbox'],
  planned: () => ['planned'],
  damaged: () => ['damaged'],
  health: () => ['health'],
  jobs: () => ['jobs'],
  budget: () => ['budget'],
  search: () => ['search', 'support'],
  profile: () => ['profile', 'datasets'],
  export: () => ['export', 'datasets', '--output', file('datasets.jsonl')],
  report: () => ['report', 'version', DATASET, '--output', file('report.html')],
  verify: () => ['verify', file('report.html')],
  sql: () => ['sql', '--views'],
  pack: () => ['pack', 'create', '--output', file('a.pack'), '--dataset', DATASET],
  mirror: () => ['mirror', file('notebooks')],
  traffic: () => ['traffic'],
  request: () => ['request', 'GET', '/v3/applications'],
  settings: () => ['settings'],
  help: () => ['help'],
  completion: () => ['completion', 'bash'],
};

test.each(Object.entries(OTHERS))('%s works', async (_name, args) => {
  world.raw.service.setStrict(true);
  expect(await run(args()), args().join(' ')).toMatchObject({ code: 0 });
});

/** The operations of these commands are in no specification, so the message says that the service lacks them. */
const NEED_MORE: Partial<Record<CommandName, readonly string[]>> = {
  models: ['models'],
  experiments: ['experiments'],
  'try-rule': ['try-rule', 'Short drafts'],
  'upload-file': ['upload-file', import.meta.filename, '--model', '7b0f0a52-6c1c-4b0e-9f3a-2f6d4f6b8a11'],
};

test.each(Object.entries(NEED_MORE))('%s reports what the service lacks', async (_name, args) => {
  world.raw.service.setStrict(true);
  const refused = await run(args);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/^error \w+: /m);
});

test('no command is left out', () => {
  const byVerb = ['ls', 'get', 'create', 'update', 'delete', 'query', 'score'];
  // Tested in strict-service.test.ts, with their requests.
  const elsewhere = ['upload', 'from-spans', 'delete-events'];
  // Answers an agent about stored data, which mcp.test.ts tests.
  const ofAgents = ['mcp'];
  const covered = [...Object.keys(OTHERS), ...Object.keys(NEED_MORE), ...byVerb, ...elsewhere, ...ofAgents];
  expect(COMMANDS.map(({ name }) => name).toSorted()).toEqual(covered.toSorted());
});
