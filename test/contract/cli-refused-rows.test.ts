/**
 * Rows that were rejected: their values are named, they are exported with all their columns, corrected, and sent
 * without the other rows.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';
import { churnCsv } from '../helpers/make-files.ts';

const cli = cliRig('cli-refused-rows');
const { run, answered } = cli;
const MODEL = ['--model', 'Bank churn'];

/** A table in which two rows have a word instead of a number. */
function spoiled(rows: number): string {
  const file = cli.file('bad.csv');
  const [header = '', ...lines] = churnCsv(rows).trimEnd().split('\n');
  const at = header.split(',').findIndex((name) => /score|amount|balance|age/i.test(name));
  const bad = lines.map((line, index) => {
    const cells = line.split(',');
    if (index % 10 === 3) cells[at] = 'n.v.';
    return cells.join(',');
  });
  writeFileSync(file, `${[header, ...bad].join('\n')}\n`);
  return file;
}

test('rows left out are exported whole, corrected and sent without --again', async () => {
  const file = spoiled(20);
  await run('upload', file, ...MODEL, '--policy', 'skip');
  const again = await run('upload', file, ...MODEL, '--policy', 'skip');
  expect(again).toMatchObject({ code: 5 });
  expect(again.stderr).toMatch(/18 of these 20 rows were sent to .*: 18 acknowledged; 2 not\./);
  expect(again.stderr).toContain('export refused-rows');
  const dry = await run('upload', file, ...MODEL, '--policy', 'skip', '--dry-run');
  expect(dry).toMatchObject({ code: 5 });

  const rows = cli.file('rows.csv');
  const wrong = await run('export', 'refused-rows', '--output', cli.file('rows.xlsx'));
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('.csv') });
  expect(await answered('export', 'refused-rows', '--output', rows)).toMatchObject({ rows: 2 });
  const text = readFileSync(rows, 'utf8');
  expect(text.split('\n')[0]).toBe(
    `${readFileSync(file, 'utf8').split('\n')[0]},spandeck_line,spandeck_reason`,
  );
  expect(text).toContain('n.v.');
  writeFileSync(rows, text.replaceAll('n.v.', '42'));
  const mended = await answered('upload', rows, ...MODEL);
  expect(mended).toMatchObject({ acknowledged: 2, rejected: 0 });
});

test('bad rows are named with column, value and what helps, those alike in one line', async () => {
  const file = spoiled(20);
  const dry = await run('upload', file, ...MODEL, '--dry-run');
  expect(dry.stdout).toMatch(/^lines 5, 15, \w+ "n\.v\.": .* \(2 rows\)$/m);
  expect(dry.stderr).toContain('--null COLUMN=VALUE');
  const stopped = await run('upload', file, ...MODEL);
  expect(stopped.stderr).toMatch(/The first is in line 5, \w+ “n\.v\.”: /);
  expect(stopped.stderr).toContain('--null COLUMN=VALUE');
  expect(stopped.stderr).toContain('export refused-rows');
});

test('a missing file, an unknown environment, a planned upload and --offline have a next step', async () => {
  const missing = await run('upload', cli.file('nope.csv'), ...MODEL);
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/No file .*nope\.csv\./) });
  const file = cli.file('good.csv');
  writeFileSync(file, churnCsv(5));
  await run('get', 'models', 'Bank churn');
  const offline = await run('upload', file, ...MODEL, '--offline');
  expect(offline.stderr).toContain('--start-at plans it for later');
  await cli.runUntil(/Starts at/, 'upload', file, ...MODEL, '--start-at', '2099-01-01 02:00');
  const planned = await run('upload', file, ...MODEL, '--dry-run');
  expect(planned.stdout).toMatch(
    /These 5 rows are planned to be sent to .* on 1 Jan 2099 02:00 from good\.csv\./,
  );
  await run('jobs', 'cancel');
  writeFileSync(file, churnCsv(6));
  const noEnv = await run('upload', file, ...MODEL, '--env-name', 'nosuch', '--env-type', 'PRE_PRODUCTION');
  expect(noEnv.stderr).not.toContain('uploads resume');
  const empty = cli.file('empty.csv');
  writeFileSync(empty, `${churnCsv(1).split('\n')[0]}\n`);
  expect((await run('upload', empty, ...MODEL)).stdout).toContain('The file has no rows: nothing was sent.');
});
