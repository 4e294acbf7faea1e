/** Files of tests on disk: a passed test leaves none, and a failed one leaves its data folder. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import component from '../component/playwright.config.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { beginTest, endTest, useRunFolder } from '../helpers/run-folder.ts';
import e2e from '../playwright.config.ts';

/** A folder with one file in it, as a test leaves it. */
function usedFolder(): DataFolder {
  const folder = new DataFolder();
  writeFileSync(folder.file('spandeck.db'), 'stored');
  folder[Symbol.dispose]();
  return folder;
}

test('temporary files of a run are in a folder that is deleted with it, whatever it contains', () => {
  const env: NodeJS.ProcessEnv = { TMPDIR: tmpdir() };
  const remove = useRunFolder(env);
  const folder = env['TMPDIR'] ?? '';
  expect(folder).not.toBe(tmpdir());
  const removeNothing = useRunFolder(env);
  mkdirSync(`${folder}/spandeck-test-1/data`, { recursive: true });
  removeNothing();
  expect(existsSync(`${folder}/spandeck-test-1/data`)).toBe(true);
  remove();
  expect(existsSync(folder)).toBe(false);
  expect(env).toEqual({ TMPDIR: tmpdir() });
});

test('the folder of a killed run is deleted by the next run; that of a running one stays', () => {
  const place = new DataFolder();
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  for (const pid of [ended, process.ppid]) mkdirSync(place.file(`spandeck-run-${pid}-abc`));
  useRunFolder({ TMPDIR: place.path })();
  expect(readdirSync(place.path)).toEqual([`spandeck-run-${process.ppid}-abc`]);
  place[Symbol.dispose]();
});

test('this run has such a folder', () => {
  expect(relative(process.env['SPANDECK_TEST_RUN'] ?? '', tmpdir())).toBe('');
});

test('the folder of a failed test is kept, that of a passed one is not', () => {
  const kept = new DataFolder();
  beginTest();
  const failed = usedFolder();
  expect(existsSync(failed.path)).toBe(true);
  endTest(true, kept.path);
  const [name = ''] = readdirSync(kept.path);
  expect(readFileSync(kept.file(`${name}/spandeck.db`), 'utf8')).toBe('stored');
  expect(existsSync(failed.path)).toBe(false);

  beginTest();
  const passed = usedFolder();
  endTest(false, kept.path);
  expect(existsSync(passed.path)).toBe(false);
  expect(readdirSync(kept.path)).toHaveLength(1);
  kept[Symbol.dispose]();
});

test('of a test that makes many folders only the newest are kept until its result', () => {
  beginTest();
  const folders = Array.from({ length: 25 }, usedFolder);
  expect(folders.filter(({ path }) => existsSync(path))).toEqual(folders.slice(5));
  endTest(false);
  expect(folders.filter(({ path }) => existsSync(path))).toEqual([]);
});

test('window and view tests keep the output of failures only, each runner in a folder of its own', () => {
  expect([component.preserveOutput, e2e.preserveOutput]).toEqual(['failures-only', 'failures-only']);
  expect([component.outputDir, e2e.outputDir]).toEqual([
    '../../test-results/component',
    '../test-results/e2e',
  ]);
});
