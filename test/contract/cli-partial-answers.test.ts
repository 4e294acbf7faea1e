/** An incomplete list says that it is incomplete in every form: with chosen fields, in a file, or as found records. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('cli-partial-answers');

test('with chosen fields, the line that states the completeness is kept as a note', async () => {
  const part = await rig.run('models', '--limit', '1', '--fields', 'id,name');
  expect(part.stdout.trim().split('\n')).toHaveLength(2);
  expect(part.stderr).toMatch(/^1 of 3 · as of \d{4}-/m);
  const none = await rig.run('models', '--search', 'no such model', '--fields', 'id,name');
  expect(none).toMatchObject({
    code: 0,
    stdout: 'id  name\n',
    stderr: expect.stringMatching(/^0 of 0 · as of /m),
  });
  const query = await rig.run('sql', 'SELECT name FROM models', '--limit', '1', '--fields', 'name');
  expect(query.stderr).toMatch(/^1 row shown; there are more/m);
  // The document of --json states both numbers.
  expect((await rig.run('models', '--limit', '1', '--fields', 'id', '--json')).stderr).not.toContain('as of');
});

test('a field that no record has ends the command with a message that suggests similar names', async () => {
  const wrong = await rig.run('models', '--fields', 'nme,id', '--json');
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong.stderr).toMatch(
    /^error INVALID_ARGUMENT: No record has nme\. Did you mean name\? Fields are .*\bid\b/m,
  );
  expect((await rig.run('get', 'models', 'Card fraud', '--fields', 'nme')).code).toBe(2);
  // A change that was made is reported even if the field is unknown.
  const made = await rig.run('create', 'projects', '--body', '{"name": "Made"}', '--fields', 'idd', '--json');
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('No record has idd.') });
  // A field that the service documents can be without a value in all shown records.
  const empty = await rig.run(
    'spans',
    '--application',
    'Support assistant',
    '--since',
    '1d',
    '--limit',
    '1',
    '--fields',
    'id,correction',
  );
  expect(empty.code).toBe(2);
});

test('the extension of the file decides its format; values stay whole', async () => {
  const csv = rig.file('spans.csv');
  const asked = ['spans', '--application', 'Support assistant', '--since', '1d', '--limit', '3'];
  const written = await rig.run(...asked, '--fields', 'trace_id,span_id,input', '--to-file', csv);
  expect(written).toMatchObject({ code: 0, stderr: expect.stringMatching(/^3 of \d+ · as of /m) });
  const lines = readFileSync(csv, 'utf8').trim().split(/\r?\n/);
  expect(lines[0]).toBe('trace_id,span_id,input');
  expect(lines[1]).toMatch(/^[\w-]+,[\w-]+,/);
  expect(readFileSync(csv, 'utf8')).not.toContain('…');
  // The file can be passed to other commands.
  const plan = await rig.run(
    ...[
      'from-spans',
      'Five',
      '--create',
      '--application',
      'Support assistant',
      '--spans',
      csv,
      '--since',
      '1d',
    ],
    ...['--mapping', '{"inputs":{"question":"gen_ai.llm.input.user"}}', '--plan'],
  );
  expect(plan.stderr).not.toMatch(/FILE_MALFORMED|Expected the columns/);

  const jsonLines = rig.file('models.jsonl');
  await rig.run('models', '--fields', 'name', '--to-file', jsonLines);
  const records = readFileSync(jsonLines, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records).toEqual(Array.from({ length: 3 }, () => ({ name: expect.any(String) })));
  const sql = rig.file('q.csv');
  await rig.run('sql', 'SELECT name FROM models ORDER BY name', '--to-file', sql);
  expect(readFileSync(sql, 'utf8').split(/\r?\n/)[0]).toBe('name');
  expect(readFileSync(sql, 'utf8')).not.toContain('rows');
  const other = await rig.run('models', '--to-file', rig.file('models.parquet'));
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('writes no .parquet file') });
});

test('a search says how many of what it found are shown', async () => {
  await rig.run(
    'spans',
    '--application',
    'Support assistant',
    '--since',
    '1d',
    '--all',
    '--to-file',
    rig.file('all.jsonl'),
  );
  const found = await rig.run('search', 'refund', '--kind', 'spans', '--limit', '1');
  expect(found.stdout).toMatch(/ Shown: 1 of \d+ spans\. More: --limit N, or --all\.$/m);
  const part = await rig.answered('search', 'refund', '--kind', 'spans', '--limit', '1');
  expect(part).toMatchObject({ complete: false, groups: [{ kind: 'spans', shown: 1 }] });
  const whole = await rig.answered('search', 'refund', '--kind', 'spans', '--all');
  expect(whole).toMatchObject({ complete: true, groups: [{ shown: whole.groups[0].count }] });
});

test('a record is a line for each field, and says how to get values that were cut', async () => {
  const { stdout } = await rig.run('get', 'models', 'Card fraud');
  expect(stdout).toMatch(/^field +value\n/);
  expect(stdout).toMatch(/^project\.name +Risk models$/m);
  expect(stdout).toMatch(/^schema\.columns +\[\{"id":"transaction_id".*…$/m);
  expect(stdout).toMatch(/^Long values are cut; --json has them whole\.$/m);
  const { items } = await rig.answered('ls', 'projects');
  const short = await rig.run('get', 'projects', items[0].id);
  expect(short.stdout).not.toContain('cut');
});
