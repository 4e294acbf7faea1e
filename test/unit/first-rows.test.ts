/** First rows of tables without a header, and headers that take up two lines or repeat their names. */
import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { ItemReader } from '../../electron/uploads/items/item-of-row.ts';
import { openSource, readRows } from '../../electron/uploads/readers/open-source.ts';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import { isUtf7 } from '../../electron/uploads/sniff/utf7.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { neverHangs } from '../helpers/never-hangs.ts';
import { readBack } from '../helpers/read-back.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

let files = 0;
function write(content: string | Buffer, name = 'rows.csv'): string {
  files += 1;
  const path = folder.file(`${files}-${name}`);
  writeFileSync(path, content);
  return path;
}
const refusalOf = (content: string | Buffer, name?: string): Promise<string> =>
  inspectFile({ path: write(content, name), fileId: 'f', override: null, seed: 0.5 }).then(() => '', String);

describe('a first row whose values differ from those below in their digits alone is no header', () => {
  test.each([
    ['ids', 'user_1,apple\nuser_2,pear\nuser_3,plum\n'],
    ['ids beside an empty number', 'user_1,\nuser_2,5\nuser_3,6\n'],
    ['one column', 'INC-001\nINC-002\nINC-104\n'],
    ['pairs of numbers', '3:5\n4:16\n11:2\n'],
    ['numbers between blanks', '1 0.5  2.5\n2 0.25 3\n10 1 4.5\n'],
    ['digits of another script', 'س١,a\nس٢,b\nس٣,c\n'],
    ['ids beside a missing number', 'user_1,n/a\nuser_2,5\nuser_3,6\n'],
    ['pairs that continue the count', 'user1,user2\nuser3,user4\nuser5,user6\n'],
    ['all pairs', 'user1,user2,same\nuser1,user3,other\nuser2,user3,same\n'],
    ['a counted pair beside another number', 'doc1,doc2,v1\ndoc5,doc7,v3\ndoc8,doc4,v2\n'],
  ])('%s', async (_name, content) => {
    const { rows, notes } = await readBack(write(content));
    expect(rows).toHaveLength(3);
    expect(notes).toContain('No header');
  });

  test.each([
    ['a name with a number above other texts', 'Q1,Q2\nyes,no\nno,no\n'],
    ['a name above equal values', 'phase2,b\nphase1,x\nphase1,y\n'],
    ['one row', 'v1,w\nv2,x\n'],
    [
      'names with numbers beside a name above numbers',
      'node1,node2,weight\nnode5,node7,0.3\nnode6,node8,0.5\n',
    ],
    ['a name with a number beside a name above days', 'user1,day\nuser7,2026-01-02\nuser9,2026-01-05\n'],
    ['counted names beside another name', 'doc1,doc2,label\ndoc5,doc7,same\ndoc6,doc8,other\n'],
    ['counted names alone', 'item01,item02,item03\nitem07,item04,item02\nitem09,item08,item01\n'],
    ['names counted from 0 in another script', 'س٠,س١,نوع\nس٥,س٧,a\nس٩,س٨,b\n'],
  ])('%s remains a header', async (_name, content) => {
    expect((await readBack(write(content))).preview.dialect.hasHeader).toBe(true);
  });
});

/** Twelve lines, counted from 1. */
const counting = (line: (at: number) => string): string =>
  Array.from({ length: 12 }, (_, at) => `${line(at + 1)}\n`).join('');

describe('a number in the first row', () => {
  test.each([
    ['the number of an index', '0,Name,Age,Joined\n1,Ann,32,2026-01-02\n2,Ben,25,2026-01-03\n'],
    [
      'a number in place of a name',
      'Region,5,Units,Price\nEast,2026-01-06,95,1.99\nWest,2026-01-07,50,19.99\n',
    ],
    ['the number of an index of many rows', `0,Age,Score\n${counting((at) => `${at},${at + 20},${at * 3}`)}`],
    ['a number above many texts', `5,Units,Price\n${counting((at) => `East ${at},${at + 20},1.99`)}`],
  ])('beside names above numbers is a name: %s', async (_name, content) => {
    expect((await readBack(write(content))).preview.dialect.hasHeader).toBe(true);
  });

  test.each([
    ['one word', '1,Ann,unknown\n2,Ben,25\n3,Cid,31\n'],
    ['equal words', '1,unknown,unknown\n2,5,25\n3,6,31\n'],
    ['fewer words than numbers', '7,2,9,low,none yet\n4,5,6,7,8\n7,8,9,1,2\n'],
    [
      'words above numbers, as a time',
      '2024-01-01 10:00,offline,error\n2024-01-01 11:00,1,2\n2024-01-01 12:00,3,4\n',
    ],
    ['words above numbers, as a date', '2024-01-01,offline,error\n2024-01-02,1,2\n2024-01-03,3,4\n'],
    ['words above numbers, as a number that is continued', '1,low,high\n2,1,2\n3,4,5\n'],
    ['names above numbers, as a number that is continued', '7,alice,bob\n8,1,2\n9,3,4\n'],
    ['words above numbers, as a number that is counted down', '9,low,high\n8,1,2\n7,4,5\n'],
    ['words above numbers, as one of other numbers', '41,low,high\n7,1,2\n95,4,5\n'],
    ['words above numbers, as a decimal', '0.5,low,high\n2026-01-06,1,2\n2026-01-07,4,5\n'],
    ['words above numbers, as JSON', '"{""a"":1}",low,high\nx,1,2\ny,4,5\n'],
    ['words above numbers, as an index of few rows', '0,low,high\n1,1,2\n2,4,5\n'],
    ['words above numbers, as one of the texts below', '7,low,high\nA8,1,2\nB9,4,5\n'],
    ['words above numbers, as a year', '2024,low,high\n2025-05,1,2\n2025-06,4,5\n'],
    ['words for missing values', '1,NA,n/a\n2,5,25\n3,6,31\n'],
  ])('beside %s above numbers is a value', async (_name, content) => {
    const { rows, notes } = await readBack(write(content));
    expect(rows).toHaveLength(3);
    expect(notes).toContain('No header');
  });
});

describe('a header with repeated names above texts', () => {
  test('is a header', async () => {
    const { names, rows } = await readBack(write('name,name,city\nAnna,Smith,Paris\nBen,Jones,Rome\n'));
    expect(names).toEqual(['name', 'name_2', 'city']);
    expect(rows).toHaveLength(2);
  });

  test('is a row if its columns have equal values further down', async () => {
    const { rows, notes } = await readBack(write('left,left,a\nright,right,b\nup,down,c\nup,up,d\n'));
    expect(rows).toHaveLength(4);
    expect(notes).toContain('No header');
  });
});

describe('lines with labels, or marks of several characters, are refused with the next step', () => {
  test.each<[string, string, RegExp]>([
    ['log.ltsv', 'time:10:00\thost:a\tstatus:200\n', /\(LTSV\).*mlr --idkvp/],
    ['log.txt', 'time:10:00\thost:a\tstatus:200\ntime:10:01\thost:b\n', /labels and values \(LTSV\)/],
    ['ratings.dat', '1::1193::5::978300760\n1::661::3::978302109\n', /separated by “::”.*tab/],
    ['movies.dat', '1::Toy Story (1995)::A|B\n2::Jumanji, or not (1995)::A\n', /separated by “::”/],
    ['cards.txt', 'Name: Anna\nBorn in: Oslo\n\nName: Ben\nBorn in: Rome\n', /records below each other/],
    ['genes.fa', '>seq1 a, b\nACGTTT\nAAC\n>seq2\nACC\n', /FASTA/],
    ['reads.fastq', '@r1\nACGT\n+\n!!,!\n', /FASTQ/],
    ['matrix.mtx', '%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 0.5\n', /Matrix Market/],
    ['export.txt', 'id@@name\n1@@a\n2@@b, c\n', /separated by “@@”/],
    ['requests.txt', 'host:a\tpath:b\tstatus:200\nhost:c\tpath:d\n', /\(LTSV\).*--delimiter tab/],
    ['people.txt', 'Id: 1\nWho: Anna\nText: One. Two.\n\nId: 2\nWho: Ben\n', /JSON line.*--delimiter/],
  ])('%s', async (name, content, reason) => {
    expect(await refusalOf(content, name)).toMatch(reason);
  });

  test.each([
    ['names.tsv', 'gen_ai:model\tgen_ai:tokens\na:1\tb:2\nc:3\td:4\n'],
    ['urls.tsv', 'https://a.b\thttps://c.d\nhttps://e.f\thttps://g.h\n'],
    ['types.csv', 'std::map,1\nstd::set,2\nstd::vector,3\n'],
    ['remarks.txt', 'Note: a\nSource: b\n\nNote: c\nOther: d\n'],
    ['replies.txt', 'text\n>yes\n>no\n'],
    ['headed.csv', 'name,n\na::b,1\nc::d,2\n'],
    [
      'tests.jsonl',
      '{"id":"a.py::b","p":"x, y"}\n{"id":"a.py::c","p":"z"}\n{"id":"d.py::e","p":"1, 2, 3"}\n',
    ],
    ['numbers.jsonl', '{"id":"a::1::2","p":"x, y"}\n{"id":"a::2::2","p":"z"}\n'],
    ['array.json', '[\n{"id":"a::1::2","p":"x, y"},\n{"id":"a::2::2","p":"z"}\n]'],
    ['roles.txt', 'arn:aws:iam::123:role/a\narn:aws:iam::124:role/b\narn:aws:iam::125:role/c\n'],
    ['names.txt', 'std::vector\nstd::map\nstd::set\n'],
    ['paths.txt', 'std::fmt::Display\nstd::io::Read\nstd::iter::Sum\n'],
    ['tests.csv', 'a.py::A::test_1\na.py::A::test_2\nb.py::B::test_1\n'],
    ['addresses.txt', 'fe80::1\nfe80::2\nfe80::3\n'],
    ['networks.txt', '2001::1\n2001::2\n2001::3\n'],
    ['quoted.csv', 'std::vector,"A, b"\nstd::map,"C"\nstd::set,"D, e, f"\n'],
    ['quoted-numbers.csv', '1::2::3,"A, b"\n2::2::4,"C"\n3::2::5,"D, e, f"\n'],
    ['handles.txt', 'a@@b\nc@@d\ne@@f\n'],
    ['redirects.tsv', 'http://a.com/x\thttps://a.com/x\nhttp://b.com/x\thttps://b.com/y\n'],
    ['ids.tsv', 'DOID:1\tMESH:D1\nDOID:2\tMESH:D2\nDOID:3\tMESH:D3\n'],
    ['three-ids.tsv', 'HP:1\tMONDO:1\tOMIM:3\nHP:2\tMONDO:2\tOMIM:4\n'],
    ['links.tsv', 'doi:10/a\thttp://a.b/c\thttps://a.b/c\ndoi:10/b\thttp://a.b/d\thttps://a.b/d\n'],
    ['questions.txt', 'Q: What?\n\nQ: Who?\n\nQ: Why?\n'],
    ['answers.txt', 'Q: What?\nA: That\n\nQ: Who?\nA: They\n'],
    ['talk.txt', 'User: Hello\nAssistant: Hi\n\nUser: Thanks\nAssistant: Bye\n'],
    [
      'system.txt',
      'System: Be kind\nUser: Hello\nAssistant: Hi\n\nSystem: Be short\nUser: Hi\nAssistant: Yes\n',
    ],
    [
      'scene.txt',
      'Romeo: Is the day so young?\nBenvolio: But new struck nine.\n\nRomeo: Ay me!\nBenvolio: What sadness?\n',
    ],
  ])('%s is read', async (name, content) => {
    expect((await readBack(write(content, name))).bad).toEqual([]);
  });
});

describe('answers below questions, as SurveyMonkey writes them, belong to the header', () => {
  const SURVEY = [
    'Respondent ID,Start Date,How satisfied?,Which do you use?,,,Why?',
    ',,Response,Charts,Reports,Other (please specify),Open-Ended Response',
    '101,2026-01-02,4,Charts,,,because',
    '102,2026-01-03,5,,Reports,mine,fine',
  ];

  test.each(['\n', '\r\n'])('with lines that end in %j', async (end) => {
    const { names, rows, all, notes } = await readBack(write(SURVEY.join(end)), null, 5);
    expect(names).toEqual([
      ...['Respondent ID', 'Start Date', 'How satisfied?', 'Which do you use? Charts'],
      ...['Which do you use? Reports', 'Which do you use? Other (please specify)', 'Why?'],
    ]);
    expect(rows.map(([id]) => id)).toEqual(['101', '102']);
    expect(all[0]?.line).toBe(3);
    expect(notes).toContain('Line 2, the answers below the questions in the header');
  });

  test('also if most columns are those of one question', async () => {
    const options = Array.from({ length: 20 }, (_, at) => `Option ${at}`);
    const content = [
      `Respondent ID,Collector ID,Which?${','.repeat(19)}`,
      `,,${options.join(',')}`,
      ...[1, 2, 3].map(
        (id) => `${id},9,${options.map((name, at) => (at % 3 === id % 3 ? name : '')).join(',')}`,
      ),
    ];
    const { names, rows } = await readBack(write(content.join('\n')));
    expect(names.slice(0, 4)).toEqual([
      'Respondent ID',
      'Collector ID',
      'Which? Option 0',
      'Which? Option 1',
    ]);
    expect(rows).toHaveLength(3);
  });

  test('also if one column alone stands before the questions', async () => {
    const { names, rows } = await readBack(write('Id,Why?,How?\n,Response,Response\n1,so,well\n2,no,ill\n'));
    expect(names).toEqual(['Id', 'Why?', 'How?']);
    expect(rows).toHaveLength(2);
  });

  test('also if the answer to a question with one column is named', async () => {
    const { names } = await readBack(
      write(
        'Id,Day,Why?,Rate it,Which?,,\n,,Response,Service,A,B,C\n1,2026-01-02,so,4,A,,\n2,2026-01-03,no,5,,B,C\n',
      ),
    );
    expect(names.slice(2, 5)).toEqual(['Why?', 'Rate it Service', 'Which? A']);
  });

  test('a second line of names without such answers is named as that', async () => {
    const { names, notes } = await readBack(
      write('Region,Product,2020,,2021,\n,,Sales,Units,Sales,Units\nNorth,A,1,2,3,4\nSouth,B,5,6,7,8\n'),
    );
    expect(names.slice(1, 4)).toEqual(['Product', '2020 Sales', '2020 Units']);
    expect(notes).toContain('Line 2 has the second part of the names');
    expect(notes).not.toContain('SurveyMonkey');
  });

  test.each([
    ['a row without a parent', 'parent_id,id,kind,text\n,1,Response,Hello\n1,2,Response,Hi\n'],
    ['a row of texts without a parent', 'parent_id,kind,text\n,Response,Hello\nx1,Reply,Hi\n'],
    ['a kind alone', 'parent_id,kind\n,Response\n1,Reply\n'],
    ['a kind that comes again', 'site,parent_id,kind\n,,Response\na,1,Response\n'],
    ['a first row with an empty cell', 'id,name,note\n,Anna,x\n2,Ben,y\n'],
    ['columns without names', 'id,name,,\n,Anna,x,y\n2,Ben,z,w\n'],
    ['numbers', 'id,day,,\n,,1,2\n5,2026-01-01,3,4\n'],
  ])('not %s', async (_name, content) => {
    expect((await readBack(write(content))).rows).toHaveLength(2);
  });
});

describe('bytes that are no characters are named, and not replaced', () => {
  test.each([
    ['utf-16le', Buffer.from('\ufeffid,note\n1,fine\n2,cut \ud83d off\n3,\ude00\n4,😀\n', 'utf16le')],
    [
      'utf-16be',
      Buffer.from('\ufeffid,note\n1,fine\n2,cut \ud83d off\n3,\ude00\n4,😀\n', 'utf16le').swap16(),
    ],
  ])('half of a pair in %s', async (encoding, bytes) => {
    for (const chunkBytes of [6, undefined]) {
      const { rows, bad } = await readBack(write(bytes), null, chunkBytes);
      expect(bad.map(({ line, problem }) => [line, problem?.slice(0, 40)])).toEqual([
        [3, `Expected text in ${encoding}; some bytes are not`.slice(0, 40)],
        [4, `Expected text in ${encoding}; some bytes are not`.slice(0, 40)],
      ]);
      expect(rows).toEqual([
        ['1', 'fine'],
        ['4', '😀'],
      ]);
    }
  });

  test('bytes that the encoding of the file does not have', async () => {
    const bytes = Buffer.concat([
      Buffer.from('id,note\n1,caf\xe9\n2,na\xefve\n3,', 'latin1'),
      Buffer.from([0x81]),
      Buffer.from('\n'),
    ]);
    const { rows, bad } = await readBack(write(bytes), { encoding: 'windows-1252' });
    expect(rows.map(([, note]) => note)).toEqual(['café', 'naïve']);
    expect(bad.map(({ line }) => line)).toEqual([4]);
  });

  test('text in UTF-7 is refused', async () => {
    expect(await refusalOf('id,name\n1,M+APw-ller\n2,Stra+AN8-e +IKw-\n')).toMatch(/UTF-7.*Save it as UTF-8/);
  });

  test('runs of plus signs are read in linear time', () => {
    neverHangs(() => {
      for (let tries = 0; tries < 10; tries += 1)
        for (const part of ['+', '+A', 'A+/']) isUtf7(Buffer.from(part.repeat(64 * 1024)));
    });
    expect(isUtf7(Buffer.from(`${'+'.repeat(100)} +AOQ- +APw-`))).toBe(true);
  });

  test.each([
    'id,note\n1,C+AI-based\n2,a+b-c\n',
    'id,v\n1,+49-30-1\n2,+1-800-2\n',
    'id,v\n1,x+AOQ-\n2,+ab-\n',
  ])('text with plus signs and hyphens is no UTF-7: %j', async (content) => {
    expect((await readBack(write(content))).rows).toHaveLength(2);
  });
});

test('numbers in digits of another script are numbers in items, which is counted', async () => {
  const path = write('سؤال,عدد\nأ,١٢\nب,٤٥\n');
  const { dialect, columns } = await inspectFile({ path, fileId: 'f', override: null, seed: 0.5 });
  expect(columns.map(({ type }) => type)).toEqual(['str', 'int']);
  const source = await openSource(path, dialect);
  const reader = new ItemReader(
    {
      ...{ dialect, flattens: false },
      columns: columns.map(({ name, type }) => ({ source: name, type, place: 'inputs', field: name })),
    },
    source.header,
  );
  const items: unknown[] = [];
  for await (const { rows } of readRows(source, path, { start: source.dataStart }))
    for (const row of rows) {
      const item = reader.read(row, 'id');
      items.push('json' in item ? JSON.parse(item.json).inputs['عدد'] : item.bad);
    }
  await source.close();
  expect(items).toEqual([12, 45]);
  expect(reader.ledger().changes).toMatchObject([{ rule: 'script-digits', source: 'عدد', count: 2 }]);
});
