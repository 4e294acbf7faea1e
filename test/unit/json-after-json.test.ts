/** JSON that was encoded twice, joined, or written below other lines is read as the rows in it. */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DataFolder } from '../helpers/data-folder.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { readBack } from '../helpers/read-back.ts';
import { setUpFiles } from '../helpers/set-up-files.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFiles((made) => {
  ({ folder, files } = made);
});

/** Returns the first rows, as the preview shows them, and the notes. */
async function look(name: string, content: string) {
  const path = folder.file(name);
  writeFileSync(path, content);
  const [offered] = await files.offer([path]);
  const preview = await files.inspect(offered?.fileId ?? '', null);
  return {
    names: preview.columns.map((column) => column.name),
    rows: preview.head.map(({ cells }) => cells.map((cell) => (typeof cell === 'string' ? cell : null))),
    notes: preview.notes.join('\n'),
    problems: preview.problems.length,
  };
}

describe('lists one after the other', () => {
  test.each([
    ['in one line.json', '[{"a":1},{"a":2}][{"a":3}]'],
    ['in two lines.json', '[{"a":1}]\n[{"a":2},{"a":3}]\n'],
    ['over lines.json', '[\n  {"a":1},\n  {"a":2}\n]\n\n[\n  {"a":3}\n]\n'],
    ['by line.jsonl', '[{"a":1}]\n[{"a":2},{"a":3}]\n'],
  ])('%s', async (name, content) => {
    const path = folder.file(name);
    writeFileSync(path, content);
    for (const chunkBytes of [3, undefined]) {
      const { all, notes } = await readBack(path, null, chunkBytes);
      expect(all.map(({ record }) => record)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
      expect(notes).toMatch(/1 further list of rows after the first one: read as one list/);
    }
  });

  test.each(['utf8', 'utf16le'] as const)('with byte order marks in %s', async (encoding) => {
    const path = folder.file(`joined ${encoding}.json`);
    writeFileSync(path, Buffer.from('\ufeff[{"a":1}]\r\n\ufeff[{"a":2},{"a":3}]\n\ufeff', encoding));
    for (const chunkBytes of [3, undefined]) {
      const { all, notes } = await readBack(path, null, chunkBytes);
      expect(all.map(({ record }) => record)).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
      expect(notes).toMatch(/2 lines with a byte order mark/);
    }
  });

  test('other text behind a list is still refused', async () => {
    const path = folder.file('behind.json');
    writeFileSync(path, '[{"a":1}] and more\n');
    await expect(readBack(path)).rejects.toMatchObject({ code: 'FILE_MALFORMED' });
  });
});

test.each(['rows.jsonl', 'rows.log', 'rows.txt'])(
  'a line above JSON Lines is one bad row in %s',
  async (name) => {
    const found = await look(name, 'Loading model...\n{"id":1,"v":"a, b"}\n{"id":2,"v":"c"}\n');
    expect(found).toMatchObject({ names: ['id', 'v'], problems: 1 });
  },
);

test('texts in braces below a name stay texts', async () => {
  expect((await look('texts.txt', 'prompt\n{name}, hello\n{name}, bye\n')).names).not.toContain('name');
  expect((await look('cells.csv', 'j\n{"a":1}\n{"a":2}\n')).names).toEqual(['j']);
});

test('a list that was written as JSON twice is its rows', async () => {
  const twice = JSON.stringify(JSON.stringify([{ a: 1 }, { a: 2 }]));
  const { names, rows, notes } = await look('twice.json', twice);
  expect([names, rows]).toEqual([['a'], [['1'], ['2']]]);
  expect(notes).toMatch(/one text that is a list of 2 objects itself/);
});

describe('answers of services are read as their rows', () => {
  test.each<[string, unknown, string[]]>([
    [
      'ClickHouse',
      { meta: [{ name: 'id', type: 'String' }], data: [{ id: '1' }], rows: 1, statistics: {} },
      ['id'],
    ],
    [
      'ClickHouse without names in rows',
      { meta: [{ name: 'id' }, { name: 'v' }], data: [['1', 2]], rows: 1, statistics: { elapsed: 0 } },
      ['id', 'v'],
    ],
    [
      'Prometheus',
      { status: 'success', data: { resultType: 'vector', result: [{ metric: {}, value: [1, '1'] }] } },
      ['metric', 'value'],
    ],
    [
      'Loki',
      {
        status: 'success',
        data: { resultType: 'streams', result: [{ stream: {}, values: [] }], stats: { a: {} } },
      },
      ['stream', 'values'],
    ],
    [
      'Solr',
      { responseHeader: { status: 0 }, response: { numFound: 1, start: 0, docs: [{ id: '1' }] } },
      ['id'],
    ],
    ['GraphQL', { data: { users: [{ id: 1 }] } }, ['id']],
    [
      'CloudWatch',
      { events: [{ message: 'a' }], nextForwardToken: 'f', nextBackwardToken: 'b' },
      ['message'],
    ],
    ['CloudWatch with a filter', { events: [{ message: 'a' }], searchedLogStreams: [{ x: 1 }] }, ['message']],
    ['CloudWatch metrics', { MetricDataResults: [{ Id: 'm', Values: [1] }], Messages: [] }, ['Id', 'Values']],
    ['CloudWatch statistics', { Label: 'CPU', Datapoints: [{ Average: 1 }] }, ['Average']],
  ])('%s', async (name, document, names) => {
    expect((await look(`${name}.json`, JSON.stringify(document))).names).toEqual(names);
  });
});

test('a conversation under one key stays one row', async () => {
  const found = await look('talk.json', JSON.stringify({ a: { messages: [{ role: 'user' }] } }));
  expect([found.names, found.rows.length]).toEqual([['a'], 1]);
});

const hasJq = spawnSync('jq', ['--version']).status === 0;
test.skipIf(!hasJq)('the step for rows under their ids keeps the ids and each field', async () => {
  const { notes } = await look(
    'by id.json',
    JSON.stringify({ r1: { key: 'k', v: 1 }, r2: { key: 'l', w: 2 } }),
  );
  const filter = /jq "([^"]+)"/.exec(notes)?.[1] ?? '';
  const { stdout } = spawnSync('jq', ['-c', filter, folder.file('by id.json')], { encoding: 'utf8' });
  expect(JSON.parse(stdout)).toEqual([
    { _key: 'r1', key: 'k', v: 1 },
    { _key: 'r2', key: 'l', w: 2 },
  ]);
});
