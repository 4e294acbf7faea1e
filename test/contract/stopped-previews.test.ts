/**
 * No thread of a file preview outlives the engine. The fault was found by a simulation that quit while a file was being
 * read.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { dataPaths } from '../../electron/platform/paths.ts';
import { engineRig } from '../helpers/engine-rig.ts';

const currentRig = engineRig();

test('a file is not read for a preview after the engine was stopped', async () => {
  const { engine, folder } = currentRig();
  const path = folder.file('rows.csv');
  writeFileSync(path, 'id,name\n1,one\n');
  const [offered] = await engine.files.offer([path]);
  const fileId = offered?.fileId ?? '';
  expect(await engine.files.inspect(fileId, null)).toMatchObject({ name: 'rows.csv' });
  await engine.stop();
  await expect(engine.files.inspect(fileId, null)).rejects.toMatchObject({ code: 'CANCELLED' });
});

test.each(['preview', 'profile'])(
  'a %s of a compressed file ends with the engine, and leaves no unfinished copy',
  async (what) => {
    const { engine, folder } = currentRig();
    const path = folder.file('rows.csv.gz');
    writeFileSync(path, gzipSync(`id,name\n${'1,one of many rows\n'.repeat(4_000_000)}`, { level: 1 }));
    const [offered] = await engine.files.offer([path]);
    const fileId = offered?.fileId ?? '';
    const reading =
      what === 'preview' ? engine.files.inspect(fileId, null) : engine.profileFile(fileId, null, null);
    const ended = expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
    const { copiesDir } = dataPaths(folder.path);
    const unfinished = () => readdirSync(copiesDir).filter((name) => name.endsWith('.part'));
    await expect.poll(unfinished).toHaveLength(1);
    await engine.stop();
    expect(unfinished()).toEqual([]);
    await ended;
  },
);
