/**
 * Files that store the columns of large runs: complete ones are reused, and no other file is mistaken for one of them.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RunColumnsBuilder } from '../../electron/core/items/run-columns.ts';
import { readOnlyFromNow } from '../../electron/db/only-reads.ts';
import { createColumnFiles } from '../../electron/db/run-column-files.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { DataFolder } from '../helpers/data-folder.ts';

const cleanUp = cleanUpAfterEach();
function temporaryFolder() {
  const folder = new DataFolder();
  cleanUp(() => folder[Symbol.dispose]());
  return folder;
}

const RUN = 'experiment one';

function columnsOf(items: number) {
  const builder = new RunColumnsBuilder();
  for (let position = 0; position < items; position += 1)
    builder.add({
      ...{ itemId: `item ${position % (items - 1)} ü`, position, fate: 'good', durationMs: position },
      scores: [
        { evaluator: 'judge', name: 'quality', value: position / 7, label: position % 2 ? 'a' : null },
      ],
      measures: [['usage.tokens', position]],
    });
  return builder.finish();
}

function kept(items = 6_000) {
  const folder = temporaryFolder().file('analysis');
  const files = createColumnFiles(folder, () => 5_000);
  const columns = columnsOf(items);
  files.save(RUN, '1', columns);
  return { folder, files, columns };
}

test('the columns of a run are read as they were written, also by another process', () => {
  const { folder, files, columns } = kept();
  expect(columns.repeated.size).toBe(1);
  expect(files.load(RUN, '1')).toEqual(columns);
  expect(createColumnFiles(folder, () => 5_000).load(RUN, '1')).toEqual(columns);
});

test('results that changed are not taken from an earlier file', () => {
  const { files } = kept();
  expect(files.load(RUN, '2')).toBeNull();
  expect(files.load('experiment two', '1')).toBeNull();
});

test('a damaged or shortened file is not taken', () => {
  const { folder, files } = kept();
  const file = join(folder, readdirSync(folder)[0] ?? '');
  const bytes = readFileSync(file);
  bytes[bytes.length - 40] = (bytes[bytes.length - 40] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  expect(files.load(RUN, '1')).toBeNull();
  for (const length of [0, 3, 4, bytes.length - 1]) {
    writeFileSync(file, bytes.subarray(0, length));
    expect(files.load(RUN, '1')).toBeNull();
  }
});

test('no file is written for a small run, nor in a folder that cannot be one', () => {
  const { folder } = kept(100);
  expect(() => readdirSync(folder)).toThrow('ENOENT');
  const file = temporaryFolder().file('a-file');
  writeFileSync(file, '');
  const files = createColumnFiles(file, () => 5_000);
  files.save(RUN, '1', columnsOf(6_000));
  expect(files.load(RUN, '1')).toBeNull();
});

test('a process that only reads loads kept columns, and neither saves nor touches a file', () => {
  const { folder, files, columns } = kept();
  const file = join(folder, readdirSync(folder)[0] ?? '');
  const { mtimeMs } = statSync(file);
  const end = readOnlyFromNow();
  try {
    expect(createColumnFiles(folder, () => 9_000_000).load(RUN, '1')).toEqual(columns);
    files.save('experiment two', '1', columns);
  } finally {
    end();
  }
  expect(readdirSync(folder)).toHaveLength(1);
  expect(statSync(file).mtimeMs).toBe(mtimeMs);
});
