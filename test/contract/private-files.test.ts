/**
 * Only the owner can read the data folder: new files, and files that an older version or a copy made readable for
 * others.
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dataPaths, makeDataDir } from '../../electron/platform/paths.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { engineRig } from '../helpers/engine-rig.ts';

const currentRig = engineRig();
const modeOf = (path: string) => lstatSync(path).mode & 0o777;

function pathsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}

const isOpenToOthers = (path: string) => (modeOf(path) & 0o077) !== 0;

test.skipIf(process.platform === 'win32')(
  'every new file and folder is readable by the owner only',
  async () => {
    const rig = currentRig();
    await rig.readOnce();
    await rig.engine.openSample();
    await rig.logger.flush();
    const made = pathsIn(rig.paths.dataDir);
    expect(made.filter((path) => /\.(db|log|db-wal|db-shm)$/.test(path)).length).toBeGreaterThan(8);
    expect(made.filter(isOpenToOthers)).toEqual([]);
  },
);

test.skipIf(process.platform === 'win32')(
  'files left open to others are closed at the next start',
  async () => {
    const rig = currentRig();
    await rig.readOnce();
    await rig.logger.flush();
    await rig.engine.stop();
    writeFileSync(`${rig.paths.budgetDb}.v10.backup`, 'copy');
    const made = pathsIn(rig.paths.dataDir);
    for (const path of [rig.paths.dataDir, ...made])
      chmodSync(path, lstatSync(path).isFile() ? 0o644 : 0o755);
    makeDataDir(rig.paths);
    expect([rig.paths.dataDir, ...made].filter(isOpenToOthers)).toEqual([]);
    rig.start();
  },
);

test.skipIf(process.platform === 'win32')(
  'files of others keep their mode: other files, links, a folder of everybody',
  () => {
    using folder = new DataFolder();
    const paths = dataPaths(folder.path);
    chmodSync(folder.path, 0o1777);
    for (const path of [folder.file('notes.txt'), folder.file('elsewhere')]) {
      writeFileSync(path, '');
      chmodSync(path, 0o644);
    }
    mkdirSync(paths.logsDir);
    symlinkSync(folder.file('elsewhere'), join(paths.logsDir, 'spandeck.log'));
    makeDataDir(paths);
    expect(modeOf(folder.path)).toBe(0o777);
    expect([folder.file('notes.txt'), folder.file('elsewhere')].map(modeOf)).toEqual([0o644, 0o644]);
    expect(modeOf(paths.logsDir)).toBe(0o700);
  },
);
