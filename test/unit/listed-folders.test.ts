/** Folders are listed while another process removes or renames their files. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Random } from '../../electron/core/ports.ts';
import { STALL_LIMITS } from '../../electron/core/stall-watch.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { Spools } from '../../electron/uploads/spool/spools.ts';
import { createUnpackedCopies } from '../../electron/uploads/unpack/copies.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

/** Copies of stores, each with one owner. */
function copiesIn(folder: DataFolder, names: readonly string[], owner: string): void {
  for (const name of names) {
    mkdirSync(folder.file(`${name}/for`), { recursive: true });
    writeFileSync(folder.file(`${name}/for/${owner}`), '');
  }
}

function copies(folder: DataFolder, isKnown: () => boolean, random: Random = systemRandom) {
  return createUnpackedCopies({
    ...{ folder: folder.path, clock: systemClock, random, logger: silentLogger, isKnown },
    stallLimits: STALL_LIMITS,
    needed: () => Promise.resolve({ paths: [], unreadOwners: [] }),
    parquetToJsonLines: () => Promise.reject(new Error('No Parquet file is read here.')),
  });
}

test('copies that another process removes during the listing cause no failure', async () => {
  using folder = new DataFolder();
  const names = ['a', 'b', 'c'];
  copiesIn(folder, names, 'gone');
  const removeAll = () => {
    for (const name of names) rmSync(folder.file(name), { recursive: true, force: true });
    return true;
  };
  await copies(folder, removeAll).sweep(30);
  expect(readdirSync(folder.path)).toEqual([]);
});

test('a connection is removed completely, also if another process removes one of its copies first', async () => {
  using folder = new DataFolder();
  const names = ['a', 'b', 'c'];
  copiesIn(folder, names, 'gone');
  let isFirst = true;
  const uuid = () => {
    if (isFirst) for (const name of names.slice(0, 2)) rmSync(folder.file(name), { recursive: true });
    isFirst = false;
    return systemRandom.uuid();
  };
  await copies(folder, () => false, { ...systemRandom, uuid }).forget('gone');
  expect(readdirSync(folder.path)).toEqual([]);
});

test('the file for the rows of a check is never visible by name', async () => {
  using folder = new DataFolder();
  const spools = new Spools({ folder: folder.file('copies'), random: systemRandom, logger: silentLogger });
  const seen: string[] = [];
  let isOpening = true;
  const opening = spools.open().finally(() => {
    isOpening = false;
  });
  while (isOpening) {
    if (existsSync(folder.file('copies'))) seen.push(...readdirSync(folder.file('copies')));
    await new Promise((resolve) => setImmediate(resolve));
  }
  spools.discard(await opening);
  expect(seen).toEqual([]);
});
