/** Exports of the spans of a time range and of a session on the command line. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const ASKED = ['--application', 'Support assistant', '--since', '7d'];
const cli = cliRig('cli-export-spans');
const { run, answered } = cli;
const records = (file: string): Record<string, unknown>[] =>
  readFileSync(cli.file(file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('export spans and export session write all spans that the flags of spans select', async () => {
  const asked = await answered('spans', ...ASKED, '--limit', '1');
  const [first] = asked.items;
  const sessionId = String(first.session_id);
  const whole = await answered('export', 'spans', ...ASKED, '--output', cli.file('spans.jsonl'));
  expect(whole).toMatchObject({ complete: true, rows: records('spans.jsonl').length });
  expect(whole.rows).toBeGreaterThan(1);
  const ofSession = records('spans.jsonl').filter((span) => span['session_id'] === sessionId);
  await answered('export', 'session', sessionId, ...ASKED, '--output', cli.file('session.jsonl'));
  const written = records('session.jsonl');
  expect(written.map((span) => span['span_id']).toSorted()).toEqual(
    ofSession.map((span) => span['span_id']).toSorted(),
  );
  const starts = written.map((span) => String(span['start_time']));
  expect(starts).toEqual(starts.toSorted());
  await answered('export', 'session', sessionId, ...ASKED, '--output', cli.file('session.csv'));
  expect(readFileSync(cli.file('session.csv'), 'utf8').trim().split('\n').length).toBeGreaterThan(1);
  expect(await run('export', 'session', ...ASKED, '--output', cli.file('x.csv'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('export session expects ID'),
  });
  expect(await run('export', 'session', sessionId, '--output', cli.file('x.csv'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--application'),
  });
});

test('a session without a span in the range is an error, whatever form is asked for', async () => {
  for (const form of [[], ['--as', 'chat']]) {
    const file = cli.file(`none${form.length}.jsonl`);
    const ended = await run('export', 'session', 'nobody', ...ASKED, ...form, '--output', file);
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain('No span of session nobody was found');
    expect(readFileSync(file, 'utf8')).toBe('');
  }
});

test('--as chat writes conversations: one per trace of spans, one for a session', async () => {
  const [first] = (await answered('spans', ...ASKED, '--limit', '1')).items;
  const sessionId = String(first.session_id);
  const of = (file: string) => ['--output', cli.file(file)];
  await answered('export', 'session', sessionId, ...ASKED, ...of('session-spans.jsonl'));
  const traces = new Set(records('session-spans.jsonl').map((span) => span['trace_id']));
  const whole = await answered('export', 'session', sessionId, ...ASKED, '--as', 'chat', ...of('chat.jsonl'));
  expect(whole).toMatchObject({ complete: true, rows: 1, skipped: { rows: 0 } });
  const [line] = records('chat.jsonl') as { messages: { role: string; content: unknown }[] }[];
  const roles = line?.messages.map(({ role }) => role) ?? [];
  expect(roles.filter((role) => role === 'user')).toHaveLength(traces.size);
  expect(roles.at(-1)).toBe('assistant');
  expect(roles.indexOf('system')).toBeLessThanOrEqual(0);

  const each = await answered('export', 'spans', ...ASKED, '--as', 'chat', ...of('traces.jsonl'));
  await answered('export', 'spans', ...ASKED, ...of('spans.jsonl'));
  const all = new Set(records('spans.jsonl').map((span) => span['trace_id']));
  expect(each.rows + each.skipped.rows).toBe(all.size);
  expect(each.rows).toBeGreaterThan(1);
  const evals = await answered('export', 'spans', ...ASKED, '--as', 'evals', ...of('evals.jsonl'));
  expect(evals.rows).toBe(each.rows);
  expect(records('evals.jsonl')[0]).toMatchObject({
    id: expect.any(String),
    input: expect.any(Array),
    ideal: expect.anything(),
  });
  for (const [words, said] of [
    [['--prompt', 'inputs.question', ...of('x.jsonl')], 'takes no --prompt'],
    [of('x.csv'), 'and JSON Lines to write conversations'],
  ] as const) {
    const refused = await run('export', 'spans', ...ASKED, '--as', 'chat', ...words);
    expect(refused.stderr).toContain(said);
    expect(refused.code).toBe(2);
  }
});
