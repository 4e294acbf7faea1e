/** With --offline, a time range is answered from stored ranges that cover it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const cli = cliRig('cli-stored-ranges');
const { run, answered } = cli;
const ASKED = ['spans', '--application', 'Support assistant'];
const WEEK = ['--since', '7d'];
const starts = (items: { start_time: string }[]) => items.map((span) => Date.parse(span.start_time));
const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

test('spans read for a week answer a later --since, cut to it, and say which part is covered', async () => {
  // Times of commands are in whole seconds, and the following commands can take less than a second.
  await run(...ASKED, '--start', ago(7), '--end', ago(5 / 86_400), '--all');
  await run('span-fields', ...ASKED.slice(1), ...WEEK);
  const range = ['--start', ago(3), '--end', ago(1)];
  const all = await answered(...ASKED, ...range, '--all');
  const sent = cli.service.report().operations['spans.query']?.requests;
  // A slightly earlier start makes it another range.
  range.splice(0, 4, '--start', ago(3 + 1 / 86_400), '--end', ago(1), '--offline');
  const cut = await run(...ASKED, ...range, '--all', '--json');
  expect(cut).toMatchObject({ code: 0, stderr: expect.stringMatching(/^All of .* is stored\.$/m) });
  const { items, complete, covered } = JSON.parse(cut.stdout);
  const ids = (of: { span_id: string }[]) => of.map((span) => span.span_id);
  expect(ids(items)).toEqual(ids(all.items));
  expect(items.length).toBe(all.total);
  expect(complete).toBe(true);
  expect(covered).toMatchObject({ complete: true });
  for (const ms of starts(items)) expect(ms).toBeGreaterThanOrEqual(Date.parse(range[1] ?? ''));

  // For a range up to now, the last moments were not read.
  const late = await run(...ASKED, '--since', '1d', '--offline', '--limit', '2');
  expect(late).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Stored of .*: all but the last \d+ \w+\./m),
  });
  expect(late.stdout).toContain('2 of unknown');
  const wholly = await run(...ASKED, '--since', '1d', '--offline', '--all');
  expect(wholly.code).toBe(0);
  const named = await run(...ASKED, '--start', ago(1), '--end', ago(-1), '--offline', '--all');
  expect(named.code).toBe(7);

  const filter =
    '{"condition":"AND","rules":[{"field":"Span::status_code","operator":"equal","value":"ERROR"}]}';
  const failed = await answered(...ASKED, ...range, '--all', '--filter', filter);
  expect(failed.items.length).toBe(
    items.filter((span: { status_code: string }) => span.status_code === 'ERROR').length,
  );
  expect(failed.items.length).toBeGreaterThan(0);

  const file = cli.file('spans.jsonl');
  const written = await run('export', ...ASKED, ...range, '--output', file);
  expect(written).toMatchObject({ code: 0, stderr: expect.stringMatching(/All of/) });
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(items.length);
  const day = await run('export', ...ASKED, '--since', '1d', '--offline', '--output', cli.file('day.jsonl'));
  expect(day).toMatchObject({ code: 0, stderr: expect.stringContaining('all but the last') });
  const part = await run('export', ...ASKED, '--since', '9d', '--offline', '--output', cli.file('9.jsonl'));
  expect(part).toMatchObject({ code: 7, stderr: expect.stringContaining('Only a part of the time range') });

  const fields = await answered('span-fields', ...ASKED.slice(1), '--since', '7d', '--offline');
  expect(fields.covered).toMatchObject({ complete: false, from: expect.any(String) });
  expect(cli.service.report().operations['spans.query']?.requests).toBe(sent);
});

test('an answer that cannot be cut to the range is the stored one, with its range', async () => {
  const ofAlerts = ['ls', 'alert-rules.summary'];
  const read = await answered(...ofAlerts, '--since', '2d');
  const stored = await run(...ofAlerts, '--since', '1d', '--offline', '--json');
  expect(stored).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Nothing is stored for .*\. This is/m),
  });
  const { items, covered, complete } = JSON.parse(stored.stdout);
  expect(items).toEqual(read.items);
  expect({ complete, ...covered }).toMatchObject({ complete: false, from: expect.any(String) });
});

test('a partly read list covers its rows, and another range is refused with the stored ranges', async () => {
  const read = await answered(...ASKED, ...WEEK, '--limit', '3');
  const stored = await answered(...ASKED, '--since', '8d', '--offline');
  expect(stored.items.length).toBeGreaterThanOrEqual(3);
  expect(stored.complete).toBe(false);
  // Other spans of the last moment may be missing.
  const oldest = Math.min(...starts(stored.items));
  expect(stored.covered).toMatchObject({ complete: false, from: new Date(oldest + 1).toISOString() });
  expect(stored.items[0].span_id).toBe(read.items[0].span_id);

  const outside = ['--start', '2020-01-01T00:00:00Z', '--end', '2020-01-02T00:00:00Z', '--offline'];
  const refused = await run(...ASKED, ...outside);
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stderr).toMatch(/NOT_STORED: Nothing of this time range .* Stored: \d.* to /);
  const file = cli.file('none.jsonl');
  const exported = await run('export', ...ASKED, ...outside, '--output', file);
  expect(exported).toMatchObject({ code: 4 });
  expect(exported.stderr).not.toContain('resume');
  expect((await answered('jobs')).items).toEqual([]);
});

test('days after the end of a stored range are missing, also without a named end', async () => {
  const from = ago(5);
  await run(...ASKED, '--start', from, '--end', ago(3), '--all');
  const read = await run(...ASKED, '--start', from, '--offline', '--all', '--json');
  expect(read).toMatchObject({ code: 7, stderr: expect.stringContaining('all but the last 3 days') });
  expect(JSON.parse(read.stdout).complete).toBe(false);
  const file = cli.file('two-days.jsonl');
  const written = await run('export', ...ASKED, '--start', from, '--offline', '--output', file);
  expect(written).toMatchObject({
    code: 7,
    stderr: expect.stringContaining('Only a part of the time range'),
  });
});
