/** Mappings for `from-spans` and `builds resume` that do not fit the spans: no empty item is made without a message. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const cli = cliRig('cli-mappings');
const { run, answered } = cli;
const SPANS = ['spans', '--application', 'Support assistant', '--since', '7d'];
const MAPPING = '{"inputs": {"question": "gen_ai.llm.input.user"}}';
const calls = () => cli.service.report().operations['datasets.add-spans']?.requests ?? 0;

async function chosen(): Promise<Record<string, string>[]> {
  const { items } = await answered(...SPANS, '--limit', '200');
  return items.filter((span: Record<string, unknown>) => span['span_type'] === 'llm').slice(0, 3);
}
function csv(spans: readonly Record<string, string>[]): string {
  const file = cli.file('spans.csv');
  const lines = spans.map((each) => `${each['trace_id']},${each['span_id']},${each['start_time']},better`);
  writeFileSync(file, `trace_id,span_id,start_time,correction\n${lines.join('\n')}\n`);
  return file;
}
const make = (name: string, file: string, mapping: string, ...more: string[]) => [
  ...['from-spans', name, '--application', 'Support assistant', '--spans', file],
  ...['--create', '--mapping', mapping, ...more],
];

test('a key that no span has is refused with the near ones before anything is sent', async () => {
  const file = csv(await chosen());
  const wrong = '{"inputs": {"question": "input"}, "expected_outputs": {"answer": "correction"}}';
  const refused = await run(...make('Edge', file, wrong));
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toMatch(/No span has input, correction\. Did you mean .*gen_ai\.llm\.input\.\w+/);
  expect(refused.stderr).toContain('--skip-missing-keys');
  expect(refused.stderr).toContain('1 column of');
  expect(refused.stderr).toContain('correction');
  expect(await run(...make('Edge', file, wrong, '--plan'))).toMatchObject({ code: 2 });
  expect(calls()).toBe(0);

  const forced = await run(...make('Edge', file, wrong, '--skip-missing-keys'));
  expect(forced).toMatchObject({ code: 7 });
  expect(forced.stderr).toContain('3 items without any field.');
  expect(forced.stderr).toContain('inputs.question, expected_outputs.answer');
  const [{ id }] = (await answered('builds')).items;
  const verified = await run('builds', 'verify', id);
  expect(verified).toMatchObject({ code: 7, stdout: expect.stringContaining('Without any field: 3 items.') });

  const partly =
    '{"inputs": {"question": "gen_ai.llm.input.user"}, "expected_outputs": {"answer": "correction"}}';
  const asked = await run(...make('Partly', file, partly, '--skip-missing-keys'));
  expect(asked).toMatchObject({ code: 0, stderr: expect.stringContaining('has expected_outputs.answer.') });

  // The example from the help works on the sample service.
  expect(await run(...make('Good', file, MAPPING, '--verify'))).toMatchObject({ code: 0 });
});

test('a draft is not sent with a key that none of its spans has', async () => {
  const file = cli.file('whole.jsonl');
  writeFileSync(file, (await chosen()).map((span) => JSON.stringify(span)).join('\n'));
  const wrong = '{"inputs": {"question": "no.such.key"}}';
  const planned = make('Later', file, wrong, '--start-at', '2099-01-01 10:00', '--skip-missing-keys');
  await cli.runUntil(/Starts at/, ...planned);
  const resumed = await run('builds', 'resume');
  expect(resumed).toMatchObject({ code: 2, stderr: expect.stringContaining('No span has no.such.key.') });
  const sent = await run(...make('Now', file, wrong));
  expect(sent).toMatchObject({ code: 2, stderr: expect.stringContaining('No span has no.such.key.') });
});

test('columns of a file that become attributes of the spans are named', async () => {
  const added = await run('builds', 'add', 'Mine', csv(await chosen()), '--application', 'Support assistant');
  expect(added).toMatchObject({ code: 0 });
  expect(added.stdout).toContain('Attributes from columns: correction.');
});

test('a taken name is refused before sending, and an answer of spans --json is a file of spans', async () => {
  const spans = await chosen();
  await run(...make('Edge', csv(spans), MAPPING));
  const before = calls();
  for (const more of [[], ['--plan']]) {
    const taken = await run(...make('Edge', csv(spans), MAPPING, ...more));
    expect(taken).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Leave out --create to add to it'),
    });
  }
  expect(calls()).toBe(before);
  expect((await answered('builds')).total).toBe(1);

  const answer = await run(...SPANS, '--limit', '3', '--json', '--fields', 'trace_id,span_id,start_time');
  const file = cli.file('five.json');
  writeFileSync(file, answer.stdout);
  const made = await run(...make('From JSON', file, MAPPING, '--plan'));
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('3 items') });
  const none = await run('from-spans', 'Edge');
  expect(none.stderr).toMatch(/expects --application: .*; --spans: .*; --mapping: /);
});
