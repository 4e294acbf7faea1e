/** A name in a comment, such as `readRows`, is that of something in the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const COMMENT = /\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|(?<!:)\/\/[^\n]*/g;
const NAME = /`#?([a-z]+[A-Z]\w*)(?:\(\))?`/g;

interface Source {
  readonly file: string;
  readonly comments: readonly string[];
  readonly code: string;
}

function sourceOf(file: string, text: string): Source {
  return { file, comments: text.match(COMMENT) ?? [], code: text.replaceAll(COMMENT, '') };
}

/** The names in comments that no code has, with their files. */
function unknownNames(sources: readonly Source[]): string[] {
  const known = new Set(sources.flatMap(({ code }) => code.match(/\w+/g) ?? []));
  return sources.flatMap(({ file, comments }) =>
    comments
      .flatMap((comment) => [...comment.matchAll(NAME)].map(([, name = '']) => name))
      .filter((name) => !known.has(name))
      .map((name) => `${file}: ${name}`),
  );
}

test('every name in a comment occurs in the code', () => {
  const sources = ['electron', 'renderer', 'build', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.(?:ts|mjs|js|svelte|css)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes('node_modules') && path !== import.meta.filename)
      .map((path) => sourceOf(relative(root, path), readFileSync(path, 'utf8'))),
  );
  expect(sources.length).toBeGreaterThan(1_000);
  expect(unknownNames(sources)).toEqual([]);
});

test('a name that only comments have is reported', () => {
  const text =
    '/** `first` is read by `readFirst`, never by `readAll()`. */\nconst readFirst = (first) => first;';
  expect(unknownNames([sourceOf('a.ts', text)])).toEqual(['a.ts: readAll']);
});
