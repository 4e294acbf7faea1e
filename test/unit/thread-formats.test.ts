/** Numbers in messages have the format of the setting, also in threads that read files and packs. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setEnvironmentData } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { createMatcher, MOST_TYPED_CHARS } from '../../electron/shared/narrowing.ts';
import { DEFAULT_SETTINGS } from '../../electron/shared/settings.ts';
import { setFormats } from '../../electron/shared/thread-formats.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { openFiles } from '../helpers/open-files.ts';

afterEach(() => setFormats(DEFAULT_SETTINGS, setEnvironmentData));

test('a thread that reads a file formats its numbers by a setting that changed after its start', async () => {
  using folder = new DataFolder();
  const file = folder.file('rows.csv');
  writeFileSync(file, `${'a,b\n'.repeat(1_500)}`);
  const files = openFiles(folder.file('open'));
  const [offered] = await files.offer([file]);
  const { dialect } = await files.inspect(offered?.fileId ?? '', null);
  // The thread was started before, with other formats.
  setFormats({ ...DEFAULT_SETTINGS, numberFormat: 'point' }, setEnvironmentData);
  const beyond = files.inspect(offered?.fileId ?? '', { ...dialect, headerLine: 2_000 });
  await expect(beyond).rejects.toThrow('has only 1.500 lines');
});

test('a filter that is too long says so with the numbers of the setting', () => {
  setFormats({ ...DEFAULT_SETTINGS, numberFormat: 'space' }, setEnvironmentData);
  expect(() => createMatcher('x'.repeat(MOST_TYPED_CHARS + 1_000))).toThrow(/got 1\s500\./);
});

test('no file of the product formats a number past the setting, and each thread applies it first', () => {
  const all = ['electron', 'renderer'].flatMap((place) =>
    readdirSync(place, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|svelte)$/.test(name))
      .map((name) => `${place}/${name}`),
  );
  const passed = all.filter((file) =>
    /(?<!written\(value\.)toLocaleString\(/.test(readFileSync(file, 'utf8')),
  );
  expect(passed).toEqual([]);
  const threads = all.filter(
    (file) => /-worker\.ts$/.test(file) && !/service-worker|certificates/.test(file),
  );
  expect(threads.length).toBeGreaterThan(10);
  expect(threads.filter((file) => !readFileSync(file, 'utf8').includes('takeFormats('))).toEqual([]);
});
