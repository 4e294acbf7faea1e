/** Typed names of files with `*` and `?`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filesNamed, patternAdvice } from '../../electron/cli/file-patterns.ts';
import { DataFolder } from '../helpers/data-folder.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
  for (const name of ['b.parquet', 'a.PARQUET', 'c (1).parquet', 'd.csv'])
    writeFileSync(folder.file(name), '');
  mkdirSync(folder.file('folder.parquet'));
});
afterEach(() => folder[Symbol.dispose]());
const named = (pattern: string) => filesNamed(`${folder.path}\\${pattern}`, 'win32');

test('on Windows they stand for the files that fit, in order', async () => {
  const at = (name: string) => `${folder.path}\\${name}`;
  expect(await named('*.parquet')).toEqual(['a.PARQUET', 'b.parquet', 'c (1).parquet'].map(at));
  expect(await named('?.parquet')).toEqual(['a.PARQUET', 'b.parquet'].map(at));
  expect(await named('c (?).*')).toEqual([at('c (1).parquet')]);
  expect(await named('plain.csv')).toEqual([at('plain.csv')]);
  const literal = '\\\\?\\C:\\data\\x.csv';
  expect(await filesNamed(literal, 'win32')).toEqual([literal]);
});

test('on Windows a pattern without a file is refused, and one for folders too', async () => {
  await expect(named('*.json')).rejects.toMatchObject({
    ...{ code: 'FILE_NOT_FOUND', message: expect.stringMatching(/^No file fits .*\*\.json\.$/) },
  });
  await expect(named('*\\a.csv')).rejects.toMatchObject({
    ...{ code: 'INVALID_ARGUMENT', message: expect.stringContaining('only in the name of a file') },
  });
  await expect(named('none\\*.csv')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
});

test('elsewhere the shell replaces them, and a name that is left is explained', async () => {
  expect(await filesNamed('a\\*.parquet', 'linux')).toEqual(['a\\*.parquet']);
  expect(patternAdvice('a\\*.parquet')).toBe(
    '* and ? are replaced by the shell, which needs / between folders and no quotes: a/*.parquet',
  );
  expect(patternAdvice('a.parquet')).toBeUndefined();
});
