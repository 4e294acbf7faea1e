/** While the last step of an export replaces the files, the manifest always matches the rows beside it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { partOf, publish, removeParts } from '../../electron/export/files.ts';
import { DataFolder } from '../helpers/data-folder.ts';

/** Called after each renaming; throws as if the process were killed there. */
let onRenamed: () => void = () => undefined;
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    rename: async (from: string, to: string) => {
      await real.rename(from, to);
      onRenamed();
    },
  };
});

const ID = '7f1f2a38-9f7e-4c6e-8f0a-2f4f0a2b9c11';
const RUN = '0a1b2c3d-9f7e-4c6e-8f0a-2f4f0a2b9c11';
let folder: DataFolder;
let file: string;

beforeEach(() => {
  folder = new DataFolder();
  mkdirSync(folder.path, { recursive: true });
  file = join(folder.path, 'spans.csv');
});
afterEach(() => {
  onRenamed = () => undefined;
  folder[Symbol.dispose]();
});

const text = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null);
const state = () => [text(file), text(`${file}.manifest.json`)];

async function write(rows: string): Promise<void> {
  writeFileSync(partOf(file, ID, RUN), rows);
  try {
    await publish(partOf(file, ID, RUN), file, { id: ID, run: RUN }, `of ${rows}`);
  } finally {
    await removeParts(file, ID);
  }
}

test('a kill at any moment leaves no rows beside the manifest of others', async () => {
  await write('old');
  const seen: (string | null)[][] = [];
  onRenamed = () => seen.push(state());
  await write('new');
  expect(seen).toEqual([
    ['old', null],
    ['new', null],
    ['new', 'of new'],
  ]);
  expect(readdirSync(folder.path).toSorted()).toEqual(['spans.csv', 'spans.csv.manifest.json']);
});

test('rows that cannot be replaced keep their manifest', async () => {
  await write('old');
  await expect(
    publish(join(folder.path, 'missing'), file, { id: ID, run: RUN }, 'of new'),
  ).rejects.toMatchObject({
    code: 'ENOENT',
  });
  expect(state()).toEqual(['old', 'of old']);
});

test('a folder with the name of the manifest is left alone, and nothing is replaced', async () => {
  writeFileSync(file, 'old');
  mkdirSync(`${file}.manifest.json`);
  writeFileSync(join(`${file}.manifest.json`, 'thesis.docx'), 'x');
  await expect(write('new')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  expect(text(file)).toBe('old');
  expect(readdirSync(`${file}.manifest.json`)).toEqual(['thesis.docx']);
});
