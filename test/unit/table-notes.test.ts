/** Notes about rows that are sent unchanged, but that the user should check before. */
import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { readBack } from '../helpers/read-back.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

async function notesOf(content: string | Buffer): Promise<string> {
  const path = folder.file('rows.csv');
  writeFileSync(path, content);
  return (await inspectFile({ path, fileId: 'f', override: null, seed: 0.5 })).notes.join('\n');
}

describe('lines below a table that may be notes', () => {
  const TABLE = 'id,score\n1,0.5\n2,0.6\n';
  const many = Array.from({ length: 90_000 }, (_, at) => `${at},0.5\n`).join('');

  test.each([
    [
      'below a blank line',
      `${TABLE}\nSource: internal, May 2026\n`,
      /last line \(line 5\), “Source: internal, May 2026”/,
    ],
    ['several', `${TABLE}\nall values, rounded\nnot audited, internal\n`, /last 2 lines \(from line 5 on\)/],
    ['without a blank line', `${TABLE}Note: preliminary, unaudited\n`, /last line \(line 4\)/],
    ['below texts', 'q,a\nWhat?,That\nWho?,Me\n\n"Exported by Anna, 2026",\n', /“Exported by Anna, 2026”/],
    ['in German', 'frage;antwort\na;b\nc;d\n\nStand: Mai 2026;vorläufig\n', /“Stand: Mai 2026,vorläufig”/],
    [
      'of a large file',
      `id,score\n${many}\nSource: internal, May 2026\n`,
      /The last line.*may be a note below the table/,
    ],
  ])('are named %s', async (_name, content, note) => {
    expect(await notesOf(content)).toMatch(note);
  });

  test.each([
    ['texts like notes among others', 'q,a\nSource: what?,Note: x\nNote: y,z\nc,d\n'],
    ['all rows', 'q,a\nNote: a,b\nNote: c,d\nNote: e,f\n'],
    ['texts below a blank line', 'q,a\na,b\nc,d\n\ne,f\n'],
    ['values below a blank line', `${TABLE}\n3,n/a\n`],
    ['groups of rows', 'id,v\n1,a\n\n2,b\n\nx,c\n'],
    ['a cell of several lines', 'id,v\n1,"a\nb\nc"\n2,"d\n\ne"\n3,f\n'],
    ['a sum', `${TABLE}\nTotal,1.1\n`],
    ['empty cells at the end', 'id,v\n1,0.5\n2,\n\n3,\n'],
  ])('not %s', async (_name, content) => {
    expect(await notesOf(content)).not.toMatch(/below the table/);
  });
});

describe('numbers that a spreadsheet may have shortened', () => {
  test.each([
    ['1.23457E+12', 'ref,v\n1.23457E+12,1\n4.5E+15,2\n'],
    ['1.23457E+12', 'ref,v\nA-1,1\n1.23457E+12,2\n'],
    ['1,23457E+12', 'ref;v\nA-1;1\n1,23457E+12;2\n'],
    ['-4E+11', 'ref,v\n-4E+11,1\n2,2\n'],
  ])('%s is named', async (number, content) => {
    expect(await notesOf(content)).toContain(`“ref” has numbers such as “${number}”`);
  });

  test.each(['1.500000E+12', '1.2345678E+15', '6.02E+23', '1e+16', '1E5', '1.5E-12', '1.5E+10'])(
    '%s is not',
    async (number) => {
      expect(await notesOf(`ref,v\n${number},1\n2,2\n`)).not.toContain('six digits');
    },
  );
});

describe('NA without quotes beside texts in quotes', () => {
  test.each([
    ['"id","c","v"\n"a","FR",1\n"b",NA,2\n', /Column “c” has NA without quotes.*\(line 3\).*\(--null\)\.$/m],
    [
      '"","c"\n"1","x, y"\n"2",NA\n"3","NA"\n"4","z"\n',
      /\(line 3\).*NA in quotes would be read in the same way/,
    ],
  ])('is named: %j', async (content, note) => {
    expect(await notesOf(content)).toMatch(note);
  });

  test.each(['id,c\na,FR\nb,NA\n', '"id","c"\n"a","FR"\n"b","NA"\n', '"id","v"\n"a",1\n"b",NA\n'])(
    'no other NA is: %j',
    async (content) => {
      expect(await notesOf(content)).not.toContain('NA without quotes');
    },
  );
});

describe('UTF-16 without a byte order mark', () => {
  const TEXT = 'id,名前\n1,日本語のテキスト\n2,別の文章です\n3,三番目の長い文章\n';
  test.each(['utf-16le', 'utf-16be'])(
    'is found without a zero in every second byte: %s',
    async (encoding) => {
      const bytes = Buffer.from(TEXT, 'utf16le');
      const path = folder.file('wide.csv');
      writeFileSync(path, encoding === 'utf-16le' ? bytes : bytes.swap16());
      const { preview, rows } = await readBack(path);
      expect(preview.dialect.encoding).toBe(encoding);
      expect(rows[0]).toEqual(['1', '日本語のテキスト']);
    },
  );

  test('numbers as bytes are not text', async () => {
    const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7_919) & 255));
    await expect(notesOf(bytes)).rejects.toMatchObject({ code: 'FILE_BINARY' });
  });
});

describe("dicts and lists in Python's notation", () => {
  test.each([
    `id,contexts\n1,"['a, b', 'c']"\n2,"[""it's""]"\n3,\n`,
    `id,meta\n1,"{'a': 1, 'b': None}"\n2,"{'a': 2}"\n`,
    `id,list\n1,"['a' 'b']"\n2,[]\n`,
  ])('are named: %j', async (content) => {
    expect(await notesOf(content)).toMatch(/has dicts or lists in Python's notation, first .* in line 2/);
  });

  test('are distinguished from structs and lists of DuckDB', async () => {
    expect(await notesOf(`id,meta\n1,"{'a': 1, 'b': x}"\n2,"{'a': 2, 'b': NULL}"\n`)).toMatch(
      /has structs or lists as DuckDB shows them, first .* in line 2.*to_json/,
    );
  });

  test.each([
    'id,text\n1,"[draft] it is \'new\'"\n2,x\n3,y\n',
    'id,j\n1,"{""a"": ""it\'s""}"\n2,"[""b""]"\n',
    'id,text\n1,{name}\n2,[sic]\n',
  ])('other texts are not: %j', async (content) => {
    expect(await notesOf(content)).not.toContain('Python');
  });
});

describe('a first row of texts above numbers', () => {
  test.each([
    ['units', 'time,temp,note\ns,degC,\n0,1.5,a\n1,1.6,b\n', /first row \(line 2\), “s,degC”, may be units/],
    [
      'a second line of names',
      `a,b,c\nTime,Temperature,Name\n${'0,1.5,x\n1,,y\n2,1.7,z\n'.repeat(6)}`,
      /second line of names/,
    ],
  ])('is named if it may be %s', async (_name, content, note) => {
    expect(await notesOf(content)).toMatch(note);
  });

  test.each([
    ['it has a number', 'time,temp,n\ns,degC,5\n0,1.5,6\n1,1.6,7\n'],
    ['one column has numbers below', 'time,name\ns,a\n0,b\n1,c\n'],
    ['its words are equal', 'a,b\nnew,new\n0,1.5\n1,1.6\n'],
    ['its words stand for missing values', 'a,b\nNA,-\n0,1.5\n1,1.6\n'],
    ['its words are no units, and few rows are below', 'a,b,c\nx,baseline,unknown\ny,0,1.5\nz,1,1.6\n'],
    ['another row has texts too', 'a,b\nlow,high\n0,1.5\nlow,1.6\n1,mid\n'],
    [
      'rows further down have texts too',
      `a,b\nlow,high\n${'0,1.5\n'.repeat(250_000)}${'low,mid\n1,1.6\n'.repeat(250_000)}`,
    ],
  ])('is not named if %s', async (_name, content) => {
    expect(await notesOf(content)).not.toMatch(/may be units/);
  });

  test.each(['[s],[m/s]', 's,µg/m³', '(EUR),%', 'ms,kWh', 'degC,hPa'])('is named: %s', async (units) => {
    expect(await notesOf(`a,b\n${units}\n0,1.5\n1,1.6\n`)).toMatch(/may be units/);
  });
});

test('a quote behind a blank that does not enclose its cell is named', async () => {
  const notes = await notesOf('id, text\n1, "a, b"\n2, "x"y\n');
  expect(notes).toContain(
    '1 cell with a blank before the quote: read as quoted, without the blank (line 2).',
  );
  expect(notes).toContain(
    '1 cell with a blank before a quote that does not enclose the whole cell: read as written, with the quotes (line 3).',
  );
});

test('halves of characters in JSON are named, and whole ones are not', async () => {
  const path = folder.file('halves.jsonl');
  writeFileSync(path, '{"a":"cut \\ud83d","b":"\\ud83d\\ude00"}\n{"a":"x","b":"😀"}\n');
  const notes = (await inspectFile({ path, fileId: 'f', override: null, seed: 0.5 })).notes.join('\n');
  expect(notes).toMatch(/Column “a” has halves of characters.* in line 1: 1 value of 2 sampled/);
  expect(notes).not.toContain('Column “b”');
});
