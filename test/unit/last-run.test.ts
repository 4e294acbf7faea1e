/** The next start detects that the previous run did not end normally. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { noteRun } from '../../electron/platform/last-run.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

let folder: DataFolder;
let file = '';
beforeEach(() => {
  folder = new DataFolder();
  file = folder.file('running.json');
});
afterEach(() => folder[Symbol.dispose]());

const start = (atMs: number) => noteRun(file, atMs, silentLogger);

test('a run that ended in order reports nothing', () => {
  const first = start(1_000);
  expect(first.take()).toBeNull();
  first.end();
  expect(existsSync(file)).toBe(false);
  expect(start(2_000).take()).toBeNull();
});

test('a run ended from outside is reported once, with its time; a failed run with its failure', () => {
  start(1_000);
  const second = start(2_000);
  expect(second.take()).toEqual({ startedAtMs: 1_000, failure: null });
  expect(second.take()).toBeNull();
  second.fail('The disk is gone.');
  expect(start(3_000).take()).toEqual({ startedAtMs: 2_000, failure: 'The disk is gone.' });
});

test.each(['', '{"startedAtMs":', '[]', '{"startedAtMs":"now","failure":null}'])(
  'a note that reads %j is from an interrupted run',
  (text) => {
    writeFileSync(file, text);
    expect(start(1_000).take()).toEqual({ startedAtMs: null, failure: null });
  },
);

test('the start continues if no note can be written', () => {
  mkdirSync(file);
  const run = start(1_000);
  expect(run.take()).toBeNull();
  run.fail('anything');
  run.end();
});
