/** Files of other tools that could be misread without notice are read correctly or refused. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import { packedFormat } from '../../electron/uploads/unpack/packed-format.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { readBack } from '../helpers/read-back.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

function write(name: string, content: string | Buffer): string {
  const path = folder.file(name);
  writeFileSync(path, content);
  return path;
}
const inspect = (path: string) => inspectFile({ path, fileId: 'f', override: null, seed: 0.5 });

describe('a text in another notation is refused with the next step', () => {
  test.each<[string, string, RegExp]>([
    ['rows.jsonl', "{'question': 'a', 'score': None}\n{'question': 'b', 'score': 1.5}\n", /json\.dumps/],
    ['list.json', "[{'question': 'a'}]\n", /json\.dumps/],
    ['rows.json', "[\n  {question: 'a', score: 1}\n]\n", /keys have no quotes.*as JSON/],
    ['commented.json', '// of today\n/* all */\n[{"question": "a"}]\n', /Remove the comments/],
    ['tests.yaml', 'prompts:\n  - a\n', /a YAML document/],
    [
      'README.md',
      '# Tools\n\nRun them, then\nlook at the logs.\n\n- one | two\n',
      /Markdown without a table in its first lines: README\.md\. .*give it the extension of its format/,
    ],
    ['any.yml', 'description: tests\n', /a YAML document/],
    ['tests.txt', '- question: a\n  answer: b\n- question: c\n  answer: d\n', /a YAML document/],
    ['dump.sql', "-- dump\nSET NAMES utf8;\nINSERT INTO t VALUES (1, 'a');\n", /SQL statements/],
    ['settings.sql', "BEGIN; SET x = 'a;b'; USE d;\nCREATE TABLE t (id int);\n", /SQL statements/],
    ['[comments inside].json', '[ { // a\n /* b */ key: 1 } ]\n', /keys have no quotes/],
    ['dump of a table.txt', 'COPY public.t (id, name) FROM stdin;\n1\tA\n\\.\n', /SQL statements/],
    [
      'pg_dump.sql',
      "--\n-- dump\n--\n\n\\restrict a\n\nSET x = 0;\nSELECT pg_catalog.set_config('search_path', '', false);\nCREATE TABLE t (\n id int\n);\n",
      /SQL statements/,
    ],
    [
      'mysql.txt',
      '+----+------+\n| id | name |\n+----+------+\n|  1 | Anna |\n+----+------+\n',
      /drawn with lines.*--batch/,
    ],
    ['rows.xml', '<rows>\n  <row>\n    <id>1</id>\n  </row>\n</rows>\n', /a document of tags/],
    ['one line.xml', '<rows><row id="1"><score>1</score></row></rows>', /a document of tags/],
    ['letter.csv', '{\\rtf1\\ansi id,score\\par 1,0.5\\par}', /RTF/],
    ['study.ipynb', '{"cells":[],"metadata":{},"nbformat":4}', /a notebook/],
    ['bulk.ndjson', '{"index":{"_index":"q","_id":"1"}}\n{"id":1,"v":2}\n', /bulk request.*jq -cn "inputs/],
    ['bulk.json', '{ "create" : { } }\r\n{"id":1}\r\n', /bulk request of Elasticsearch/],
    ['routed.ndjson', '{"index":{"routing":"a"}}\n{"id":1,"v":2}\n', /bulk request/],
    ['deletes.json', '{"delete":{"_id":"9","if_seq_no":3}}\n{"delete":{"_id":"8"}}\n', /bulk request/],
    [
      'dump.jsonl',
      '{"_index":"q","_id":"1","_score":1,"_source":{"id":1}}\n',
      /under “_source”.*jq -c "\{_id\} \+ \._source".*hits\.hits/,
    ],
    ['table.jsonl', '{"f":[{"v":"1"},{"v":null}]}\n{"f":[{"v":"2"},{"v":"b"}]}\n', /BigQuery.*bq query/],
    ['nested.json', '[{"f":[{"v":{"f":[{"v":"1"}]}},{"v":[{"v":"a"}]}]}]', /BigQuery/],
    ['long row.json', `[\n{\n"f": [{"v": "1"}, {"v": "${'}'.repeat(5_000)}"}]}]`, /BigQuery/],
    [
      'hits in one line.json',
      '[{"_index":"q","_id":"1","_source":{"id":1}}]',
      /jq -c "\.\[\] \| \{_id\} \+ \._source"/,
    ],
    ['hits.json', '[\n  {\n    "_index": "q",\n    "_id": "1",\n    "_source": {}\n  }\n]', /_source/],
    ['sorted.jsonl', '{"sort":[1],"_index":"q","_id":"1","_source":{"id":1}}\n', /under “_source”/],
    ['iis.log', '#Software: IIS\n#Fields: date time cs-uri\n2024-01-01 10:00:00 /a\n', /W3C/],
    ['conn.log', '#separator \\x09\n#fields\tts\tuid\n1\tC1\n', /Zeek/],
    ['one column.txt', '+----+\n| id |\n+----+\n|  1 |\n+----+\n', /drawn with lines/],
    [
      'polars.txt',
      'shape: (1, 2)\n┌─────┬─────┐\n│ a   ┆ b   │\n╞═════╪═════╡\n│ 1   ┆ x   │\n└─────┴─────┘\n',
      /drawn with lines/,
    ],
    ['duckdb.txt', '┌───────┐\n│   a   │\n├───────┤\n│     1 │\n└───────┘\n', /drawn with lines/],
    ['links.json', `${'// see https://a.b\n'.repeat(90)}{"a": 1}\n`, /Remove the comments/],
    ['links.js', `${'// see https://a.b\n'.repeat(90)}{a: 1}\n`, /keys have no quotes/],
    ['ruled.sql', `${'-'.repeat(1_900)}\n-- a\nDROP TABLE t;\n`, /SQL statements/],
    [
      'sqlite.sql',
      'PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE t(id INTEGER);\n',
      /SQL statements/,
    ],
    [
      'sqlite.txt',
      'PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE t(id INTEGER);\n',
      /SQL statements/,
    ],
    ['weka.arff', '@relation r\n\n@attribute id numeric\n@data\n1,Anna\n', /Weka/],
    ['rows.toml', '[[row]]\nid = 1\n', /TOML/],
    ['settings.ini', '[a]\nx=1\ny=2\n', /settings/],
    ['plan.ics', 'BEGIN:VCALENDAR\nVERSION:2.0\n', /calendar/],
    ['film.srt', '1\n00:00:01,000 --> 00:00:02,000\nHi\n', /subtitles/],
    ['sheet.dif', 'TABLE\n0,1\n"EXCEL"\n', /DIF/],
    ['sheet.slk', 'ID;PWXL;N;E\nC;Y1;X1;K"id"\n', /SYLK/],
    ['table.tex', '% of today\n\\begin{tabular}{ll}\nid & name \\\\\n', /LaTeX/],
    ['mail.eml', 'From: a@b.c\nTo: d@e.f\nSubject: x, y\n\nHello\n', /e-mail/],
    ['rows.svm', '1 1:0.5 3:0.2\n-1 2:0.1 3:0.9\n', /LIBSVM/],
    ['sheet.gsheet', '{"doc_id": "abc"}', /link to a document of Google.*Download/],
    ['query.sql', 'SELECT a, b\nFROM t\nWHERE c > 1;\n', /SQL statements/],
    ['frame of pandas.txt', '   a  b\n0  1  2\n1  3  4\n', /aligned by blanks.*to_csv/],
    ['one column of pandas.txt', '   score\n0    1.5\n1    2.5\n', /aligned by blanks/],
    [
      'rows of pandas.txt',
      '       name  n\n0   Anna, B  1\n..      ...  .\n9       Ben  2\n\n[10 rows x 2 columns]\n',
      /aligned/,
    ],
    ['series of pandas.txt', '0    1.5\n1    2.5\nName: score, dtype: float64\n', /aligned by blanks/],
    ['frame of R.txt', '  id name score\n1  1 Anna   1.5\n2  2  Ben    NA\n', /aligned by blanks/],
    [
      'columns of sqlite.txt',
      'id  name    score\n--  ------  -----\n1   Anna B  1.5  \n2   Ben          \n',
      /aligned/,
    ],
    ['sqlcmd.txt', 'id name\n-- ------\n 1 Anna B\n 2 Ben   \n\n(2 rows affected)\n', /aligned by blanks/],
    ['fixed.txt', 'ID    NAME      SCORE\n1     Anna B    1.5\n2     Ben       2.25\n', /aligned by blanks/],
    [
      'long.txt',
      `   a  b\n${Array.from({ length: 900 }, (_, at) => `${String(at).padEnd(3)}x  y`).join('\n')}`,
      /aligned/,
    ],
    ['vertical.txt', '*************************** 1. row ***************************\n id: 1\n', /each line/],
    ['expanded.csv', '-[ RECORD 1 ]--\nid   | 1\nname | Anna\n', /psql with --csv/],
    ['one expanded.txt', '-[ RECORD 1 ]-+--\r\nid | 1\r\n', /psql with --csv/],
    ['lines.txt', '   id = 1\n name = Anna\n\n   id = 2\n name = B', /\.mode csv/],
    ['cut off.txt', `id = 1\nx = ${'y'.repeat(50)}\n\nid = 2\nx`, /\.mode csv/],
    [
      'container.log',
      '2026-05-01T10:00:00Z stdout F {"a":1,"b":2}\n2026-05-01T10:00:01Z stdout F {"a":2}\n',
      /sed "s/,
    ],
    ['level.log', '[INFO] {"a": "x"}\n[WARN] { "a" : "y"}\n[INFO] {"a": "cut', /other text before/],
    ['times.log', '2026-05-01 10:00:00,123 INFO root: {"a": 1}\n', /other text before/],
    [
      'metrics.txt',
      '# HELP a_total The total\n# TYPE a_total counter\na_total{b="c",d="e"} 1 2\n',
      /Prometheus/,
    ],
    [
      'points.lp',
      'cpu,host=a,r=b v=0.64,w="x, y" 1434055562000000000\ncpu v=1i 1434055562000000001\n',
      /InfluxDB/,
    ],
    ['guarded.json', ')]}\'\n[{"a":1}]', /a guard against scripts.*first bracket/],
    ['loop.json', 'while(1);{"a":1}', /a guard against scripts/],
    ['dump.txt', '/*!40101 SET NAMES utf8 */;\nDROP TABLE IF EXISTS `t`;\n', /SQL statements/],
  ])('%s', async (name, content, reason) => {
    for (const bytes of [Buffer.from(content), Buffer.from(`\ufeff${content}`, 'utf16le')])
      await expect(inspect(write(name, bytes))).rejects.toMatchObject({
        code: 'FILE_BINARY',
        message: expect.stringMatching(reason),
      });
  });

  test.each([
    ['sections.txt', '[a]\ntext of a\n'],
    ['from.csv', 'From: a,To: b\nx,y\n'],
    ['ids.csv', 'ID;Prompt;Answer\n1;Hi;Yo\n2;Ho;Ya\n'],
    ['times.txt', '5 10:30\n6 11:45\n'],
    ['prose.txt', 'question\nWhy?  Tell me.\nHow  is it?\nAnd  now?\n'],
    ['numbered.txt', 'notes\n1 first\n2 second\n'],
    ['padded.csv', 'id ,  name\n1  ,  Anna\n2  ,  Ben\n'],
    ['carets.txt', 'id^  name^  v\n1^   Anna^  5\n2^   Ben^   6\n'],
    ['tildes.txt', 'id~   name~\n1~    Anna~\n2~    Ben~\n'],
    ['indented.txt', '  text\n  a\n  b\n'],
    ['statements.csv', 'sql\nSELECT 1;\n'],
    ['braces.csv', '{q},a\n1,2\n'],
    ['template.csv', 'prompt,answer\n{name: x},b\n'],
    ['colon.csv', 'question: a,b\n1,2\n'],
    ['list.txt', 'item\n- one\n- two\n'],
    ['index.jsonl', '{"index":{"a":1},"v":2}\n{"index":{"a":2},"v":3}\n'],
    ['update.jsonl', '{"update":{"text":"a"}}\n{"update":{"text":"b"}}\n'],
    ['versions.jsonl', '{"update":{"version":"1.0.1"}}\n{"update":{"version":"1.0.2"}}\n'],
    ['numbers.jsonl', '{"index":{"version":3}}\n{"index":{"version":4}}\n'],
    ['creates.jsonl', '{"create":{}}\n{"create":{"a":1}}\n'],
    ['long create.jsonl', `{"create":{}}\n{"create":{"a":"${'b'.repeat(5_000)}"}}\n`],
    ['ids.jsonl', '{"index":{"_id":"1"}}\n{"create":{"_id":"2"}}\n'],
    ['deletes.jsonl', '{"delete":{}}\n{"delete":{}}\n'],
    ['hits.jsonl', '{"_index":"q","_id":"1","v":2}\n{"_index":"q","_id":"2","v":3}\n'],
    ['f.jsonl', '{"f":[{"x":1}]}\n{"f":[1]}\n'],
    ['series.jsonl', '{"f":[{"v":0.1,"t":1},{"v":0.2,"t":2}],"y":1}\n'],
    ['times.jsonl', '{"f":[{"v":0.1},{"v":0.2,"t":2}]}\n'],
    ['beside.jsonl', '{"f":[{"v":0.1}],"y":1}\n'],
    ['long series.jsonl', `{"f":[{"v":0.1,"t":"${'a'.repeat(5_000)}"}]}\n`],
    ['inside.jsonl', '{"a":{"_index":"q","_id":"1","_source":{}}}\n'],
    ['cut.jsonl', `{"a":"${'},'.repeat(2_500)}","_index":"q"}\n`],
    ['json.yaml', '{"question": "a"}\n'],
    ['dashes.csv', `${'-'.repeat(4_096)},b\n1,2\n`],
    ['remarks.csv', `${'/* i */ '.repeat(500)}id,text\n1,2\n`],
    ['open.csv', `${'/* i */ '.repeat(500)}/*,text\n1,2\n`],
    ['slashes.csv', `${'// see https://a.b\n'.repeat(200)}id\n`],
    ['begun.csv', `${"BEGIN 'a' ".repeat(400)}\n1\n`],
    ['plus.csv', '+---+,b\n|,1\n'],
    ['shape.csv', 'shape: (1),b\n1,2\n'],
    ['copy.csv', 'COPY t FROM stdin,b\n1,2\n'],
    ['keyed.txt', 'k1\t{"a":1}\nk2\t{"a":2}\n'],
    ['assigned.txt', 'note\na = b\n\na = c\n'],
    ['others.txt', 'a = b\nc = d\n\nsee above\n'],
    ['repeated.txt', 'a = 1\na = 2\n\na = 1\na = 2\n'],
    ['times.csv', '2026-05-01 10:00:00,INFO,a\n2026-05-01 10:00:01,WARN,b\n'],
    ['equal.csv', 'a=1 b=2,c=3\nx,y\n'],
    ['assignments.txt', 'note\na=1 b=2 c=3\n'],
    ['comment.csv', '# HELP\nid,v\n1,2\n'],
    ['routes.jsonl', '{"index":{"routing":"a"}}\n{"v":1,"index":{"routing":"b"}}\n'],
    ['blanks.csv', `- a:\n${' '.repeat(3_900)}b\n1\n`],
  ])('%s is still read', async (name, content) => {
    expect((await readBack(write(name, content))).bad).toEqual([]);
  });

  test.each([
    ['Apache', '127.0.0.1 - a [10/Oct/2000:13:55:36 -0700] "GET /a,b HTTP/1.0" 200 1\n'],
    ['logfmt', 'level=info ts=2026-05-01 msg="hello, world" n=12\n'],
    ['a log of a program', '2026-05-01 10:00:00,123 INFO Started, in 3 s\n'],
    ['a log of a program', '2026-05-01T10:00:00.5Z [main] WARN c.e.App - Slow, very\n'],
    ['syslog', 'May 11 10:00:00 host app[12]: started, ok\n'],
  ])(
    'lines of a log are refused if a delimiter cuts them, and read as texts otherwise: %s',
    async (kind, line) => {
      const refusal = await inspect(write('cut.log', line + line)).then(() => '', String);
      expect(refusal).toMatch(new RegExp(`${kind}.*whose lines the comma would cut.*--delimiter "`));
      const whole = (line + line).replaceAll(',', '');
      expect((await readBack(write('whole.log', whole))).preview.columns).toHaveLength(1);
      const texts = await readBack(write('cut.log', line + line), { delimiter: '\u0001' });
      expect(texts.preview.columns).toHaveLength(1);
    },
  );

  const hasJq = spawnSync('jq', ['--version']).status === 0;
  test.skipIf(!hasJq)('the step for a bulk request keeps each document', async () => {
    const lines = [
      ...['{"index":{"_id":"1"}}', '{"id":1,"index":7}', '{"index":{"_id":"2"}}', '{"id":2}'],
      ...['{"create":{"_id":"3"}}', '{"delete":{"a":1}}', '{"delete":{"_id":"9"}}', '{"delete":{"_id":"8"}}'],
      ...['{"update":{"_id":"4"}}', '{"doc":{"id":4},"doc_as_upsert":true}'],
      ...['{"update":{"_id":"5"}}', '{"script":{"source":"x"}}'],
    ];
    const path = write('each document.ndjson', `${lines.join('\n')}\n`);
    const refusal = await inspect(path).then(() => '', String);
    const filter = /jq -cn "([^"]+)"/.exec(refusal)?.[1] ?? '';
    const { stdout } = spawnSync('jq', ['-cn', filter, path], { encoding: 'utf8' });
    const documents = [lines[1], lines[3], lines[5], '{"id":4}', lines[11]];
    expect(stdout.trim().split(/\r?\n/)).toEqual(documents);
  });

  test.skipIf(!hasJq)('the steps for documents under _source keep their ids', async () => {
    const hit = (id: number) => ({ _index: 'q', _id: String(id), _source: { v: id } });
    const forms = [
      `${JSON.stringify(hit(1))}\n${JSON.stringify(hit(2))}\n`,
      JSON.stringify([hit(1), hit(2)]),
    ];
    const path = write('each hit.json', JSON.stringify({ hits: { hits: [hit(1), hit(2)] } }));
    const refusal = await inspect(write('hits again.json', forms[0] ?? '')).then(() => '', String);
    const filters = [...refusal.matchAll(/jq -c "([^"]+)"/g)].map(([, filter]) => filter ?? '');
    const files = [...forms.map((form, at) => write(`form ${at}.json`, form)), path];
    for (const [at, filter] of filters.entries()) {
      const { stdout } = spawnSync('jq', ['-c', filter, files[at] ?? ''], { encoding: 'utf8' });
      expect(stdout.trim().split(/\r?\n/)).toEqual(['{"_id":"1","v":1}', '{"_id":"2","v":2}']);
    }
    expect(filters).toHaveLength(3);
  });

  test('no step has single quotes, which a command prompt of Windows does not know', () => {
    const steps = readFileSync('electron/uploads/sniff/other-notation.ts', 'utf8').match(
      /(?:jq|sed) -?\w* ?'/g,
    );
    expect(steps).toBeNull();
  });

  test.each(['PAR1', 'PARENT', 'FEA1', 'ORC', 'ARROW1', 'BZh', '$FL2'])(
    'a column whose name is %s is still read',
    async (name) => {
      const path = write(`${name}.csv`, `${name},b\n1,2\n`);
      expect(packedFormat('a.csv', Buffer.from(`${name},b\n1,2\n`))).toBeNull();
      expect(await readBack(path)).toMatchObject({ names: [name, 'b'], rows: [['1', '2']] });
    },
  );

  test.each<[string, Buffer, RegExp]>([
    [
      'tar',
      Buffer.concat([Buffer.alloc(257), Buffer.from('ustar\0'), Buffer.alloc(300)]),
      /a tar archive.*Unpack it first/,
    ],
    ['Z', Buffer.from('1f9d90616263', 'hex'), /an archive of compress.*Unpack it first/],
    ['lz4', Buffer.from('04224d186440a7', 'hex'), /an LZ4 archive.*Unpack it first/],
    ['feather', Buffer.from('46454131000000000100', 'hex'), /a Feather file of version 1/],
    ['pkl', Buffer.from('80049512000000000000007d', 'hex'), /a pickle of Python/],
  ])('a file of the kind %s is refused with its name', async (ending, bytes, reason) => {
    await expect(inspect(write(`data.${ending}`, bytes))).rejects.toMatchObject({
      code: 'FILE_BINARY',
      message: expect.stringMatching(reason),
    });
  });

  test('is read as a table if the user names the delimiter', async () => {
    const { names } = await readBack(write('own.csv', "{'q': x,a\n1,2\n"), { delimiter: ',' });
    expect(names).toEqual(["{'q': x", 'a']);
  });
});

describe('a line of dashes below the header is not a row', () => {
  test.each<[string, string]>([
    ['sqlcmd', 'id|note\n--|----\n1|a\n2|b\n'],
    ['sqlcmd with tabs', 'id\tnote\n--\t----\n1\ta\n2\tb\n'],
    ['psql', 'id|note\n---+-----\n1|a\n2|b\n'],
    ['a report', 'id;note\n==;====\n1;a\n2;b\n'],
    ['a grid', 'id;note\n+--+--+; :==::==: \n1;a\n2;b\n'],
    ['a wide column', `id;note\n--;${'-'.repeat(5_000)}\n1;a\n2;b\n`],
  ])('%s', async (_name, content) => {
    for (const chunkBytes of [3, undefined]) {
      const { rows, all, notes } = await readBack(write('rule.txt', content), null, chunkBytes);
      expect(rows).toEqual([
        ['1', 'a'],
        ['2', 'b'],
      ]);
      expect(all[0]?.line).toBe(3);
      expect(notes).toContain('Line 2, dashes alone below the header, is skipped.');
    }
  });

  test.each(['a | b\n--|--\n1 | 2\n', '# Costs\n\n| a | b |\n| --- | :-: |\n| 1 | 2 |\n'])(
    'of Markdown with a table: %j',
    async (content) => {
      await expect(inspect(write('table.md', content))).resolves.toMatchObject({ name: 'table.md' });
    },
  );

  test('of Markdown, with its bars at both ends', async () => {
    const { rows, names } = await readBack(write('rule.md', '| id | note |\n|:--|---:|\n| 1 | a |\n'));
    expect(names).toEqual(['column_1', 'id', 'note', 'column_4']);
    expect(rows).toEqual([['', ' 1 ', ' a ', '']]);
  });

  test.each([
    ['single dashes, which stand for no value', 'id,note\n-,-\n1,a\n', 2],
    ['dashes beside a value', 'id,note\n1,--\n2,a\n', 2],
    ['dashes further down', 'id,note\n1,a\n--,--\n', 2],
    ['no header', '1,2\n--,--\n3,4\n', 3],
    ['many dashes before a word', `id,text\n1,${'-'.repeat(5_000)} Forwarded message\n2,b\n`, 2],
    ['many signs before a word', `id,text\n${'=-:'.repeat(2_000)}a,--\n2,b\n`, 2],
    ['signs side by side', 'id,text\n:+:--,--\n2,b\n', 2],
  ])('not %s', async (_name, content, count) => {
    const { rows, notes } = await readBack(write('none.csv', content));
    expect(rows).toHaveLength(count);
    expect(notes).not.toContain('dashes');
  });
});

describe('a title and facts above a header are skipped', () => {
  const TABLE = 'id,amount,day,note\n1,2.5,2026-01-02,a\n2,3.5,2026-01-03,b\n';
  test.each<[string, string, number]>([
    ['then a blank line', `Sales report\nRegion: EU,,2026\n\n${TABLE}`, 4],
    ['padded with delimiters', `Sales report,,,\nRegion: EU,,2026,\n,,,\n${TABLE}`, 4],
    ['and a sum below', `Sales report,,,\nRegion: EU,,2026,\n,,,\n${TABLE}Total,6,,\n`, 4],
  ])('%s', async (_name, content, headerLine) => {
    const { preview, names } = await readBack(write('title.csv', content));
    expect(preview.dialect.headerLine).toBe(headerLine);
    expect(names).toEqual(['id', 'amount', 'day', 'note']);
  });

  test('sparse rows are not a title, even before a blank line and a full row', async () => {
    const content = 'id,amount,day\n1,,2026-01-02\n2,3.5,\n\n3,4.5,2026-01-04\n';
    const { preview, rows } = await readBack(write('sparse.csv', content));
    expect([preview.dialect.headerLine ?? 1, rows.length]).toEqual([1, 3]);
  });
});

describe('a last row that may be a sum', () => {
  const ROWS = 'name,amount\na,1\nb,2\n';
  const notesOf = async (content: string) => (await inspect(write('sum.csv', content))).notes.join('\n');

  test.each(['Total,3', 'Grand total,3', 'Total: all,3', 'Summe,"3,0"', '合計,3', ',3\nGesamtergebnis,3'])(
    '%j is named',
    async (row) => {
      expect(await notesOf(`${ROWS}${row}\n`)).toContain('may be the sum of the others');
    },
  );

  test.each([
    ['without a number', `${ROWS}Total,\n`],
    ['that comes more than once', `${ROWS}Total,3\nc,4\nTotal,7\n`],
    ['with more words', `${ROWS}Total Wine & More,3\n`],
    ['further up', `${ROWS}Total,3\nc,4\n`],
    ['of one other row', 'name,amount\na,1\nTotal,1\n'],
  ])('not a row %s', async (_name, content) => {
    expect(await notesOf(content)).not.toContain('sum of the others');
  });
});

describe('ids of digits with an E between them', () => {
  const typeOf = async (values: readonly string[]) => {
    const { columns, notes } = await inspect(write('ids.csv', `user,note\n${values.join(',x\n')},x\n`));
    return [columns[0]?.type, notes.join('\n').includes('may be ids')];
  };

  test.each([[['1E5', '200', '77']], [['7e12', '5E1']]])(
    '%j are texts, and the note says so',
    async (ids) => {
      expect(await typeOf(ids)).toEqual(['str', true]);
    },
  );

  test.each([[['1e-5', '1e5']], [['1.0E5', '2']], [['1e+16', '2e+16']], [['1e16', '0.5']]])(
    '%j are numbers',
    async (values) => {
      expect(await typeOf(values)).toEqual(['float', false]);
    },
  );
});

test('cells in quotes with blanks between them are refused with the delimiter to choose, and read with it', async () => {
  const path = write('table.txt', '"id" "note"\n"1" 7 "a b"\n"2" NA "c"\n');
  await expect(inspect(path)).rejects.toMatchObject({
    code: 'FILE_MALFORMED',
    message: expect.stringMatching(/If blanks separate the cells, choose the delimiter space\.$/),
  });
  expect(await readBack(path, { delimiter: ' ' })).toMatchObject({ names: ['index', 'id', 'note'], bad: [] });
  const broken = write('broken.csv', '"id"x,"note"\n1,a\n');
  await expect(inspect(broken)).rejects.toMatchObject({ message: expect.not.stringContaining('blanks') });
});

test('escapes of database exports that stay as written are named', async () => {
  const rows = String.raw`1	a\nb` + '\n' + String.raw`2	\N` + '\n';
  expect((await inspect(write('copy.tsv', `id\tnote\n${rows}`))).notes.join('\n')).toContain(
    'Backslashes before letters and 0 stay',
  );
  for (const [name, text] of [
    ['batch.tsv', 'id\tnote\tx\n1\ta\\nb\tNULL\n2\tc\tNULL\n'],
    ['outfile.csv', 'id,note\n"1","say \\"hi, you\\""\n"2","a\\0b"\n'],
  ] as const)
    expect((await inspect(write(name, text))).notes.join('\n')).toContain('Backslashes before letters');
  const path = String.raw`1	C:\new` + '\n';
  expect((await inspect(write('paths.tsv', `id\tnote\n${path}`))).notes.join('\n')).not.toContain(
    'Backslashes',
  );
});

test('questions and ids of Qualtrics below the header are not rows', async () => {
  const header = 'StartDate,Q1\nStart Date,"How happy\nare you?"\n';
  const ids = '"{""ImportId"":""startDate"",""timeZone"":""UTC""}","{""ImportId"":""QID1""}"\n';
  const rows = '2026-01-05 12:30:00,5\n2026-01-06 12:30:00,4\n';
  const found = await readBack(write('survey.csv', header + ids + rows));
  expect(found.rows).toEqual([
    ['2026-01-05 12:30:00', '5'],
    ['2026-01-06 12:30:00', '4'],
  ]);
  expect(found.notes).toContain('Lines 2 to 4, the questions and ids of Qualtrics below the header, are');
  expect(found.preview.columns.map(({ type }) => type)).toEqual(['timestamp', 'int']);
  // One such text among other texts is a value.
  const other = await readBack(write('one.csv', 'a,b\nx,y\n"{""ImportId"":1}",z\n'));
  expect(other.rows).toHaveLength(2);
});

test.each([
  ['questions', 'What is it?\nHow is it made?\n', 2],
  [
    'lines of a log',
    '127.0.0.1 - - [05/Jan/2026:12:30:00 +0000] "GET / HTTP/1.1" 200\n::1 - - [05/Jan] "GET" 404\n',
    2,
  ],
  ['a name above questions', 'question\nWhat is it?\nHow is it made?\n', 2],
  ['a question above numbers', 'How happy are you?\n5\n4\n', 2],
  ['a question above its answers', 'What was the reason for your call?\nBilling\nBilling\nOther\n', 3],
])('a list of texts without a header keeps its first one: %s', async (_, text, rows) => {
  expect((await readBack(write('list.txt', text))).rows).toHaveLength(rows);
});

test('texts with tags, one in a line, are read', async () => {
  const prompts = write('prompts.txt', '<s><user>Why?</user></s>\n<s><user>When?</user></s>\n');
  await expect(inspect(prompts)).resolves.toMatchObject({ columns: [{ type: 'str' }] });
  const snippets = write('snippets.tsv', '<p><b>html</b></p>\tlabel\n<p><i>a</i></p>\tx\n');
  expect((await inspect(snippets)).columns).toHaveLength(2);
});

test('rows of JSON in a file named as Markdown are read', async () => {
  expect((await readBack(write('rows.md', '{"a": 1}\n{"a": 2}\n'))).all).toHaveLength(2);
});

test('cells in curly quotes that hold the delimiter are refused, unless the user says how quotes are read', async () => {
  const path = write('curly.csv', 'id,name\n1,“Anna, B”\n2,“Ben, C”\n');
  await expect(inspect(path)).rejects.toMatchObject({
    ...{ code: 'FILE_MALFORMED', details: { line: 2 } },
    message: expect.stringMatching(
      /^Line 2: a cell in curly quotes holds the comma .* Replace “ and ” with "/,
    ),
  });
  const read = await inspectFile({ path, fileId: 'f', override: { quote: 'none' }, seed: 0.5 });
  expect(read.columns.length).toBeGreaterThan(1);
  for (const fine of [
    'id,text\n1,“Anna”\n2,say “a” or “b”\n',
    'id\ttext\n1\t“Anna, B”\n',
    'id,text\n1,"She asked:\n“Well, are you coming?”\nand left."\n2,"He replied, “Yes, of course”, and left"\n',
    'id;text\n1;"a; “b; c”; d"\n2;x\n',
    'id,first,last\n1,“Anna,B”\n2,“Ben,C”\n',
  ])
    expect((await readBack(write('fine.csv', fine))).bad).toEqual([]);
});
