/** Files of the user: written files are complete, and no existing file is lost. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeInPlace, writeWhole } from '../../electron/uploads/whole-file-writer.ts';
import { DataFolder } from '../helpers/data-folder.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

test("a person's file with the name of a partial file stays, and nothing else is left beside the file", async () => {
  writeFileSync(folder.file('out.csv.part'), 'own');
  await writeWhole(folder.file('out.csv'), ['a\n', 'b\n']);
  async function* torn() {
    yield* ['half'];
    await Promise.reject(new Error('torn'));
  }
  await expect(writeWhole(folder.file('out.csv'), torn())).rejects.toThrow('torn');
  expect(readFileSync(folder.file('out.csv.part'), 'utf8')).toBe('own');
  expect(readFileSync(folder.file('out.csv'), 'utf8')).toBe('a\nb\n');
  expect(readdirSync(folder.path).sort()).toEqual(['out.csv', 'out.csv.part']);
});

test('links are followed, also to a missing file; a replaced file keeps its mode', async () => {
  writeFileSync(folder.file('target'), 'old');
  chmodSync(folder.file('target'), 0o640);
  symlinkSync('target', folder.file('link'));
  symlinkSync('link', folder.file('second'));
  await writeWhole(folder.file('second'), ['new']);
  expect(readFileSync(folder.file('target'), 'utf8')).toBe('new');
  expect(statSync(folder.file('target')).mode & 0o777).toBe(0o640);
  expect(lstatSync(folder.file('second')).isSymbolicLink()).toBe(true);
  symlinkSync('later', folder.file('dangling'));
  await writeWhole(folder.file('dangling'), ['x']);
  expect(readFileSync(folder.file('later'), 'utf8')).toBe('x');
  symlinkSync('loop', folder.file('loop'));
  await expect(writeWhole(folder.file('loop'), ['x'])).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
});

test.skipIf(process.platform !== 'linux')(
  'a mount that refuses to set a mode keeps no file from being written',
  async () => {
    writeFileSync(folder.file('out.csv'), 'old');
    chmodSync(folder.file('out.csv'), 0o640);
    // Nobody can change the mode of this file.
    await writeInPlace(folder.file('out.csv'), (part) => symlink('/proc/self/cmdline', part));
    expect(readFileSync(folder.file('out.csv'), 'utf8')).toBe(readFileSync('/proc/self/cmdline', 'utf8'));
    await expect(writeInPlace(folder.file('out.csv'), async () => undefined)).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
    });
  },
);

test.skipIf(process.platform === 'win32')('a pipe is written to as it is', async () => {
  await promisify(execFile)('mkfifo', [folder.file('pipe')]);
  const [text] = await Promise.all([
    readFile(folder.file('pipe'), 'utf8'),
    writeWhole(folder.file('pipe'), ['through']),
  ]);
  expect(text).toBe('through');
  expect(lstatSync(folder.file('pipe')).isFIFO()).toBe(true);
});

test.skipIf(process.platform !== 'linux')('a device that is full says so, also by a link to it', async () => {
  symlinkSync('/dev/full', folder.file('full'));
  for (const path of ['/dev/full', folder.file('full')])
    for (const content of [['text'], Buffer.from('text')])
      await expect(writeWhole(path, content)).rejects.toMatchObject({ code: 'DISK_FULL' });
  await writeWhole('/dev/null', ['text']);
  expect(lstatSync('/dev/full').isCharacterDevice()).toBe(true);
});
