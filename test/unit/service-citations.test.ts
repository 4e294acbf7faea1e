/**
 * Comments cite sections of electron/api/SERVICE.md, e.g. `SERVICE.md S4.9 rule 4, F3.1`, and each cited section
 * exists.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

import { ENDPOINTS } from '../../electron/api/endpoints.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'electron/api/SERVICE.md'), 'utf8');

const SECTION = String.raw`[SF]\d+(?:\.\d+)?(?: rule \d+| no\. \d+)?`;
/** Matches the sections after the name of the page, even if the comment continues on the next line. */
const CITATION = new RegExp(String.raw`SERVICE\.md((?:(?:[\s*/,;]|\band\b|\bto\b)+${SECTION})+)`, 'g');

function sectionsOf(text: string): Map<string, string> {
  const parts = text.split(/^#{2,3} ([SF]\d+(?:\.\d+)?) .+$/m);
  const sections = new Map<string, string>();
  for (let at = 1; at < parts.length; at += 2) sections.set(parts[at] ?? '', parts[at + 1] ?? '');
  return sections;
}

function citedIn(text: string): string[] {
  return [...text.matchAll(CITATION)].flatMap(([, list = '']) => list.match(new RegExp(SECTION, 'g')) ?? []);
}

const sections = sectionsOf(page);

function isThere(cited: string): boolean {
  const [name = '', , number] = cited.split(' ');
  const body = sections.get(name);
  if (body === undefined) return false;
  // The cited number is that of an item in a numbered list, or of a row in a table.
  return number === undefined || new RegExp(String.raw`^(?:${number}\.|\| ${number} \|) `, 'm').test(body);
}

interface Source {
  file: string;
  text: string;
}

function sources(): Source[] {
  return ['electron', 'renderer', 'build', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.(?:ts|mjs|js|svelte|css)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes('node_modules') && path !== import.meta.filename)
      .map((path) => ({ file: relative(root, path), text: readFileSync(path, 'utf8') })),
  );
}

describe('citations of SERVICE.md', () => {
  const cited = sources().flatMap(({ file, text }) => citedIn(text).map((section) => ({ file, section })));

  test('are found', () => {
    expect(cited.length).toBeGreaterThan(100);
  });

  test('name an existing section, rule or number', () => {
    expect(cited.filter(({ section }) => !isThere(section))).toEqual([]);
  });

  test.each([
    ['(SERVICE.md S4.9, F3.4 and F3.6)', ['S4.9', 'F3.4', 'F3.6']],
    [' * as SERVICE.md\n * S5 rule 3; the rest', ['S5 rule 3']],
    ['SERVICE.md F12 no. 8', ['F12 no. 8']],
    ['SERVICE.md says more', []],
  ])('%j cites %j', (text, expected) => {
    expect(citedIn(text)).toEqual(expected);
  });

  test.each(['S4.99', 'F77', 'S8 rule 9', 'F12 no. 99'])('%s is not there', (made) => {
    expect(isThere(made)).toBe(false);
  });
});

test('the sections of each operation exist', () => {
  const missing = Object.entries(ENDPOINTS).filter(
    ([, row]) => !row.section.split(', ').every((section) => isThere(section)),
  );
  expect(missing).toEqual([]);
});

test('nothing cites a document that is not in the repository', () => {
  const gone = /\b(?:INTERFACE|API_FACTS)(?:\.md|,? (?:section )?\d)/;
  expect(
    sources()
      .filter(({ text }) => gone.test(text))
      .map(({ file }) => file),
  ).toEqual([]);
});
