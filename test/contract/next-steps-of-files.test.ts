/** A file that cannot be sent is refused with a step that helps for this file. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const cli = cliRig('next-steps', () => Promise.resolve());
const DATASET = 'Claims triage, edge cases';
const MODEL = ['--model', 'Card fraud'];

function write(name: string, content: string): string {
  writeFileSync(cli.file(name), content);
  return cli.file(name);
}

test('lines that cannot be read as rows are corrected or left out, not repaired by value', async () => {
  const file = write('cut.csv', 'transaction_id,processed_at\na,2026-01-02T03:04:05Z\nb,"2026\n');
  for (const command of [
    ['upload', file, ...MODEL],
    ['items', 'add', DATASET, file],
  ]) {
    const { stderr } = await cli.run(...command, '--dry-run');
    expect(stderr).toMatch(
      /Correct these lines in the file, or leave them out \(--(policy|on-bad-row) skip\)\./,
    );
    expect(stderr).not.toContain('--null');
  }
  const worded = write('word.csv', 'transaction_id,processed_at\na,soon\n');
  const { stderr } = await cli.run('upload', worded, ...MODEL, '--dry-run');
  expect(stderr).toContain('Read values such as these as no value (--null COLUMN=VALUE)');
});

test('a file without a header is to get one', async () => {
  const { stderr } = await cli.run('upload', write('part_00', 'a|1.5|t\nb|2.5|f\n'), ...MODEL, '--dry-run');
  expect(stderr).toContain('write the names of the columns in a line above the rows');
});

test('rows without spans are refused with their reason, and names of columns are proposed if ids are missing', async () => {
  const add = (file: string) => cli.run('builds', 'add', 'New', file, '--application', 'Support assistant');
  const rounded = await add(write('r.csv', 'trace_id,span_id\n1.23457E+19,9.0072E+15\n'));
  expect(rounded.stderr).toMatch(
    /got none\. The first is in line 2: Expected a trace id with all of its digits/,
  );
  expect(rounded.stderr).not.toContain('Call their columns');
  const missing = await add(write('m.csv', 'trace,span\n1,2\n'));
  expect(missing.stderr).toContain('Call their columns trace_id and span_id.');
});

test('the folder of a table of Spark is sent without its markers, and one of its files becomes items', async () => {
  mkdirSync(cli.file('out'));
  const row = (id: string) => `transaction_id,processed_at,amount\n${id},2026-01-02T03:04:05Z,1.5\n`;
  for (const [name, content] of [
    ['_SUCCESS', ''],
    ['part-00000.csv', row('spark-a')],
    ['part-00001.csv', row('spark-b')],
  ] as const)
    write(`out/${name}`, content);
  const { code, stdout } = await cli.run('upload', cli.file('out'), ...MODEL);
  expect([code, stdout.match(/1 of 1 row acknowledged/g)?.length]).toEqual([0, 2]);
  const { stderr } = await cli.run('items', 'add', DATASET, cli.file('out'), '--dry-run');
  expect(stderr).toContain('got 2 files in');
  expect(stderr).toContain('Name one of them, such as out/part-00000.csv, or join them first.');
});

test('a file of a folder without a column of the model is left out and named, and the others are sent', async () => {
  mkdirSync(cli.file('saved'));
  write('saved/data.csv', 'transaction_id,processed_at\nsaved-a,2026-01-02T03:04:05Z\n');
  write('saved/state.json', '{"_fingerprint": "f", "_split": null}');
  const { code, stdout, stderr } = await cli.run('upload', cli.file('saved'), ...MODEL);
  expect([code, stdout]).toEqual([0, expect.stringContaining('saved/state.json: not sent')]);
  expect(stderr).toContain('Expected at least one column of the model, got _fingerprint, _split.');
  expect(stderr).toContain('Not sent: 1 of 2 files: saved/state.json.');
  const alone = await cli.run('upload', cli.file('saved/state.json'), ...MODEL);
  expect(alone.code).toBe(2);
});

test('values in the names of folders are not read for files of text, which a note says', async () => {
  mkdirSync(cli.file('hive/year=2026/month=1'), { recursive: true });
  const file = write('hive/year=2026/month=1/a.csv', 'transaction_id,processed_at\nh,2026-01-02T03:04:05Z\n');
  const { stderr } = await cli.run('upload', file, ...MODEL, '--dry-run');
  expect(stderr).toContain('Values in the names of folders, year=2026, month=1, are not read for this file');
});

test('an update names the columns that the service does not change', async () => {
  const published = write('p.csv', 'transaction_id,processed_at,amount\nup-1,2026-01-02T03:04:05Z,5\n');
  await cli.run('upload', published, ...MODEL);
  const labels = (columns: string) => write('labels.csv', `transaction_id,${columns}\nup-1,true,7\n`);
  const update = (columns: string) => cli.run('upload', labels(columns), ...MODEL, '--update', '--dry-run');
  expect((await update('is_fraud,amount')).stdout).toMatch(
    /update does not change at the service, because they are no targets or metadata of the model: amount\./,
  );
  expect((await update('is_fraud,review_note')).stdout).not.toContain('does not change');
});
