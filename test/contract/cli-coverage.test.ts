/** Compares a dataset with production on the command line, and writes the proposed spans to a file for from-spans. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const APPLICATION = 'Support assistant';
const DATASET = 'Support answers, golden set';
/** A dataset that has no items, even if it is read to its end. */
const EMPTY_DATASET = 'Escalations, to be collected';
const cli = cliRig('cli-coverage');
const { run, answered } = cli;

test('a dataset is compared with the stored production data, offline, and a file of spans fills the gap', async () => {
  const unread = await run('coverage', DATASET);
  expect(unread).toMatchObject({
    code: 4,
    stdout: '',
    stderr: expect.stringContaining('items DATASET --all'),
  });
  await run('items', EMPTY_DATASET, '--all');
  const empty = await run('coverage', EMPTY_DATASET);
  expect(empty.stdout).toContain('Over 0 stored items');
  expect(empty.stdout).toContain('Nothing of the catalog of its application is stored.');
  await run('catalog', APPLICATION, '--entity-type', 'agent_name', '--all');
  await run('catalog', APPLICATION, '--entity-type', 'span_type', '--all');
  await run('items', DATASET, '--all');
  const alone = await run('coverage', DATASET);
  expect(alone.stdout).toMatch(/^span_type +not known .* \d\d:\d\d *$/m);
  const report = await run('report', 'coverage', DATASET, '--output', cli.file('coverage.html'));
  expect(report.code).not.toBe(0);
  expect(report.stderr).toContain('No span of the items of this dataset is stored here');
  await run('spans', '--application', APPLICATION, '--since', '7d');
  const sent = cli.service.report().requests;
  const output = cli.file('spans.csv');
  const found = await answered('coverage', DATASET, '--fill', '20', '--output', output, '--offline');
  expect(cli.service.report().requests).toBe(sent);
  expect(found.items.map(({ key }: { key: string }) => key).toSorted()).toEqual(['agent_name', 'span_type']);
  expect(found).toMatchObject({ complete: true, fill: { picked: found.fill.spans.length } });
  expect(found.fill.picked).toBeGreaterThan(1);
  expect(found.fill.after).toBeGreaterThan(found.fill.before);
  expect(found.fill.after).toBeGreaterThanOrEqual(found.fill.blind);
  expect(readFileSync(output, 'utf8').trim().split(/\r?\n/)).toHaveLength(found.fill.picked + 1);
  const mapping = '{"inputs":{"question":"system.gen_ai.llm.input.user"}}';
  const target = ['--application', APPLICATION, '--spans', output, '--mapping', mapping, '--plan'];
  const planned = await answered('from-spans', DATASET, ...target);
  expect(planned).toMatchObject({ spans: found.fill.picked });

  const human = await run('coverage', DATASET, '--dimension', 'span_type', '--span-type', 'llm', '--offline');
  expect(human.stdout).toMatch(/^agent_name +\S+ % +no/m);
  const unknown = await run('coverage', DATASET, '--dimension', 'span_typ', '--offline');
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean span_type?') });
  const refused = await run('coverage', DATASET, '--fill', '0');
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toContain('--fill expects a whole number from 1 to 1,000, got 0.');
});
