import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPartFiles } from '../../electron/platform/part-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandeck-parts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a file stands in its place only once it is whole; until then the one before does', async () => {
  const path = join(folder, 'chart.png');
  writeFileSync(path, 'before');
  const files = createPartFiles();
  await files.begin('a', path);
  await files.add('a', new Uint8Array([1, 2]));
  expect(readFileSync(path, 'utf8')).toBe('before');
  await files.add('a', new Uint8Array([3]));
  expect(await files.end('a')).toBe(path);
  expect([...readFileSync(path)]).toEqual([1, 2, 3]);
  expect(existsSync(`${path}.part`)).toBe(false);
});

test('what was begun and not ended goes when the next begins; bytes of it are refused', async () => {
  const files = createPartFiles();
  await files.begin('a', join(folder, 'a.csv'));
  await files.begin('b', join(folder, 'b.csv'));
  expect(existsSync(join(folder, 'a.csv.part'))).toBe(false);
  await expect(files.add('a', new Uint8Array([1]))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(files.end('c')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a place that cannot be written to is said at once', async () => {
  const files = createPartFiles();
  await expect(files.begin('a', join(folder, 'gone', 'a.csv'))).rejects.toThrow('ENOENT');
});
