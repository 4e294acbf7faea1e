/** The words of the README refer to code: each name in the last column of "Words" occurs in it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The names in back quotes in the last column, without folders and files. */
function namesOf(readme: string): string[] {
  const words = /^## Words\n([\s\S]*?)^## /m.exec(readme)?.[1] ?? '';
  const rows = words.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| word '));
  const cells = rows.map((row) => row.split(' | ').at(-1) ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([A-Za-z_]+)`/g)].map(([, name = '']) => name));
}

const code = ['electron', 'test/unit']
  .flatMap((folder) => readdirSync(join(root, folder), { withFileTypes: true, recursive: true }))
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  .join('\n');

const isInCode = (name: string) => new RegExp(String.raw`\b${name}\b`).test(code);

test('every name of the glossary occurs in the code', () => {
  const names = namesOf(readFileSync(join(root, 'README.md'), 'utf8'));
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !isInCode(name))).toEqual([]);
});

test('a removed name is detected', () => {
  const readme = '## Words\n\n| word | meaning | in the code |\n| x | y | `Gone`, `folder/` |\n\n## Rules\n';
  expect(namesOf(readme)).toEqual(['Gone']);
  expect(isInCode(['Never', 'Written', 'Anywhere'].join(''))).toBe(false);
});
