/** Rows of delimited text that contain only blank characters outside of ASCII. */
import iconv from 'iconv-lite';
import { afterAll, expect, test } from 'vitest';
import { checkedFile } from '../helpers/checked-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

test.each([
  ['utf-8', '\u00a0'],
  ['windows-1252', '\u00a0'],
  ['shift_jis', '\u3000'],
  ['gbk', '\u3000'],
])('rows with only blank characters are skipped in %s', async (encoding, blank) => {
  const content = iconv.encode(`id,v\n1,a\n${blank},${blank}\n2,b\n`, encoding);
  const dialect = { encoding, delimiter: ',', quote: '"', hasHeader: true, format: 'csv' } as const;
  const { events, notes } = await checkedFile(folder.file(`${encoding}.csv`), content, { dialect });
  expect(events).toEqual([
    { id: 1, v: 'a' },
    { id: 2, v: 'b' },
  ]);
  expect(notes.join()).toContain('1 row without any value skipped (line 3).');
});
