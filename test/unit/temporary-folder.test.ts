import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { removeAbandonedFolders, temporaryFolder } from '../../electron/db/temporary-folder.ts';
import { DataFolder } from '../helpers/data-folder.ts';

const HOUR = 3_600_000;

test('files of a killed process are deleted after an hour; those in use, recent or foreign stay', async () => {
  using place = new DataFolder();
  const gonePid = spawnSync(process.execPath, ['-e', '']).pid;
  const nowMs = 10 * HOUR;
  const make = (name: string, ageMs: number) => {
    const folder = place.file(name);
    mkdirSync(folder);
    writeFileSync(`${folder}/rows.jsonl`, '{"customer":"a"}');
    utimesSync(folder, (nowMs - ageMs) / 1_000, (nowMs - ageMs) / 1_000);
    return folder;
  };
  const left = make(`spandeck-rows-${gonePid}-aaaaaa`, 2 * HOUR);
  const staying = [
    make(`spandeck-rows-${gonePid}-bbbbbb`, HOUR / 2),
    make(`spandeck-rows-${process.pid}-cccccc`, 2 * HOUR),
    make('spandeck-else', 2 * HOUR),
  ];
  await removeAbandonedFolders(nowMs, place.path);
  expect(existsSync(left)).toBe(false);
  for (const folder of staying) expect(existsSync(folder), folder).toBe(true);
});

test('a new one is named with the number of its process', async () => {
  const folder = await temporaryFolder();
  expect(folder).toContain(`spandeck-rows-${process.pid}-`);
  rmSync(folder, { recursive: true });
});
