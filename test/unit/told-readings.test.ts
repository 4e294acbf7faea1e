/**
 * Files of real tools whose reading is a guess: the guess is correct, or it is reported, or the file is refused with
 * the next step.
 */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { badRowsOmission, badRowText } from '../../electron/shared/bad-row-text.ts';
import { WHOLE_DOCUMENT } from '../../electron/uploads/unpack/json-document.ts';
import { rowsOfValues } from '../../electron/uploads/unpack/json-values.ts';
import { readTime } from '../../electron/uploads/validate/timestamps.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { readBack } from '../helpers/read-back.ts';
import { runs } from '../helpers/runs.ts';
import { setUpFiles } from '../helpers/set-up-files.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFiles((made) => {
  ({ folder, files } = made);
});

let made = 0;
function write(content: string, end: string): string {
  made += 1;
  const path = folder.file(`${made}.${end}`);
  writeFileSync(path, content);
  return path;
}
function packed(content: string, end: string): string {
  const path = write('', end);
  writeFileSync(path, gzipSync(content));
  return path;
}
const table = (content: string, override = {}) => readBack(write(content, 'csv'), override);

async function json(content: string, end = 'json') {
  const [offered] = await files.offer([write(content, end)]);
  const { columns, head, notes, dialect } = await files.inspect(offered?.fileId ?? '', null);
  return {
    names: columns.map(({ name }) => name),
    rows: head.map(({ cells }) => cells),
    notes: notes.join('\n'),
    sheet: dialect.sheet ?? null,
  };
}

describe('a backslash before a delimiter', () => {
  test.each<[string, string, string[]]>([
    ['in every row', 'name,city,n\nA,Berlin\\, DE,3\nB,Rome\\, IT,4\n', ['A', 'Berlin, DE', '3']],
    ['in some rows', 'id,text,score\n1,a\\, b\\, c,4\n2,plain,5\n', ['1', 'a, b, c', '4']],
    ['and semicolons', 'id;text;n\n1;a\\;b;2\n2;c\\;d;3\n', ['1', 'a;b', '2']],
  ])('belongs to its cell: %s', async (_name, content, first) => {
    const { rows, bad, notes, preview } = await table(content);
    expect([rows[0], bad]).toEqual([first, []]);
    expect(preview.dialect.hasIndex).toBeUndefined();
    expect(notes).toMatch(/after \\ belongs to its cell/);
  });

  test('stays a backslash where the cells of all rows need the delimiter, as at the end of a path', async () => {
    const { rows, preview } = await table('id,path,n\n1,C:\\tmp\\,2\n2,D:\\,3\n');
    expect(rows).toEqual([
      ['1', 'C:\\tmp\\', '2'],
      ['2', 'D:\\', '3'],
    ]);
    expect(preview.dialect.escape ?? null).toBeNull();
  });
});

describe('an unquoted comma in each row', () => {
  test.each([
    'id,name\n1,Smith, John\n2,Doe, Jane\n',
    'name,id,v\nSmith, John,1,2\nDoe, Jane,2,3\n',
    'id;place;v\n1;Rome; IT;5\n2;Bonn; DE;6\n',
  ])('does not make an index of the first column: %j', async (content) => {
    const { rows, bad, preview } = await table(content);
    expect(preview.dialect.hasIndex).toBeUndefined();
    expect([rows, bad.length]).toEqual([[], 2]);
    expect(bad[0]?.problem).toMatch(/Check for a missing or an unquoted delimiter/);
  });

  test('is not seen in a table with blanks behind every delimiter, or with an index', async () => {
    for (const content of ['a,b\nx, 1, 2\ny, 3, 4\n', 'a,b\nx,1,2\ny,3,4\n', 'a, b\nx,1, 2\ny,3, 4\n'])
      expect((await table(content)).preview.dialect.hasIndex).toBe(true);
  });
});

describe('two tables in one file', () => {
  const first = 'id,text\n1,a\n2,b\n3,c\n';
  const second = 'name,count,total\nx,1,2\ny,3,4\n';

  test('with more columns in the second one, are refused, and each can be chosen', async () => {
    await expect(table(`${first}\n${second}`)).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
      message: expect.stringMatching(
        /one of 2 columns from line 1 on, and one of 3 columns from line 6 on\. .*--header-line 1 or 6/,
      ),
    });
    const { rows } = await table(`${first}\n${second}`, { headerLine: 6 });
    expect(rows).toEqual([
      ['x', '1', '2'],
      ['y', '3', '4'],
    ]);
  });

  test('are not seen in the facts above a table', async () => {
    const facts = 'Report,Sales\nFrom,2026-01-01\nRows,3\nCurrency,EUR\n';
    const { names, notes } = await table(`${facts}\n${second}`);
    expect(names).toEqual(['name', 'count', 'total']);
    expect(notes).toContain('5 lines are skipped');
  });

  test.each([
    'Metric,Value\nSessions,1200\nUsers,900\nBounce rate,0.4\n\n',
    'Metric,Value\nSessions,1200\nUsers,900\n\n',
    'Metric,Value\nSessions,1200\nUsers,900\nBounce rate,0.4\n',
    'Statistic,price\ncount,4\nmean,72.75\nmin,40\nmax,120\n\n',
    'Filter,Value\nOpen cases,31\nClosed cases,40\nEscalated,2\n\n',
    'Report,Sales overview\nTotal rows,5400\nTotal amount,120000\nPages,3\n\n',
    'Name,Run 17\nStarted,2026-03-01\nEnded,2026-03-04\nRows,4\n\n',
    'Summary,Total\nRevenue,1200\nOrders,30\nRefunds,2\n\n',
    'Kennzahl,Wert\nAnzahl,4\nSumme,12\nSeiten,1\n\n',
    'Metric,Now\nSessions,12\nUsers,9\nBounces,4\n\n',
  ])('are not seen in facts that are numbers alone: %j', async (facts) => {
    const { names, notes } = await table(
      `${facts}day,campaign,clicks,cost\n2026-03-01,a,120,33.5\n2026-03-02,b,90,21\n2026-03-03,c,4,11\n`,
    );
    expect(names).toEqual(['day', 'campaign', 'clicks', 'cost']);
    expect(notes).toMatch(/lines are skipped: .*“(?:Metric|Statistic|Filter|Report|Name|Summary|Kennzahl)/);
  });

  test.each([
    'store,revenue\nBerlin,120\nHamburg,90\nKiel,30\n\n',
    'day,users,new\n2026-03-01,120,4\n2026-03-02,90,5\n\n',
    'Metric,Value\n2026-01-01,3\n2026-01-02,4\n2026-01-03,5\n\n',
    'metric,value\nloss,3\nloss,4\nloss,5\n\n',
    'Metric,Baseline,Candidate\nAccuracy,0.8,0.9\nRecall,0.7,0.75\nF1,0.74,0.8\n\n',
  ])('are seen if the first one has rows: %j', async (first) => {
    const next = 'day,campaign,clicks,cost\n2026-03-01,a,120,33.5\n2026-03-02,b,90,21\n2026-03-03,c,4,11\n';
    await expect(table(`${first}${next}`)).rejects.toMatchObject({ code: 'FILE_MALFORMED' });
  });
});

describe('a column that is text because of some of its values', () => {
  test.each([
    ['infinities', 'q,v\na,1.5\nb,inf\nc,2.5\nd,-inf\ne,3\n', '2 of 5 sampled values, first “inf” in line 3'],
    ['a row of types', 'q,v\nstring,int\na,1\nb,2\n', '1 of 3 sampled values, first “int” in line 2'],
    ['a word among true and false', 'q,v\na,true\nb,false\nc,unknown\n', '1 of 3 sampled values'],
  ])('is named: %s', async (_name, content, told) => {
    expect((await table(content)).notes).toContain(`“v” is taken as text because of ${told}`);
  });

  test('is not named where most of its values are texts', async () => {
    expect((await table('q,v\na,Paris\nb,42\nc,blue\n')).notes).not.toContain('taken as text');
  });
});

describe('JSON that is no list of objects', () => {
  test.each([
    ['one to a line', 'jsonl', '"What, exactly?"\n"a\\nb"\n', ['What, exactly?', 'a\nb']],
    ['in one list', 'json', '["What, exactly?","a\\nb"]', ['What, exactly?', 'a\nb']],
  ])('texts %s are rows without escapes, the first one too', async (_name, end, content, texts) => {
    const { names, rows, notes } = await json(content, end);
    expect([names, rows]).toEqual([['value'], texts.map((text) => [text])]);
    expect(notes).toContain('2 values without a name');
  });

  test('objects among values without names are counted apart from them', async () => {
    const { rows, notes } = await json('["x",{"value":"a"},{"value":"b"}]');
    expect(rows).toEqual([['x'], ['a'], ['b']]);
    expect(notes).toContain('1 value without a name, in one list, a row each with the key “value”');
    expect(notes).toContain('Beside them, 2 objects, a row each.');
    expect((await json('"x"\n{"value":"a"}\n"y"\n', 'jsonl')).notes).toMatch(/2 values.*1 object,/);
  });

  test('texts that contain objects are read as these objects', async () => {
    const { names, rows, notes } = await json('"{\\"q\\":\\"a\\"}"\n"{\\"q\\":\\"b\\"}"\n', 'jsonl');
    expect([names, rows]).toEqual([['q'], [['a'], ['b']]]);
    expect(notes).toContain('2 texts, one to a line, that are JSON objects themselves');
  });

  test('texts in a file with another name stay cells', async () => {
    expect((await readBack(write('"a"\n"b"\n', 'csv'))).names).toHaveLength(1);
  });

  test('each value is in a row, as it was', () => {
    const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.constant(null));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), fc.boolean(), (values, isList) => {
        const text = isList ? JSON.stringify(values) : values.map((each) => JSON.stringify(each)).join('\n');
        const { lines } = rowsOfValues(text) ?? { lines: [] };
        expect(lines.map((line) => JSON.parse(line))).toEqual(values.map((each) => ({ value: each })));
      }),
      { numRuns: runs(200) },
    );
  });

  test.each([
    ['a stream of events', 'jsonl', 'data: {"a": 1}\n\ndata: [DONE]\n', /stream of events.*“data:”/],
    ['a stream with names', 'txt', 'event: message\ndata: {"a": 1}\n\n', /stream of events/],
    ['a script', 'json', 'const rows = [{"a": 1}];\n', /inside of a script.*Remove/],
    [
      'a stream after many signs of life',
      'txt',
      `${': ping\r\n\r\n'.repeat(100)}data: {"a": 1}\n`,
      /stream of events/,
    ],
    ['JSONP', 'json', 'callback([{"a": 1}]);', /inside of a script/],
    ['a table of Google', 'json', '/*O_o*/\nq.setResponse({"table":{}});', /inside of a script/],
  ])('%s is refused', async (_name, end, content, reason) => {
    await expect(readBack(write(content, end))).rejects.toMatchObject({
      code: 'FILE_BINARY',
      message: expect.stringMatching(reason),
    });
  });

  test.each([
    ['lists, one to a line', '[1,2]\n[3,4]\n', /Expected a JSON object, got an array/],
    [
      'lists, the first of them longer than is looked at',
      `[1,"${'a'.repeat(5_000)}"]\n[2,"b"]\n`,
      /got an array/,
    ],
    ['texts, one list to a line', '["a"]\n["b"]\n', /got an array/],
    ['numbers, one list to a line', '[1]\n[2]\n[3]\n', /got an array/],
    ['lists of any length', '["a", "b"] \n["c"]\n', /got an array/],
    ['a list above other text', '["a","b"]\n// end\n', /got an array/],
    ['lists of lists of objects', '[[{"a":1}]]\n', /got an array/],
    ['a list that is cut off', '["a","b"', /not valid JSON: it may be cut off/],
  ])('%s, are not read as cells', async (_name, content, reason) => {
    await expect(json(content)).rejects.toThrow(reason);
  });

  test.each([
    ['["a"]\n["b"]\n', /got an array/],
    ['["a"]\n', /got an array/],
    ['[\n"a",\n"b"\n]\n', /got a string/],
  ])('%j, in a file of rows one to a line, is not read as cells', async (content, reason) => {
    for (const end of ['jsonl', 'ndjson']) await expect(json(content, end)).rejects.toThrow(reason);
    const [offered] = await files.offer([packed(content, 'jsonl.gz')]);
    await expect(files.inspect(offered?.fileId ?? '', null)).rejects.toThrow(reason);
  });

  test('lists stay cells in a file with another name, or if the user names the delimiter', async () => {
    expect((await readBack(write('["a"]\n["b"]\n', 'txt'))).rows).not.toEqual([]);
    expect((await readBack(write('["a"]\n["b"]\n', 'json'), { delimiter: ';' })).rows).not.toEqual([]);
  });

  test.each([
    'prompt=[INST],n',
    'P([0]),b',
    'f({0}),b',
    'f({a: 1}),b',
    'SUM([[x]]),b',
    'x=[1],y=[2]',
    'data: [ms],b',
  ])('a table with the column names %s is read', async (head) => {
    expect((await readBack(write(`${head}\n1,2\n`, 'csv'))).rows).toHaveLength(1);
  });

  test.each([
    [
      'one object that holds lists',
      '{"of":"x","train":[{"q":"a"}],"test":[{"q":"b"}]}',
      'Lists in it can be read',
    ],
    ['objects under their ids', '{"u1":{"q":"a"},"u2":{"q":"b"}}', 'Each of its values is an object'],
    ['lists of different length', '{"q":["a","b"],"n":[1]}', 'read as one row'],
  ])('%s on one line is named as one row', async (_name, content, told) => {
    const { rows, notes, sheet } = await json(content);
    expect(rows).toHaveLength(1);
    expect(notes).toContain('JSON: one object, read as one row.');
    expect(notes).toContain(told);
    if (told.startsWith('Lists')) expect(sheet).toBe(WHOLE_DOCUMENT);
  });

  test('rows of the viewer of Hugging Face are their values, and cells that it cut off are counted', async () => {
    const rows = [
      { row_idx: 0, row: { q: 'a…', n: 1 }, truncated_cells: ['q'] },
      { row_idx: 1, row: { q: 'b', n: 2 }, truncated_cells: [] },
    ];
    const page = { features: [{ feature_idx: 0, name: 'q' }], rows, num_rows_total: 2, partial: false };
    const { names, rows: read, notes } = await json(JSON.stringify(page));
    expect([names, read]).toEqual([
      ['q', 'n'],
      [
        ['a…', '1'],
        ['b', '2'],
      ],
    ]);
    expect(notes).toContain('The viewer cut off 1 cell, first “q” in row 1');
  });
});

test('a line of one cell below a table is named as a possible note, and one cell is one cell', async () => {
  const { bad } = await table('id,text\n1,a\n2,b\n\n(2 rows affected)\n');
  expect(bad.map(({ problem }) => problem)).toEqual([
    'Expected 2 cells, got 1. Check for a missing or an unquoted delimiter. If the line is a note around the table, leave it out.',
  ]);
  const one = await table('question\nWhat, exactly?\nWhy\n');
  expect(one.bad[0]?.problem).toMatch(/^Expected 1 cell, got 2\./);
});

test('rows that are not sent are named with the first of them, its column, value and reason', () => {
  const bad = { line: 7, column: 'v', value: 'n/a ok', reason: 'Expected a whole number.' };
  expect(badRowText(bad)).toBe('line 7, v “n/a ok”: Expected a whole number.');
  expect(badRowText({ ...bad, column: null })).toBe('line 7: Expected a whole number.');
  expect(badRowsOmission(2, bad)).toMatchObject({
    count: 2,
    line: 7,
    reason: 'they cannot be sent as they are, such as the first: v “n/a ok”: Expected a whole number',
  });
});

describe('years of another calendar', () => {
  test.each<[string, string, string]>([
    [
      'Persian',
      'id,day\n1,1404-09-08\n2,1404-02-31\n',
      'Persian or Islamic calendar, first “1404-09-08” in line 2',
    ],
    ['digits of its script', 'id,day\n1,۱۴۰۴/۰۹/۰۸\n2,۱۴۰۳/۰۱/۰۱\n', 'Persian or Islamic calendar'],
    [
      'Thai',
      'id,day\n1,\n2,31/12/2569 10:00\n3,01/02/2568 09:30\n',
      'Thai calendar, first “31/12/2569 10:00” in line 3',
    ],
  ])('are named: %s', async (_name, content, said) => {
    expect((await table(content)).notes).toContain(said);
  });

  test.each(['id,day\n1,2025-12-01\n2,1404-01-01\n', 'id,n\n1,1404\n2,2569\n'])(
    'are no doubt among usual ones, or in numbers: %j',
    async (content) => {
      expect((await table(content)).notes).not.toContain('calendar');
    },
  );
});

describe('an offset and a zone behind each other', () => {
  test.each(['2026-03-01T10:00:00+05:00[Europe/Berlin]', '2026-07-01 10:00:00+01:00[Europe/Berlin]'])(
    'are refused if they differ: %s',
    (text) => {
      expect(readTime(text)).toMatch(
        /^Expected the offset of Europe\/Berlin at this time, \+0[12]:00, got \+0[51]:00\. /,
      );
    },
  );

  test.each([
    [
      '2026-07-01T10:00:00+00:00[Europe/Berlin]',
      /offset of Europe\/Berlin at this time, \+02:00, got \+00:00/,
    ],
    ['2026-07-05 10:00:00 +0200 UTC', /got \+02:00/],
    ['2026-07-05 10:00:00 +0200 CET', /got \+02:00/],
  ])('are refused if they differ, in any notation: %s', (text, reason) => {
    expect(readTime(text)).toMatch(reason);
  });

  test.each([
    ['2026-03-01T10:00:00+01:00[Europe/Berlin]', '2026-03-01T10:00:00+01:00'],
    ['2026-10-25T02:30:00+01:00[Europe/Berlin]', '2026-10-25T02:30:00+01:00'],
    ['2026-10-25T02:30:00+02:00[Europe/Berlin]', '2026-10-25T02:30:00+02:00'],
    ['2026-01-01T10:00:00+00:00[Europe/London]', '2026-01-01T10:00:00+00:00'],
    ['2026-01-01T10:00:00+05:30[Asia/Kolkata]', '2026-01-01T10:00:00+05:30'],
    ['2026-01-01T10:00:00-03:30[America/St_Johns]', '2026-01-01T10:00:00-03:30'],
    ['2026-01-01T10:00:00Z[UTC]', '2026-01-01T10:00:00Z'],
    ['2026-01-01T10:00:00Z[Europe/London]', '2026-01-01T10:00:00Z'],
    // UTC does not determine the offset of the zone.
    ['2026-07-01T10:00:00Z[Europe/Berlin]', '2026-07-01T10:00:00Z'],
    ['2026-07-01T10:00:00z[Asia/Kolkata]', '2026-07-01T10:00:00Z'],
    ['2026-07-01T10:00:00-00:00[Europe/Berlin]', '2026-07-01T10:00:00-00:00'],
    ['2026-01-05 10:00:00 +0000 UTC', '2026-01-05 10:00:00+0000'],
    ['2026-07-05 10:00:00.5 +0200 CEST', '2026-07-05 10:00:00.5+0200'],
    ['2026-07-05 10:00:00 +0300 EAT', '2026-07-05 10:00:00+0300'],
  ])('give the offset if they agree: %s', (text, sent) => {
    expect(readTime(text)).toMatchObject({ json: JSON.stringify(sent) });
  });
});

test.each([
  ['2026Q1', 'a quarter'],
  ['2026-Q4', 'a quarter'],
  ['Q1 2026', 'a quarter'],
  ['2026', 'a year alone'],
  ['2026-001', 'the number of a day in its year'],
  ['2026-01-05/2026-01-11', 'a range of two'],
  ['2026-01-05 10:00:00/2026-01-06 10:00:00', 'a range of two'],
  ['2026-01-05 to 2026-01-11', 'a range of two'],
  ['10:30', 'a time of day alone'],
  ['10:30:15.5 pm', 'a time of day alone'],
  ['2026-01-05 11', 'an hour alone'],
])('%s is refused as what it is', (text, got) => {
  expect(readTime(text)).toMatch(new RegExp(`^Expected .*, got ${got}.*\\. (?:Write|Put) .* such as 2026`));
});

describe('the sum below a table', () => {
  const rows = Array.from({ length: 60_000 }, (_, at) => `shop ${at},2026-03-01,${at}.5\n`).join('');

  test.each(['Total,,1800000000', 'Total,,1800000000\n'])('of more than 1 MB is named: %j', async (last) => {
    const { notes } = await table(`shop,day,sales\n${rows}${last}`);
    expect(notes).toContain('The last row with “Total” may be the sum of the others.');
  });

  test('is not seen in a usual last row', async () => {
    expect((await table(`shop,day,sales\n${rows}`)).notes).not.toContain('may be the sum');
  });
});

describe('one column of texts with commas', () => {
  test('names how to read it in each row with one', async () => {
    const { bad } = await table('text\nhello, world\nfoo\nbar, baz, qux\nplain text\n');
    expect(JSON.stringify(bad)).toContain(
      'read each line as one text: choose a delimiter that they do not have (--delimiter',
    );
  });

  const texts = 'review\nGood, but late\nI liked it, really, a lot\nBad\nFine, ok\n';
  test('is not taken for a table below a title, and is read with another delimiter', async () => {
    await expect(table(texts)).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
      message: expect.stringContaining('one in line 1 and different numbers below'),
    });
    const { names, rows } = await table(texts, { delimiter: '\u0001' });
    expect(names).toEqual(['review']);
    expect(rows).toEqual([['Good, but late'], ['I liked it, really, a lot'], ['Bad'], ['Fine, ok']]);
  });
});
