/** The dry run of evaluator rules on stored spans, from the command line and the engine. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { evaluatorRuleBody } from './sample-service-cases/rules.ts';
import { field, list, World } from './sample-service-cases/world.ts';

let world: World;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  world = await World.start();
  folder = temporaryFolder('try-rule');
});
afterAll(async () => {
  await world.stop();
  folder.remove();
});
const cli = (...args: string[]) =>
  runHere([...args, '--base-url', world.raw.service.baseUrl], {
    token: TOKEN,
    dataDir: join(folder.path, 'data'),
  });
const tried = async (...args: string[]) => {
  const { code, stdout, stderr } = await cli('try-rule', ...args, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
};
const ruleId = async () => {
  const rules = await world.items('evaluator-rules.list', {});
  const found = rules.find(
    (rule) =>
      field(rule, 'name') === 'Short drafts' && field(rule, 'application.id') === world.ids.application,
  );
  return String(field(found, 'id'));
};

test('says that nothing is stored, then counts as the service does', async () => {
  const id = await ruleId();
  expect(field(await tried(id), 'sentences.0')).toContain('No spans of this application are stored');
  const range = { start_time: '2000-01-01T00:00:00Z', end_time: '2100-01-01T00:00:00Z' };
  const body = { application_id: world.ids.application, ...range };
  expect(
    (
      await cli(
        'spans',
        '--body',
        JSON.stringify(body),
        '--start',
        range.start_time,
        '--end',
        range.end_time,
        '--limit',
        '100000',
      )
    ).code,
  ).toBe(0);
  const rules = [
    { field: 'Span::span_type', operator: 'eq', value: 'llm' },
    { field: 'Span::name', operator: 'eq', value: 'draft_answer' },
  ];
  const answer = await world.done('spans.query', {
    body: { ...body, filter: { condition: 'AND', rules }, page_size: 1 },
  });
  world.raw.service.clearReport();
  const run = await tried(id);
  expect(run['matching']).toBe(field(answer, 'data.total'));
  expect(run['matching']).toBeGreaterThan(100);
  expect(run).toMatchObject({
    isCut: false,
    samplingRate: 0.1,
    inputs: [{ name: 'response', foundAs: ['system.gen_ai.llm.output'], missing: 0 }],
  });
  expect(list(run['sentences']).at(-1)).toContain('takes a 10 % sample of what matches');
  // Only the list of rules was requested.
  const { operations } = world.raw.service.report();
  expect(operations['spans.query']?.requests ?? 0).toBe(0);

  const { stdout } = await cli('try-rule', id, '--offline');
  expect(stdout).toContain('system.gen_ai.llm.output');
});

test('tries a rule that does not exist yet, and names what it does not understand', async () => {
  const body = { ...evaluatorRuleBody(world), filters: { span_type: ['llm'] } };
  const run = await tried('--body', JSON.stringify(body));
  expect(run).toMatchObject({ ignoredFilters: ['{"span_type":["llm"]}'], samplingRate: 0.25 });
  expect(run['matching']).toBe(run['spans']);
});

test.each([
  [[], 'either one RULE, or --body'],
  [['one', '--body', '{}'], 'either one RULE, or --body'],
  [['--body', '{"name": "x"}'], 'expected application_id'],
  [['--body', '{"application_id": "x", "sampling_rate": 10}'], 'from 0 to 1, got 10'],
  [['--body', '{"application_id": "x", "mapped_input_keys": {"odd": 3}}'], 'input odd as a text, got 3'],
  [['no such rule'], 'No evaluator rule named'],
])('refuses %j', async (args, words) => {
  const { code, stderr } = await cli('try-rule', ...args);
  expect(code).not.toBe(0);
  expect(stderr).toContain(words);
});

test('the service makes rules, and refuses what it cannot use', async () => {
  const body = evaluatorRuleBody(world);
  const made = await world.done('evaluator-rules.create', { body });
  expect(field(made, 'data')).toMatchObject({ name: body.name, enabled: true, filters: { rules: [] } });
  for (const changes of [
    { mapped_input_keys: {} },
    { sampling_rate: 0 },
    { sampling_rate: 1.5 },
    { backfill_start_time: '2025-01-01T00:00:00Z' },
    { evaluator_id: world.ids.project },
    { application_id: world.ids.project },
  ])
    expect(
      (await world.send('evaluator-rules.create', { body: { ...body, ...changes } })).status,
      JSON.stringify(changes),
    ).toBe(400);
});
