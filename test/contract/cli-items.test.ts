/** Rows of files are added as items of a dataset on the command line, with a real service. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';
import { writeParquet } from '../helpers/parquet-file.ts';
import { workbook } from '../helpers/zip-file.ts';

const EMPTY = 'Escalations, to be collected';
const cli = cliRig('cli-items');
const run = (...args: string[]) => cli.run(...args, '--json');
const asked = () => cli.service.report().operations['datasets.add-items']?.requests ?? 0;

function write(name: string, text: string): string {
  const file = cli.file(name);
  writeFileSync(file, text);
  return file;
}

test('a dry run and a plan send nothing; then the rows are items, with receipts, and are listed with the jobs', async () => {
  const file = write('q.csv', 'question,answer,notes\n"When, exactly?",Now,x\nWhy?,,y\n');
  const add = ['items', 'add', EMPTY, file, '--map', 'question=inputs.prompt', '--map', 'notes=-'];
  const dry = await run(...add, '--dry-run');
  expect(JSON.parse(dry.stdout)).toMatchObject({ rows: 2, items: 2, badRows: 0, requests: 1 });
  expect((await run(...add, '--plan')).code).toBe(0);
  expect(asked()).toBe(0);
  const done = JSON.parse((await run(...add)).stdout);
  expect(done).toMatchObject({ state: 'done', rows: 2, added: 2, refused: 0, unknown: 0 });
  expect(readFileSync(String(done.receiptsFile), 'utf8').trim().split('\n')).toHaveLength(3);
  expect(asked()).toBe(1);
  const { items } = JSON.parse((await run('items', EMPTY)).stdout);
  expect(items).toMatchObject([
    { inputs: { prompt: 'When, exactly?' }, expected_outputs: { answer: 'Now' } },
    { inputs: { prompt: 'Why?' } },
  ]);
  expect(JSON.parse((await run('jobs')).stdout).items).toMatchObject([
    { kind: 'items', state: 'done', done: 2 },
  ]);
});

test('rows of Parquet, of an Excel sheet and of a JSON array become items too, digit for digit', async () => {
  const parquet = cli.file('q.parquet');
  await writeParquet(
    parquet,
    `SELECT 'From Parquet' AS question, 9007199254740993 AS n, {'a': {'b': 1}} AS ref`,
  );
  const book = cli.file('q.xlsx');
  writeFileSync(book, workbook({ Notes: [['x'], [1]], Items: [['question'], ['From Excel']] }));
  const json = write('q.json', '[{"question": "From JSON", "n": 1}]');
  const added = async (file: string, ...flags: string[]) => {
    const { stdout, stderr } = await run('items', 'add', EMPTY, file, ...flags);
    expect(stderr).not.toContain('error');
    expect(JSON.parse(stdout)).toMatchObject({ state: 'done', added: 1 });
  };
  await added(parquet, '--map', 'n=metadata.n', '--map', 'ref.a.b=metadata.ref.a.b');
  await added(book, '--sheet', 'Items');
  await added(json);
  const { stdout } = await run('items', EMPTY, '--all');
  expect(stdout).toContain('9007199254740993');
  const questions = JSON.parse(stdout).items.map(
    ({ inputs }: { inputs: { question?: string } }) => inputs.question,
  );
  expect(questions).toEqual(expect.arrayContaining(['From Parquet', 'From Excel', 'From JSON']));
  expect(JSON.parse(stdout).items).toContainEqual(
    expect.objectContaining({ metadata: expect.objectContaining({ 'ref.a.b': 1 }) }),
  );
});

test('a missing column, or an invalid target, is rejected with the valid names', async () => {
  const file = write('q.csv', 'question\na\n');
  const other = await run('items', 'add', EMPTY, file, '--map', 'questoin=inputs.q');
  expect(other.code).not.toBe(0);
  expect(other.stderr).toContain('The file has the columns question');
  const place = await run('items', 'add', EMPTY, file, '--map', 'question=output.q');
  expect(place.stderr).toContain('--map expects inputs, expected_outputs, metadata or extras');
  expect(asked()).toBe(0);
});

test('items added with --offline are planned at once, with only the name of the dataset stored, and sent later', async () => {
  const file = write('q.csv', 'question\nWhen?\n');
  await run('ls', 'datasets', '--all');
  const { code, stdout, stderr } = await run('items', 'add', EMPTY, file, '--offline');
  expect([code, asked()]).toEqual([0, 0]);
  expect(stderr).toMatch(/^Offline: nothing was sent\.$/m);
  const { itemsId, startAt } = JSON.parse(stdout);
  expect(stderr).toContain(`or with: planned start ${itemsId}`);
  expect(Date.parse(startAt)).toBeGreaterThan(0);
  expect(JSON.parse((await run('planned', '--offline')).stdout).items).toMatchObject([{ id: itemsId }]);
  expect((await run('planned', 'start', itemsId)).code).toBe(0);
  expect(asked()).toBe(1);
});

test('values of items are replaced and repaired like those of uploads, and the summary shows the result for the rows', async () => {
  const file = write(
    'scores.csv',
    'id,question,score\na,When?,1\nb,Why?,two\na,Who?,two\nc,What?,"3,5"\nd,Where?,4\ne,How?,unclear\n',
  );
  const add = [
    'items',
    'add',
    EMPTY,
    file,
    '--map',
    'id=source_id',
    '--map',
    'score=inputs.score',
    '--decimal',
    'score=point',
  ];
  const plain = await cli.run(...add, '--dry-run');
  expect(plain.stdout).toContain(
    '6 rows = 2 good + 0 unusual + 4 bad, 2 items in 1 request. Nothing was sent.',
  );
  const told = /^error FILE_MALFORMED: 4 rows of 6 rows cannot be added: nothing was sent/m;
  expect([plain.code, plain.stderr]).toEqual([1, expect.stringMatching(told)]);
  const real = await cli.run(...add);
  expect([real.code, real.stderr]).toEqual([1, expect.stringMatching(told)]);
  expect((await cli.run(...add, '--on-bad-row', 'skip', '--dry-run')).code).toBe(0);
  const repairs = ['score:two=2', 'score=decimal-comma', 'score:unclear=', 'score:ten=10'];
  const mended = [...add, ...repairs.flatMap((each) => ['--repair', each])];
  const check = JSON.parse((await run(...mended, '--dry-run')).stdout);
  expect(check).toMatchObject({
    ...{ rows: 6, items: 6, badRows: 0, unusualRows: 1, repairedRows: 4 },
    notes: [
      '1 row has a source id that occurs in an earlier row of this file: “a” (again in line 4).',
      'score: no row has “ten”, so nothing was replaced there.',
    ],
  });
  expect(check.ledger.changes).toMatchObject([
    { rule: 'replaced', source: 'score', count: 3 },
    { rule: 'decimal-comma', source: 'score', count: 1 },
  ]);
  const unfit = await run(...add, '--repair', 'score:two=second', '--dry-run');
  expect(unfit.stderr).toMatch(/INVALID_ARGUMENT: score: The replacement “second” cannot be sent\./);
  expect(unfit.code).toBe(2);
  expect(asked()).toBe(0);

  const done = JSON.parse((await run(...mended)).stdout);
  expect(done).toMatchObject({ state: 'done', added: 6, badRows: 0, ledger: check.ledger });
  const { items } = JSON.parse((await run('items', EMPTY, '--all')).stdout);
  const scores = items.map(({ inputs }: { inputs: { question: string; score?: number } }) => [
    inputs.question,
    inputs.score,
  ]);
  expect(scores).toEqual([
    ['When?', 1],
    ['Why?', 2],
    ['Who?', 2],
    ['What?', 3.5],
    ['Where?', 4],
    ['How?', undefined],
  ]);
});

test('a text of a JSON file is replaced by a text, a number by a number', async () => {
  const file = write('q.jsonl', '{"q":"Hi","n":1}\n{"q":"Bye","n":2}\n{"q":"Hi","n":2}\n');
  const flags = ['--repair', 'q:Hi=12', '--repair', 'n:2=7'];
  const check = await cli.answered('items', 'add', EMPTY, file, '--dry-run', ...flags);
  expect(check.sample.map(({ item }: { item: { inputs: unknown } }) => item.inputs)).toEqual([
    { q: '12', n: 1 },
    { q: 'Bye', n: 7 },
    { q: '12', n: 7 },
  ]);
});

test('the ledger of a check and of added items names the content of a file beside its rows', async () => {
  const json = write(
    'order.json',
    '{"status":"paid","page":{"of":1,"items":[{"a":1},{"a":2}]},"codes":[5,6,7]}',
  );
  const reason = 'it stands beside the list that is read';
  const beside = [
    { kind: 'key', name: 'status', count: 1, reason },
    { kind: 'key', name: 'page.of', count: 1, reason },
    { kind: 'key', name: 'codes', count: 3, reason },
  ];
  const add = ['items', 'add', EMPTY, json, '--sheet', 'page.items'];
  const check = await run(...add, '--dry-run');
  expect(JSON.parse(check.stdout).ledger.leftOut).toMatchObject(beside);
  const { stdout } = await cli.run(...add, '--dry-run');
  expect(stdout).toContain(`Not sent: key “codes”, 3 values: ${reason}.`);
  expect(JSON.parse((await run(...add)).stdout).ledger.leftOut).toMatchObject(beside);
  const book = cli.file('two.xlsx');
  writeFileSync(book, workbook({ Items: [['question'], ['Why?']], Notes: [['x'], [1]] }));
  const sheet = await run('items', 'add', EMPTY, book, '--sheet', 'Items', '--dry-run');
  expect(JSON.parse(sheet.stdout).ledger.leftOut).toMatchObject([
    { kind: 'sheet', name: 'Notes', reason: 'another sheet of the workbook is read' },
  ]);
});

test('a repair named for a column of texts makes its type, and points alone among numbers are not values', async () => {
  const rows = 'price,ok,day,x\n"$1,200.50",ja,31.12.2024,.\n$99,nein,01.02.2024,2.5\n';
  const repairs = ['price=currency', 'ok=true-false', 'day=day-first'].flatMap((each) => ['--repair', each]);
  const add = ['items', 'add', EMPTY, write('marks.csv', rows), ...repairs];
  const { stdout, stderr } = await run(...add);
  expect(JSON.parse(stdout)).toMatchObject({ added: 2, badRows: 0 });
  expect(stderr).toContain('no value in column “x”, besides empty cells: “.”.');
  const { items } = JSON.parse((await run('items', EMPTY)).stdout);
  expect(items.map(({ inputs }: { inputs: object }) => inputs)).toMatchObject([
    { price: 1200.5, ok: true, day: expect.stringMatching(/^2024-12-31/) },
    { price: 99, ok: false, day: expect.stringMatching(/^2024-02-01/), x: 2.5 },
  ]);
});

test('a repair without a type keeps the type from another repair of the column', async () => {
  const file = write('prices.csv', 'price,note\n$1,a\nunknown,b\n');
  await run('items', 'add', EMPTY, file, '--repair', 'price=currency', '--repair', 'price=null-word');
  const { items } = JSON.parse((await run('items', EMPTY)).stdout);
  expect(items[0]).toMatchObject({ inputs: { price: 1, note: 'a' } });
  expect(items[1]?.inputs.price ?? null).toBeNull();
});

test('rows that the service refuses end with the code of its answer, and the reason', async () => {
  const file = write('one.csv', 'question\nWhy?\n');
  const action = { type: 'status', status: 422 } as const;
  cli.service.setFaults([{ match: { operation: 'datasets.add-items' }, action }]);
  const { code, stdout, stderr } = await run('items', 'add', EMPTY, file);
  expect(JSON.parse(stdout)).toMatchObject({ state: 'done', added: 0, refused: 1 });
  expect(stderr).toContain('The service refused 1 item. The first refusal: ');
  expect(code).toBe(6);
});

test('a file without rows says so, and a row that cannot be added is named with its value and what to do', async () => {
  const none = await cli.run('items', 'add', EMPTY, write('none.csv', 'question,score\n'));
  expect([none.code, none.stdout]).toEqual([
    0,
    expect.stringContaining('The file has no rows: nothing was sent.'),
  ]);
  const rows = Array.from({ length: 2_100 }, (_, at) => `q${at},${at}`).join('\n');
  const late = write('late.csv', `question,score\n${rows}\nlast,n/a ok\n`);
  for (const flags of [['--dry-run'], []]) {
    const { code, stderr } = await cli.run('items', 'add', EMPTY, late, ...flags);
    expect(code).toBe(1);
    expect(stderr).toContain('The first is in line 2102, score “n/a ok”: Expected a whole number.');
    expect(stderr).toContain('leave the rows out (--on-bad-row skip)');
  }
  const skipped = await cli.run('items', 'add', EMPTY, late, '--on-bad-row', 'skip');
  expect(skipped.code).toBe(0);
  expect(skipped.stderr).toContain('such as the first: score “n/a ok”: Expected a whole number');
});
