/** Numbers in messages have the format of the user's setting, even in threads that read files and packs. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setEnvironmentData } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { MAX_TYPED_CHARS } from '../../electron/shared/fold.ts';
import { DEFAULT_SETTINGS } from '../../electron/shared/settings.ts';
import { createMatcher } from '../../electron/shared/text-filter.ts';
import { setFormats } from '../../electron/shared/thread-formats.ts';
import { startUploadWorker } from '../../electron/uploads/worker/worker-client.ts';
import { DataFolder } from '../helpers/data-folder.ts';

afterEach(() => setFormats(DEFAULT_SETTINGS, setEnvironmentData));

test('a running thread writes numbers in the format of a setting that changes', async () => {
  using folder = new DataFolder();
  const path = folder.file('rows.csv');
  writeFileSync(path, 'a,b\n'.repeat(1_500));
  const choose = (numberFormat: 'comma' | 'point') =>
    setFormats({ ...DEFAULT_SETTINGS, numberFormat }, setEnvironmentData);
  choose('comma');
  const thread = startUploadWorker();
  const inspect = () =>
    thread.call('inspect', { path, fileId: 'f', override: { headerLine: 2_000 }, seed: 0.5 });
  try {
    await expect(inspect()).rejects.toThrow('has only 1,500 lines');
    choose('point');
    await expect(inspect()).rejects.toThrow('has only 1.500 lines');
  } finally {
    await thread.close();
  }
});

test('a filter that is too long says so with the numbers of the setting', () => {
  setFormats({ ...DEFAULT_SETTINGS, numberFormat: 'space' }, setEnvironmentData);
  expect(() => createMatcher('x'.repeat(MAX_TYPED_CHARS + 1_000))).toThrow(/got 1\s500\./);
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
