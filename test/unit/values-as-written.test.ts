/** Values are sent as they are written, or changed by a named rule: JSON in cells, numbers as texts, joined files. */
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { writeSigned } from '../../electron/shared/exact-json.ts';
import { jsonReason } from '../../electron/uploads/validate/json-reason.ts';
import { checkedFile } from '../helpers/checked-file.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { readBack } from '../helpers/read-back.ts';
import { setUpFiles } from '../helpers/set-up-files.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFiles((made) => {
  ({ folder, files } = made);
});

async function sent(name: string, content: string | Buffer, columns: Record<string, string>) {
  const found = await checkedFile(folder.file(name), content, { model: { columns } });
  return {
    events: found.events,
    rules: found.ledger.changes.map(({ rule, source, count }) => `${source} ${rule} ${count}`).toSorted(),
    bad: found.bad.map(({ reason }) => reason),
    notes: found.notes.join('\n'),
  };
}

describe('JSON in a cell', () => {
  const cells = (...texts: string[]) =>
    `id,j\n${texts.map((text, at) => `${at},"${text.replaceAll('"', '""')}"\n`).join('')}`;

  test('is read like JSON in a file: repeated keys, NaN and infinity are counted', async () => {
    const file = cells('{"a":1,"a":2}', '{"x":NaN,"y":[Infinity]}', '{"a":1}');
    const { events, rules, bad } = await sent('json.csv', file, { id: 'int', j: 'json' });
    expect(events.map(({ j }) => j)).toEqual([{ a: 2 }, { x: null, y: [null] }, { a: 1 }]);
    expect(rules).toEqual(['j last-of-key 1', 'j not-finite 2']);
    expect(bad).toEqual([]);
  });

  test('is proposed as JSON although it has NaN', async () => {
    const { columns } = await checkedFile(folder.file('nan.csv'), cells('{"x":NaN}', '{"x":1}', '[NaN]'));
    expect(columns.find(({ source }) => source === 'j')?.type).toBe('json');
  });

  test('keeps the sign of zero', async () => {
    const { events } = await sent('zero.csv', cells('{"a":-0,"b":[-0.0,0]}'), { id: 'int', j: 'json' });
    expect(JSON.stringify(events[0]?.['j'], signs)).toBe('{"a":"-0","b":["-0",0]}');
  });

  test.each([
    ["{'a': 1, 'b': None}", /Python's notation.*json\.dumps/],
    ["['x', 'y']", /Python's notation/],
    ["{'a': 1}", /Python's notation/],
    ["['x']", /Python's notation/],
    ['[True]', /Python's notation/],
    ['{"a": True}', /Python's notation/],
    ["[a, b c, NULL, 'd,e']", /DuckDB shows it\. Export it with to_json\./],
    ["{'a': 1, 'b': x y, 'c': NULL}", /DuckDB/],
    ["{'a': Timestamp('2026-01-05'), 'b': nan}", /Python's notation/],
    ['[datetime.date(2026, 1, 5), None]', /Python's notation/],
    ["{'a': NaT, 'b': 1}", /Python's notation/],
    ["[np.True_, np.False_, 'x']", /Python's notation/],
    ["{'a': null, 'b': 'x'}", /Python's notation/],
    ['(0.1, 0.2)', /tuple/],
    ['[ 0.1  0.2 -1.e-01]', /numpy.*tolist/],
    ['array([0.1, 0.2])', /tolist/],
    ['[0.1 0.2 ... 0.9]', /cut off/],
    ['{0.1,0.2}', /PostgreSQL/],
    ['[0.1, nan, -inf]', /nan or inf, which JSON cannot hold\. Replace/],
    ['0.1 -2 3e5', /got numbers without brackets\. Write them as a list/],
    ['0.1;.2', /numbers without brackets/],
    ['{"a": 1', /^Expected JSON\.$/],
  ])('says what “%s” is', (text, reason) => {
    expect(jsonReason(text)).toMatch(reason);
  });

  test('in a column of vectors, any other text is no list of numbers', async () => {
    const { bad } = await sent('v.csv', cells('AACAPwAAAEA=', '[1,2]'), { id: 'int', j: 'vector' });
    expect(bad).toEqual(['Expected a list of numbers such as [0.1, 0.2].']);
  });
});

const signs = (_key: string, value: unknown): unknown => (Object.is(value, -0) ? '-0' : value);

test('JSON is written with the sign of zero, at any depth', () => {
  expect(writeSigned(-0)).toBe('-0');
  expect(writeSigned({ a: [0, { b: -0 }], c: ',0,' })).toBe('{"a":[0,{"b":-0}],"c":",0,"}');
});

test.each(['rows.jsonl', 'rows.json'])('numbers that become texts keep their digits in %s', async (name) => {
  const rows = ['{"id":1.0,"v":1.10,"w":1e5,"n":{"z":-0.0}}', '{"id":2,"v":1.2,"w":"x","n":null}'];
  const file = name.endsWith('l') ? rows.join('\n') : `[${rows.join(',\n')}]`;
  const { events, rules } = await sent(name, file, { id: 'str', v: 'str', w: 'str', n: 'json' });
  expect(events.map(({ id, v, w }) => [id, v, w])).toEqual([
    ['1.0', '1.10', '1e5'],
    ['2', '1.2', 'x'],
  ]);
  expect(JSON.stringify(events[0]?.['n'], signs)).toBe('{"z":"-0"}');
  expect(rules).toEqual(['id text-of-number 2', 'v text-of-number 2', 'w text-of-number 1']);
});

test('numbers that become texts keep their digits beside NaN', async () => {
  const { events } = await sent('nan.jsonl', '{"id":1.10,"v":NaN}\n{"id":2e1,"v":1}\n', {
    id: 'str',
    v: 'float',
  });
  expect(events.map(({ id }) => id)).toEqual(['1.10', '2e1']);
});

test.each([
  ['by column.json', '{"id":{"0":1.10,"1":2e1},"v":{"0":-0,"1":1}}'],
  ['cells.json', '{"columns":["id","v"],"data":[[1.10,-0],[2e1,1]]}'],
  ['columns.json', '{"id":[1.10,2e1],"v":[-0,1]}'],
])('rows of a JSON table keep the digits of their numbers in %s', async (name, content) => {
  const text = await copied(name, content);
  expect(text).toBe('{"id":1.10,"v":-0}\n{"id":2e1,"v":1}\n');
});

test('values without names keep the digits of their numbers', async () => {
  expect(await copied('values.json', '[1.10, 2e1]')).toBe('{"value":1.10}\n{"value":2e1}\n');
});

/** Returns the rows that are read instead of the file. */
async function copied(name: string, content: string): Promise<string> {
  const [offered] = await files.offer([await written(name, content)]);
  const fileId = offered?.fileId ?? '';
  const { dialect } = await files.inspect(fileId, null);
  return readFile((await files.readable(fileId, dialect)).path, 'utf8');
}

describe('files that were joined', () => {
  test.each(['utf8', 'utf16le'] as const)(
    'are read without byte order marks between them in %s',
    async (encoding) => {
      const joined = '\ufeffid,v\na,1\n\ufeff"b, c",2\n\ufeffid,v\n\ufeffd,3\n';
      const file = Buffer.from(joined, encoding);
      const { events, notes } = await sent(`joined ${encoding}.csv`, file, { id: 'str', v: 'int' });
      expect(events).toEqual([
        { id: 'a', v: 1 },
        { id: 'b, c', v: 2 },
        { id: 'd', v: 3 },
      ]);
      expect(notes).toMatch(/3 lines with a byte order mark at the beginning/);
    },
  );

  test('a mark far down is found too', async () => {
    const many = Array.from({ length: 30_000 }, (_, at) => `r${at},${at}\n`).join('');
    const { events } = await sent('long.csv', `id,v\n${many}\ufeff"b, c",2\n`, { id: 'str', v: 'int' });
    expect(events.length).toBe(30_001);
    expect(events.at(-1)).toEqual({ id: 'b, c', v: 2 });
  });
});

test('reads doubled backslashes of PostgreSQL as one, and says so', async () => {
  const { events, notes } = await sent('copy.txt', '1\tC:\\\\Users\t\\N\n2\tx\t0.5\n', {
    column_1: 'int',
    column_2: 'str',
    column_3: 'float',
  });
  expect(events.map(({ column_2, column_3 }) => [column_2, column_3])).toEqual([
    ['C:\\Users', null],
    ['x', 0.5],
  ]);
  expect(notes).toBe('');
  const { preview } = await readBack(folder.file('copy.txt'));
  expect(preview.notes.join('\n')).toMatch(/one backslash, as COPY of PostgreSQL writes it/);
});

test('takes no JSON for the name of a column, and no name in brackets for JSON', async () => {
  const kafka = await checkedFile(folder.file('kafka.txt'), 'k1\t{"a":1}\nk2\t{"a":2}\n');
  expect(kafka.events.length).toBe(2);
  const named = await checkedFile(folder.file('named.csv'), '[0],[1]\na,b\nc,d\n');
  expect(named.columns.map(({ source }) => source)).toEqual(['[0]', '[1]']);
});

test('finds the column of a name whose letters are composed in another way', async () => {
  const file = `id,re\u0301sume\u0301\n1,0.5\n`;
  const { events } = await sent('mac.csv', file, { id: 'int', r\u00e9sum\u00e9: 'float' });
  expect(events).toEqual([{ id: 1, r\u00e9sum\u00e9: 0.5 }]);
});

test('a category that is a whole number is found with zeros behind its point', async () => {
  const categories = { c: [0, 1], d: ['0', '1'] };
  const model = { columns: { id: 'int', c: 'category', d: 'category' }, categories };
  const file = 'id,c,d\n1,1.0,1.0\n2,0.0,0\n3,1,1\n4,1.5,x\n';
  const { events, ledger } = await checkedFile(folder.file('category.csv'), file, { model });
  expect(events.map(({ c, d }) => [c, d])).toEqual([
    [1, '1.0'],
    [0, '0'],
    [1, '1'],
    ['1.5', 'x'],
  ]);
  expect(ledger.changes.map(({ rule, source, count }) => [rule, source, count])).toContainEqual([
    'whole-number',
    'c',
    2,
  ]);
});

test('tabs separate cells if commas would cut as many', async () => {
  const { preview } = await readBack(await written('tabs.txt', 'id\tnote, long\n1\ta, b\n2\tc, d\n'));
  expect(preview.columns.map(({ name }) => name)).toEqual(['id', 'note, long']);
  const commas = await readBack(await written('commas.csv', 'id,note\n1,a\tb\n2,c\td\n'));
  expect(commas.names).toEqual(['id', 'note']);
});

test.each([
  ['who,\tcity\na,\tBonn\nb,\tUlm\n', ['who', 'city']],
  ['who;\tcity\na;\tBonn\nb;\tUlm\n', ['who', 'city']],
  ['id,no\tte\n1,a\tb\n2,c\td\n', ['id', 'no\tte']],
  ['who\tnote, long\nx\ta, b\ny\tc, d\n', ['who', 'note, long']],
  ['48,1;11,5\n48,2;11,6\n', ['column_1', 'column_2']],
])('of delimiters that cut all lines, the one whose cells are values separates: %j', async (file, names) => {
  const { preview } = await readBack(await written('both.txt', file));
  expect(preview.columns.map(({ name }) => name)).toEqual(names);
});

async function written(name: string, content: string): Promise<string> {
  await writeFile(folder.file(name), content);
  return folder.file(name);
}
