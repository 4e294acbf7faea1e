/** No thread of a file preview outlives the engine: found by a simulation that quit while a file was being read. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
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
