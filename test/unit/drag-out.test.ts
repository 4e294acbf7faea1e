/** Only files that Spandeck wrote can be dragged out of the window, and only if the runtime supports it. */
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDragOut } from '../../electron/platform/drag-out.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spandeck-drag-'));
});
afterEach(() => rm(folder, { recursive: true }));

const dragged: { file: string; icon: unknown }[] = [];
const runtime = {
  nativeImage: { createFromBitmap: (pixels: Buffer) => ({ bytes: pixels.length }) },
};
const make = (contents: unknown) =>
  createDragOut({
    runtime,
    contents: () => contents,
    folder: join(folder, 'dragged'),
    makeFolder: (path) => mkdir(path, { recursive: true, mode: 0o700 }),
  });
const electron = { startDrag: (of: { file: string; icon: unknown }) => dragged.push(of) };

test('a file is written to its own folder, readable by its owner alone, and dragged with the pointer', async () => {
  const drag = make(electron);
  const path = await drag.pathFor('receipts.csv');
  await writeFile(path, 'a');
  await drag.start(path);
  expect(dragged.splice(0)).toEqual([{ file: path, icon: { bytes: 24 * 24 * 4 } }]);
  expect(basename(path)).toBe('receipts.csv');
  expect((await stat(dirname(path))).mode & 0o077).toBe(0);
  expect(dirname(await drag.pathFor('receipts.csv'))).not.toBe(dirname(path));
});

test('the first drag removes files of an earlier run, and none of this run', async () => {
  const old = join(folder, 'dragged', 'file-old');
  await mkdir(old, { recursive: true });
  const drag = make(electron);
  const first = await drag.pathFor('a.png');
  await writeFile(first, 'a');
  await drag.pathFor('b.png');
  await expect(stat(old)).rejects.toThrow('ENOENT');
  expect((await stat(first)).isFile()).toBe(true);
});

test('a missing file, a folder and a link are rejected', async () => {
  const drag = make(electron);
  const [file, link] = [join(folder, 'file.csv'), join(folder, 'link.csv')];
  await writeFile(file, 'a');
  await symlink(file, link);
  for (const path of [join(folder, 'gone.csv'), folder, link])
    await expect(drag.start(path)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(dragged).toEqual([]);
});

test('reports a runtime without support', async () => {
  for (const contents of [null, {}]) {
    const drag = make(contents);
    expect(drag.isThere()).toBe(false);
    await expect(drag.start(folder)).rejects.toThrow('Save the file instead');
  }
  expect(make(electron).isThere()).toBe(true);
});
