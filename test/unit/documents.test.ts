/** Documents of the project: links lead to existing files, and cited paths and names exist. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { wordingProblems } from '../../build/wording.ts';
import { parseArguments } from '../../electron/cli/arguments.ts';
import { COMMANDS } from '../../electron/cli/command-specs.ts';
import { helpText } from '../../electron/cli/help.ts';
import { DOCUMENT_PARTS, withPart } from '../coverage/documents.ts';

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

/** Returns the links of a document to files or headings that do not exist. */
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

const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => existsSync(join(root, path)));
const ENDS = new Set(
  FILES.flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(at).join('/'))),
);

/** Returns the folders and source files that a text names but that do not exist. `*` stands for any characters. */
function missingPaths(text: string): string[] {
  const folders = [...text.matchAll(/`((?:electron|renderer|build|test|docs)\/[\w./*-]+)`/g)].map(
    ([, path = '']) => path,
  );
  const sources = text.match(/(?<![\w./*-])[\w-][\w./-]*\.(?:ts|mts|mjs|svelte|md)(?![\w/-])/g) ?? [];
  return [
    ...folders.filter((path) => !path.includes('*') && !existsSync(join(root, path))),
    ...sources.filter((path) => !ENDS.has(path)),
  ];
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
  expect(missingPaths('`electron/db/` and `electron/gone/`, jobs/ledger.ts, jobs/gone.ts')).toEqual([
    'electron/gone/',
    'jobs/gone.ts',
  ]);
});

/** Returns the rows of the glossary in docs/ARCHITECTURE.md. */
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

test.each(DOCUMENT_PARTS.map((part) => [part.name, part] as const))(
  'the part %s of its document is current',
  (_, part) => {
    // If the document is outdated, run: node test/coverage/write.ts --write
    const document = read(part.file);
    expect(document).toBe(withPart(document, part));
  },
);

/**
 * Names in the window that a text writes in italics, starting at a capital letter and without the dots of a title that
 * opens a dialog.
 */
function termsOf(text: string): string[] {
  const terms = proseOf(text).matchAll(/(?<![*\w])([*_])(?!\1)([A-Z][^*_]+?)\1(?![\w*])/g);
  return [...terms].map(([, , term = '']) => term.replaceAll(/\s+/g, ' ').replace(/…$/, ''));
}

test('names of the window in the guide and the README occur in the window', () => {
  const window = ['electron', 'renderer']
    .flatMap((folder) => readdirSync(join(root, folder), { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile() && /\.(ts|svelte)$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
  const pages = DOCUMENTS.filter((path) => path === 'README.md' || path.startsWith('docs/guide/'));
  const terms = pages.flatMap((path) => termsOf(read(path)).map((term) => ({ path, term })));
  expect(terms.length).toBeGreaterThan(30);
  // If a name in the window was changed, use the new name in the guide as well.
  expect(terms.filter(({ term }) => !window.includes(term))).toEqual([]);
});

test('names of the window are read across lines, and bold text is none', () => {
  expect(termsOf('**Bold.** *Set app\nlock…* and *not this*')).toEqual(['Set app lock']);
  expect(termsOf('__Bold.__ _Save as…_, a_Name_of and _not this_')).toEqual(['Save as']);
});

test('the README has at most 10 KB and links every page of the guide', () => {
  const text = read('README.md');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10_240);
  const guide = read('docs/guide/README.md');
  const pages = DOCUMENTS.filter((path) => path.startsWith('docs/guide/') && !path.endsWith('/README.md'));
  expect(pages.filter((path) => !guide.includes(`(${path.slice('docs/guide/'.length)})`))).toEqual([]);
  expect(pages.filter((path) => !text.includes(`(${path}`))).toEqual([]);
});

test('flags cited in the guide occur in the help of the command line', () => {
  const help = COMMANDS.map(({ name }) => helpText(name)).join('\n');
  const known = new Set(help.match(/--[a-z-]+/g));
  const cited = DOCUMENTS.filter((path) => path.startsWith('docs/guide/')).flatMap((path) =>
    (
      read(path)
        .replaceAll(/<!--.*?-->/g, '')
        .match(/--[a-z][a-z-]+/g) ?? []
    ).map((flag) => ({ path, flag })),
  );
  expect(cited.length).toBeGreaterThan(30);
  expect(cited.filter(({ flag }) => !known.has(flag))).toEqual([]);
});

test('commands in the code of the guide and the README can be typed', () => {
  const pages = DOCUMENTS.filter((path) => path === 'README.md' || path.startsWith('docs/guide/'));
  const typed = pages.flatMap((path) => {
    const lines = read(path)
      .replaceAll(/\\\n\s*/g, '')
      .matchAll(/^\s*(?:spandeck|npm run cli --) (.*)$/gm);
    return [...lines].map(([, line = '']) => line.replace(/\s+#.*$| \|.*$/, ''));
  });
  expect(typed.length).toBeGreaterThan(5);
  for (const line of typed) {
    const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)];
    expect(() =>
      parseArguments(words.map(([, one, other, bare]) => one ?? other ?? bare ?? '')),
    ).not.toThrow();
  }
});

test('the rooms of ARCHITECTURE.md are the folders of electron', () => {
  const tree = /^```\nelectron\/ [\s\S]*?^```$/m.exec(read('docs/ARCHITECTURE.md'))?.[0] ?? '';
  const listed = [...tree.matchAll(/^ {2}([\w-]+)\/ /gm)].map(([, name = '']) => name);
  const cli = /\bcli\/ /.test(tree) ? ['cli'] : [];
  const folders = readdirSync(join(root, 'electron'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect([...listed, ...cli].sort()).toEqual(folders.sort());
});

test('documents are in plain words; the page on style cites the others', () => {
  const pages = DOCUMENTS.filter((path) => path !== 'docs/style.md');
  expect(pages.flatMap((path) => wordingProblems(path, read(path)))).toEqual([]);
});
