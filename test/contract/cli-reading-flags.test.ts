/** Flags for reading a file: every command that reads files accepts them, and reports a flag that has no effect. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';
import { writeParquet } from '../helpers/parquet-file.ts';
import { inline, number, sheetRows, workbookOf } from '../helpers/workbook-file.ts';

const cli = cliRig('cli-reading-flags');
const MODEL = 'Bank churn';
const DATASET = 'Escalations, to be collected';

function write(name: string, text: string): string {
  writeFileSync(cli.file(name), text);
  return cli.file(name);
}
const flat = (...lines: string[]) => `${lines.join('\n')}\n`;
/** Each command that reads a single file. */
const COMMANDS: Readonly<Record<string, (file: string) => string[]>> = {
  upload: (file) => ['upload', file, '--model', MODEL, '--dry-run'],
  'items add': (file) => ['items', 'add', DATASET, file, '--dry-run'],
  'builds add': (file) => ['builds', 'add', 'Basket', file, '--application', 'Support assistant'],
  profile: (file) => ['profile', file],
};

test('an upload is sent again with another file, read according to the flags', async () => {
  const first = write('q3.csv', flat('CreditScore,Balance', '600,1.5', '610,2.5'));
  const { jobId } = await cli.answered('upload', first, '--model', MODEL, '--policy', 'skip');
  const second = write(
    'q4.csv',
    flat('Quarter;4', 'made by hand;', 'CreditScore;Balance', '600;1.234,50', 'o;2,25', '-;3,25'),
  );
  const flags = ['--header-line', '3', '--delimiter', 'semicolon', '--decimal', 'comma', '--null', '-'];
  const rerun = (...more: string[]) => cli.run('uploads', 'rerun', jobId, second, ...flags, ...more);
  const dry = await rerun('--repair', 'CreditScore:o=650', '--dry-run', '--json');
  expect(JSON.parse(dry.stdout)).toMatchObject({
    ...{ rows: 3, rejected: 0, repaired: 1 },
    ledger: {
      changes: expect.arrayContaining([
        expect.objectContaining({ rule: 'decimal-comma', source: 'Balance', count: 3 }),
        expect.objectContaining({ rule: 'null-word', source: 'CreditScore', count: 1 }),
      ]),
    },
  });
  expect((await rerun('--repair', 'CreditScore:o=650', '--json')).code).toBe(0);
  const foreign = await cli.run('uploads', 'receipts', jobId, '--decimal', 'comma');
  expect(foreign.stderr).toContain('It belongs to: uploads rerun');
});

test('the file of uploads rerun is found as that of upload is: a pattern that the shell has left is explained', async () => {
  const { jobId } = await cli.answered(
    'upload',
    write('p.csv', flat('CreditScore', '600')),
    '--model',
    MODEL,
  );
  for (const command of [
    ['upload', '--model', MODEL],
    ['uploads', 'rerun', jobId],
  ]) {
    const { code, stderr } = await cli.run(...command, 'data\\*.csv');
    expect(code).not.toBe(0);
    expect(stderr).toContain('* and ? are replaced by the shell');
    expect(stderr).toContain('data/*.csv');
  }
});

test('an upload is sent again with another file, read with the flags of the first time', async () => {
  const lines = (...rows: string[]) =>
    write(`${rows.length}.csv`, flat('Quarter;4', 'made by hand;', 'CreditScore;Balance;Geography', ...rows));
  const first = lines(String.raw`600;1,5;Fra\;nce`);
  const flags = ['--header-line', '3', '--delimiter', ';', '--quote', 'none', '--escape', 'backslash'];
  const { jobId } = await cli.answered('upload', first, '--model', MODEL, ...flags, '--null', 'Balance=-');
  const second = lines(String.raw`610;2,5;Ger\;many`, '620;-;Spain');
  const rerun = (file: string, ...more: string[]) =>
    cli.run('uploads', 'rerun', jobId, file, '--dry-run', '--json', ...more);
  const same = await rerun(second);
  expect(JSON.parse(same.stdout)).toMatchObject({ rows: 2, rejected: 0 });
  expect(same.stderr).toContain('The header is in line 3: 2 lines before it skipped.');
  const other = await rerun(second, '--escape', 'none');
  expect(JSON.parse(other.stdout)).toMatchObject({ rows: 2, rejected: 1 });
  const json = await rerun(write('q5.jsonl', flat('{"CreditScore":600,"Balance":1.5,"Geography":"France"}')));
  expect(json.stderr).toContain('--header-line of the earlier file is not taken over: q5.jsonl is JSON');
  expect(JSON.parse(json.stdout)).toMatchObject({ rows: 1, rejected: 0 });
});

test('an upload of a sheet is sent again from the same sheet of another workbook', async () => {
  const book = (name: string, scores: readonly number[]) => {
    const sheet = (rows: Parameters<typeof sheetRows>[0]) => ({ rows: sheetRows(rows) });
    const table = [[inline('Churn')], [inline('CreditScore')], ...scores.map((score) => [number(score)])];
    const sheets = { Notes: sheet([[inline('read me'), inline('first')]]), Data: sheet(table) };
    writeFileSync(cli.file(name), workbookOf({ sheets }));
    return cli.file(name);
  };
  const flags = ['--sheet', 'Data', '--header-line', '2'];
  const { jobId } = await cli.answered('upload', book('q1.xlsx', [600]), '--model', MODEL, ...flags);
  const again = await cli.run('uploads', 'rerun', jobId, book('q2.xlsx', [610, 620]), '--dry-run', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ rows: 2, rejected: 0 });
});

test('a repair for all columns turns the text columns that it fits into numbers, as their note proposes', async () => {
  const rows = ['rate,price,rupees,note', '5%,1\'234.50,"12,34,567.50",5%', '12.5 %,7.00,999,soon'];
  const file = write('marks.csv', flat(...rows));
  const repairs = ['--repair', 'percent', '--repair', 'thousands'];
  const check = await cli.run('items', 'add', DATASET, file, ...repairs, '--dry-run', '--json');
  const { notes, ledger } = JSON.parse(check.stdout);
  expect(notes.filter((note: string) => note.includes('changed no value'))).toEqual([]);
  expect(
    ledger.changes.map(({ source, rule }: { source: string; rule: string }) => `${source} ${rule}`),
  ).toEqual(['rate percent', 'price thousands', 'rupees thousands']);
  const plain = await cli.run('items', 'add', DATASET, file, '--dry-run');
  for (const name of ['rate', 'price', 'rupees'])
    expect(plain.stderr).toContain(`Column “${name}” looks like numbers with marks`);
});

test('a repair that changes no value is reported, without another exit code', async () => {
  const first = write('fits.csv', flat('CreditScore,Balance,Geography', '600,5%,France', '610,7%,Spain'));
  const { jobId } = await cli.answered('upload', first, '--model', MODEL, '--repair', 'Balance=percent');
  const file = write('more.csv', flat('CreditScore,Balance,Geography', '620,5%,France', '630,8%,Spain'));
  const commands = {
    upload: ['upload', file, '--model', MODEL],
    'uploads rerun': ['uploads', 'rerun', jobId, file],
    'items add': ['items', 'add', DATASET, file, '--decimal', 'Balance=point'],
  };
  const said = [
    'CreditScore: the repair “percent” changed no value there.',
    'The repair “parentheses” changed no value of any column.',
  ];
  for (const command of Object.values(commands)) {
    const repairs = ['Balance=percent', 'CreditScore=percent', 'parentheses'];
    const flags = repairs.flatMap((repair) => ['--repair', repair]);
    const check = await cli.run(...command, ...flags, '--again', '--dry-run', '--json');
    const { notes } = JSON.parse(check.stdout);
    expect(notes).toEqual(expect.arrayContaining(said));
    expect(notes.join()).not.toContain('Balance: the repair');
    expect(check.code).toBe(0);
    const sent = await cli.run(...command, ...flags, '--again');
    for (const note of said) expect(sent.stderr).toContain(note);
    expect(sent.code).toBe(0);
  }
});

test.each(Object.entries(COMMANDS))('%s rejects a flag for another kind of file', async (_name, command) => {
  const csv = write('rows.csv', flat('trace_id,span_id,CreditScore,at', 'a1,b2,600,2026-05-01T10:00:00Z'));
  const json = write('rows.jsonl', flat('{"trace_id":"a1","span_id":"b2","CreditScore":600}'));
  const book = cli.file('rows.xlsx');
  writeFileSync(
    book,
    workbookOf({ sheets: { Data: { rows: sheetRows([[inline('span_id')], [inline('b2')]]) } } }),
  );
  const parquet = cli.file('rows.parquet');
  await writeParquet(parquet, "SELECT 'a1' AS trace_id, 'b2' AS span_id");
  for (const [file, flag, value, said] of [
    [book, '--delimiter', 'tab', /--delimiter expects text with delimiters.*; rows\.xlsx is a workbook/],
    [book, '--encoding', 'utf-8', /--encoding expects text with delimiters.*; rows\.xlsx is a workbook/],
    [parquet, '--sheet', 'Q3', /--sheet expects a workbook.*; rows\.parquet is Parquet or Arrow/],
    [parquet, '--header-line', '2', /--header-line expects .*; rows\.parquet is Parquet or Arrow/],
    [json, '--sheet', 'Q3', /--sheet expects a workbook, or .*; rows\.jsonl is JSON/],
    [csv, '--sheet', 'Q3', /--sheet expects a workbook, or .*; rows\.csv is text with delimiters/],
    [json, '--delimiter', 'tab', /--delimiter expects text with delimiters.*; rows\.jsonl is JSON/],
    [json, '--header-line', '9', /--header-line expects text with delimiters.*, or a workbook/],
    [json, '--escape', 'backslash', /--escape expects text with delimiters/],
  ] as const) {
    const { code, stderr } = await cli.run(...command(file), flag, value);
    expect(stderr).toMatch(said);
    expect(code).toBe(2);
  }
});

test.each(Object.entries(COMMANDS))(
  '%s rejects a flag for values that fits no column',
  async (name, command) => {
    const file = write('rows.csv', flat('trace_id,span_id,Geography', 'a1,b2,France'));
    const refused = await cli.run(...command(file), '--zone', 'UTC');
    expect(refused.stderr).toMatch(
      /--zone fits no column: expected a column of times, got .*Geography \((str|category)\).*--zone COLUMN=UTC/,
    );
    expect(refused.code).toBe(2);
    const absent = await cli.run(...command(file), '--zone', 'Geografy=UTC');
    expect(absent.stderr).toMatch(/Expected a column of the file before “=”, got Geografy\..*Geography/);
    expect(absent.code).toBe(2);
    if (name === 'builds add') return;
    const days = await cli.run(...command(file), '--day-first');
    expect(days.stderr).toContain('--date-order COLUMN=day-first');
  },
);

test('of several files a flag may fit some only, which is reported for the others', async () => {
  const one = write('one.csv', flat('CreditScore,Balance', '600,1.5'));
  const two = write('two.jsonl', flat('{"CreditScore":600,"Balance":2.5}'));
  const both = await cli.run('upload', one, two, '--model', MODEL, '--dry-run', '--delimiter', 'comma');
  expect(both.stderr).toContain('--delimiter expects text with delimiters, such as CSV; two.jsonl is JSON');
  expect(both.code).toBe(0);
});

test('items are numbers if a flag for all columns says so', async () => {
  const file = write('q.csv', flat('question,price', 'When?,"12,50"', 'Why?,"1.234,75"'));
  const check = await cli.answered('items', 'add', DATASET, file, '--decimal', 'comma', '--dry-run');
  expect(check.sample.map(({ item }: { item: { inputs: unknown } }) => item.inputs)).toEqual([
    { question: 'When?', price: 12.5 },
    { question: 'Why?', price: 1234.75 },
  ]);
  const left = await cli.run(
    ...['items', 'add', DATASET, file, '--map', 'price=-', '--decimal', 'price=comma', '--dry-run'],
  );
  expect(left.stderr).toContain('--decimal price=comma changes nothing: “price” is left out.');
  expect(left.code).toBe(2);
});

test('ids with underscores stay texts, unless their column itself is named as one of numbers', async () => {
  const file = write('ids.csv', flat('question;code;price', 'When?;12_001;1,5', 'Why?;12_002;2,5'));
  const inputs = async (...flags: string[]) => {
    const check = await cli.answered('items', 'add', DATASET, file, ...flags, '--dry-run');
    return check.sample.map(({ item }: { item: { inputs: unknown } }) => item.inputs);
  };
  expect(await inputs('--decimal', 'comma')).toEqual([
    { question: 'When?', code: '12_001', price: 1.5 },
    { question: 'Why?', code: '12_002', price: 2.5 },
  ]);
  expect(await inputs('--decimal', 'code=comma', '--decimal', 'price=comma')).toMatchObject([
    { code: 12_001, price: 1.5 },
    { code: 12_002, price: 2.5 },
  ]);
});

test('numbers with marks, formulas that stand for texts, and a row of units are named', async () => {
  const file = write(
    'marks.csv',
    flat(
      'rate;zip;temp;units',
      ...['12%;="00123";degC;1,000', '7%;="00124";20.1;2,500', '5;="00125";20.2;12,750'],
      '5;="00126";20.3;1,250',
    ),
  );
  const { stderr } = await cli.run('profile', file);
  expect(stderr).toContain('“rate” looks like numbers with marks, first “12%” in line 2');
  expect(stderr).toContain('repaired by “percent”');
  expect(stderr).toContain('“zip” holds formulas that stand for texts, first ="00123" in line 2');
  expect(stderr).toContain('“units” looks like numbers with a comma, which may separate decimals or');
  expect(stderr).toContain('“temp” is taken as text because of 1 of 4 sampled values');
});

test('names of columns in several lines are refused, and the name of an index below one line is named', async () => {
  const levels = write(
    'levels.csv',
    flat(',price,price,qty', ',mean,max,sum', 'city,,,', 'Paris,1.5,2,10', 'Rome,2,3,4'),
  );
  const refused = await cli.run('profile', levels);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('got them in lines 1 to 3, as pandas writes columns of several levels');
  const years = write('years.csv', flat(',v,v,w', 'year,2025,2026,2025', 'city,,,', 'Paris,1,2,3'));
  expect((await cli.run('profile', years)).stderr).toContain('as pandas writes columns of several levels');
  const ticker = flat(
    'Price,Close,High',
    'Ticker,AAPL,AAPL',
    'Date,,',
    '2026-03-05,1.5,2.5',
    '2026-03-06,2,3',
  );
  expect((await cli.run('profile', write('ticker.csv', ticker))).stderr).toContain(
    'got them in lines 1 to 3',
  );
  const answers = write('answers.csv', flat('id,q1,q2', 'A,yes,yes', 'B,,', 'C,no,1'));
  expect((await cli.run('profile', answers)).code).toBe(0);
  const asRows = await cli.run('profile', levels, '--header-line', '2');
  expect(asRows.code).toBe(0);
  const pivot = write('pivot.csv', flat('month,Jan,Feb', 'city,,', 'Paris,1,2', 'Rome,3,4'));
  expect((await cli.run('profile', pivot)).stderr).toContain(
    'Line 2 has a value in its first column alone (“city”)',
  );
  const sparse = write('sparse.csv', flat('id,Jan,Feb', '1,,', '2,1,2', '3,3,4'));
  expect((await cli.run('profile', sparse)).stderr).not.toContain('index');
});

test('notes on the file describe the reading that the flags request', async () => {
  const file = write('prices.csv', flat('price;note', '12,50;NA', '7,25;x', '3,10;y'));
  const plain = await cli.run('profile', file);
  expect(plain.stderr).toContain('looks like decimals with a comma');
  const words = write('words.csv', flat('n', ...Array.from({ length: 30 }, (_, at) => String(at)), 'NA'));
  expect((await cli.run('profile', words)).stderr).toContain('Read as no value in column “n”');
  const other = await cli.run('profile', words, '--null', 'n=7');
  expect(other.stderr).not.toContain('Read as no value in column “n”, besides empty cells: NA');
  expect(other.stderr).toContain('“n” is read as int; no value: 7.');
  for (const command of [COMMANDS['profile'], COMMANDS['items add']]) {
    const { stderr } = await cli.run(...(command?.(file) ?? []), '--decimal', 'comma');
    expect(stderr).not.toContain('taken as text');
  }
  const read = await cli.run('profile', file, '--decimal', 'comma');
  expect(read.stderr).toContain('“price” is read as float; the comma separates decimals.');
});

test('an export of spans in an encoding other than UTF-8 is rejected, not changed silently', async () => {
  const text =
    '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a1","spanId":"b2","name":"café"}]}]}]}';
  writeFileSync(cli.file('latin.json'), Buffer.from(text, 'latin1'));
  for (const flags of [[], ['--encoding', 'latin1']]) {
    const { code, stderr } = await cli.run('profile', cli.file('latin.json'), ...flags);
    expect(stderr).toContain('has bytes that are not UTF-8. Expected UTF-8');
    expect(code).toBe(1);
  }
});

test('profile says of a file with a header alone that it has no rows', async () => {
  const { stderr, code } = await cli.run('profile', write('header.csv', 'id,v\n'));
  expect(stderr).toContain('The file has no rows.');
  expect(code).toBe(0);
});
