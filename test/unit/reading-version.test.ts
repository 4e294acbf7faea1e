/** Copies and checks of a file that another version of the program made are not used again. */
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { STALL_LIMITS } from '../../electron/core/stall-watch.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import type { UploadPlan } from '../../electron/shared/upload-model.ts';
import { readFileState } from '../../electron/uploads/file-state.ts';
import { readingVersion, versionOf } from '../../electron/uploads/reading-version.ts';
import { readingKey } from '../../electron/uploads/scans.ts';
import { createUnpackedCopies } from '../../electron/uploads/unpack/copies.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

test('a copy by another version is made again, and one by the same version is reused', async () => {
  using folder = new DataFolder();
  const path = folder.file('a.csv.gz');
  writeFileSync(path, gzipSync('id\n1\n'));
  const file = {
    ...{ path, member: null, name: 'a.csv.gz', format: 'gzip' as const },
    state: await readFileState(path),
  };
  const copiesOf = (reading?: string) =>
    createUnpackedCopies({
      ...{ folder: folder.file('copies'), clock: systemClock, random: systemRandom, logger: silentLogger },
      ...{ isKnown: () => true, stallLimits: STALL_LIMITS, ...(reading === undefined ? {} : { reading }) },
      needed: () => Promise.resolve({ paths: [], unreadOwners: [] }),
      parquetToJsonLines: () => Promise.reject(new Error('No Parquet file is read here.')),
    });
  const old = await copiesOf('old').of(file, null, null);
  writeFileSync(old.path, 'id\n999\n');
  expect(await copiesOf('new').find(file, null, null)).toBeNull();
  const made = await copiesOf().of(file, null, null);
  expect(await readFile(made.path, 'utf8')).toBe('id\n1\n');
  expect(await copiesOf(readingVersion()).find(file, null, null)).toEqual(made);
  // A job that began with the earlier copy reads that copy to its end.
  expect(await readFile(old.path, 'utf8')).toBe('id\n999\n');
});

test('the version changes with a line of the program, and with the name of a part', () => {
  using folder = new DataFolder();
  writeFileSync(folder.file('reader.ts'), 'a');
  const of = () => versionOf([folder.path], /\.ts$/, true);
  const before = of();
  expect(of()).toBe(before);
  writeFileSync(folder.file('reader.ts'), 'b');
  expect(of()).not.toBe(before);
  expect(() => versionOf([folder.path], /\.js$/, true)).toThrow('got none');
});

test('a check by another version is not used', () => {
  const plan: UploadPlan = {
    fileId: 'f',
    dialect: { format: 'csv', delimiter: ',', quote: '"', encoding: 'utf-8', hasHeader: true, nullWords: [] },
    ...{ columns: [], constants: [], repairs: [], modelId: 'm', modelName: 'M' },
    ...{ envType: 'PRODUCTION', envName: null, mode: 'publish', batchRows: 1, maxBatchBytes: 1 },
    onBadRow: 'stop',
  };
  const key = (version?: string) => readingKey('/a.csv', { sizeBytes: 1, mtimeMs: 1 }, plan, version);
  expect(key()).toBe(key(readingVersion()));
  expect(key()).not.toBe(key('old'));
});
