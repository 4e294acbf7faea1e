/** Characters that nobody sees are named where they make another name or text; versions keep the zero at their end. */
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkedFile } from '../helpers/checked-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { readBack } from '../helpers/read-back.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

async function notesOf(content: string, name = 'a.csv'): Promise<string> {
  writeFileSync(folder.file(name), content);
  return (await readBack(folder.file(name))).notes;
}

describe('a character that is not visible', () => {
  test.each([
    ['a.csv', 'question,\u200banswer,w\u00adx\na,b,c\n'],
    ['a.jsonl', '{"question":"a","\u200banswer":"b","w\u00adx":"c"}\n'],
  ])('is named in names of columns: %s', async (name, content) => {
    expect(await notesOf(content, name)).toContain(
      'column 2, “answer” (U+200B), column 3, “wx” (U+00AD). To a model or a dataset they are other names',
    );
  });

  test('is named in short texts', async () => {
    expect(await notesOf('id,v\nT1\u200b,1\nT2,2\n')).toContain(
      'Column “id” has a character that is not visible (U+200B), first in “T1\u200b” in line 2: 1 value of 2 sampled.',
    );
  });

  test('is named in a category of the model too', async () => {
    const content = 'id,kind\na,travel\u200b\nb,fuel\n';
    expect(await notesOf(content)).toContain('Column “kind” has a character that is not visible');
  });

  test.each([
    ['in sentences', 'id,v\nwrite\u200bing a text,1\n'],
    [
      'between letters that it joins',
      'id,v\n\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645,1\n\ud83d\udc69\u200d\ud83d\udcbb,2\n',
    ],
  ])('is not named %s', async (_where, content) => {
    expect(await notesOf(content)).not.toContain('not visible');
  });
});

describe('a column of versions', () => {
  const typeOf = async (content: string) => {
    const { columns } = await checkedFile(folder.file('v.csv'), content);
    return columns.map(({ type }) => type)[1];
  };

  test('is text if a number would lose the zero at its end', async () => {
    const content = 'q,python_version\na,3.10\nb,3.9\nc,3.1\n';
    expect(await typeOf(content)).toBe('str');
    expect(await notesOf(content)).toContain('such as “3.10” in line 2, may be versions');
  });

  test.each(['appVersion', 'APIVersion', 'Release notes', 'section.no', 'clauses', 'version2'])(
    'may have the name %s',
    async (name) => {
      expect(await typeOf(`q,${name}\na,3.10\nb,2.7\n`)).toBe('str');
    },
  );

  test.each([
    ['a longer word', 'q,conversion_rate\na,3.10\nb,3.9\n'],
    ['a longer word in the name', 'q,intersectionArea\na,3.10\nb,3.9\n'],
    ['whole decimals', 'q,cross_section\na,0.25\nb,1.0\nc,0.5\n'],
    ['whole decimals beside whole numbers', 'q,press_release_score\na,10.0\nb,1\nc,0.25\n'],
    ['another name', 'q,price\na,3.10\nb,3.9\n'],
    ['an equal number of decimals', 'q,version\na,3.10\nb,3.90\n'],
    ['no zero at the end', 'q,version\na,3.11\nb,3.9\n'],
  ])('has numbers with %s', async (_what, content) => {
    expect(await typeOf(content)).toBe('float');
  });
});

test('times of events that programs write for no time are counted', async () => {
  const model = { columns: { id: 'str', at: 'timestamp', born: 'timestamp' }, id: 'id', time: 'at' };
  const rows = [
    '9999-12-31T00:00:00Z',
    '0001-01-01 00:00:00',
    '1970-01-01T00:00:00Z',
    '2026-01-02T00:00:00Z',
  ];
  const content = `id,at,born\n${rows.map((at, index) => `${index},${at},1955-05-05T00:00:00Z\n`).join('')}`;
  const { events, ledger } = await checkedFile(folder.file('t.csv'), content, { model });
  expect(events.map(({ at }) => at)).toEqual(rows);
  const far = ledger.changes.filter(({ rule }) => rule === 'far-time');
  expect(far).toMatchObject([{ source: 'at', count: 3, examples: [{ line: 2 }, { line: 3 }, { line: 4 }] }]);
});
