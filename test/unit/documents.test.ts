/** The documents of the project: their links lead to files, and the paths and names that they cite exist. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const DOCUMENTS = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));

const CODE_BLOCK = /^```[\s\S]*?^```$/gm;
const proseOf = (text: string) => text.replaceAll(CODE_BLOCK, '');

/** The anchor of a heading, as GitHub derives it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (text: string) =>
  new Set([...proseOf(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));

/** Links of one document to other files or headings that do not exist. */
function brokenLinks(path: string, text: string): string[] {
  const targets = [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [file = '', anchor] = target.split('#');
    const linked = file === '' ? path : normalize(join(dirname(path), file));
    if (!existsSync(join(root, linked))) return true;
    return anchor !== undefined && !anchorsOf(file === '' ? text : read(linked)).has(anchor);
  });
}

/** Paths of the repository in back quotes; `*` stands for any characters of a name. */
function missingPaths(text: string): string[] {
  const cited = [...proseOf(text).matchAll(/`((?:electron|renderer|build|test|docs)\/[\w./*-]+)`/g)];
  return cited
    .map(([, path = '']) => path)
    .filter((path) => !path.includes('*') && !existsSync(join(root, path)));
}

test('links between documents lead to files and headings', () => {
  expect(DOCUMENTS.length).toBeGreaterThan(10);
  expect(
    DOCUMENTS.flatMap((path) => brokenLinks(path, read(path)).map((target) => `${path}: ${target}`)),
  ).toEqual([]);
});

test('paths cited in documents exist', () => {
  expect(DOCUMENTS.flatMap((path) => missingPaths(read(path)).map((cited) => `${path}: ${cited}`))).toEqual(
    [],
  );
});

test('broken links, anchors and paths are detected', () => {
  expect(
    brokenLinks('docs/style.md', '# One, two\n[a](#one-two) [b](#one) [c](../README.md) [d](gone.md)'),
  ).toEqual(['#one', 'gone.md']);
  expect(missingPaths('`electron/main.ts` and `electron/gone.ts`')).toEqual(['electron/gone.ts']);
});

/** The rows of the glossary in docs/ARCHITECTURE.md. */
function glossaryRows(text: string): string[] {
  const words = /^## Glossary\n([\s\S]*?)^## /m.exec(text)?.[1] ?? '';
  return words.split('\n').filter((line) => /^\| (?!word )/.test(line));
}

/** Identifiers in back quotes, without folders and files. */
const namesOf = (text: string) =>
  [...text.matchAll(/`([A-Z]\w+|[a-z]+[A-Z]\w+)`/g)].map(([, name = '']) => name);

const code = readdirSync(join(root, 'electron'), { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  .join('\n');

const isInCode = (name: string) => new RegExp(String.raw`\b${name}\b`).test(code);

test('the identifiers in ARCHITECTURE.md occur in the code, and its glossary has at most twenty words', () => {
  const text = read('docs/ARCHITECTURE.md');
  expect(glossaryRows(text).length).toBeGreaterThan(10);
  expect(glossaryRows(text).length).toBeLessThanOrEqual(20);
  const names = namesOf(proseOf(text));
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !isInCode(name))).toEqual([]);
});

test('a removed identifier is detected', () => {
  expect(namesOf('`Gone`, `folder/`, `isGone`, `word`')).toEqual(['Gone', 'isGone']);
  expect(isInCode(['Never', 'Written', 'Anywhere'].join(''))).toBe(false);
});

test('every decision is listed under its title and date', () => {
  const index = read('docs/decisions/README.md');
  const records = readdirSync(join(root, 'docs/decisions')).filter((file) => /^\d{4}-/.test(file));
  const missing = records.filter((file) => {
    const [, number, title, date] =
      /^# (\d+)\. (.+)\n\n(\d{4}-\d{2}-\d{2})\n\n\*\*Decision\.\*\* /.exec(read(`docs/decisions/${file}`)) ??
      [];
    return !index.includes(`| [${number}](${file}) | ${date} | ${title} |`);
  });
  expect(missing).toEqual([]);
  expect(new Set(records.map((file) => file.slice(0, 4))).size).toBe(records.length);
});
