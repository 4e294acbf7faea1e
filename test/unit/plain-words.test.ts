/** Texts of the window and the command line are plain English, and phrasing that was corrected does not return. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Inverted, poetic or literal phrasing, each with a replacement. */
const ODD: readonly (readonly [RegExp, string])[] = [
  [/\bto go on\b/, 'to continue'],
  [/\bis no (?:file|list|text|pack|receipt|address|whole number)\b/, 'is not a …'],
  [/\b(?:none|blank one) came\b|\d came\b/, 'got none'],
  [/\bcame of it\b/, 'its result'],
  [/\bthe making of\b/i, 'creating'],
  [/\bmade anew\b/, 'built again'],
  [/\blet go\b/, 'removed'],
  [/\bnetwork (?:is )?cut\b/, 'without the network'],
  [/\bwhat left\b/i, 'removed'],
  [/\bnull words\b/, 'values read as empty'],
  [/\bof that name now\b/, 'with that name'],
  [/\basked of the service\b/, 'requested from the service'],
  [/\b(?:one|record|id) a line\b/, 'one per line'],
  [/\bsays\.$/, 'as set in …'],
  [/\bnot there any more\b/, 'no longer exists'],
  [/\b(?:that|which) (?:is|are) there\b/, 'existing'],
  [/\b[Ww]hat is given\b/, 'name it'],
  [/\b(?:is|are) through\b/, 'is done'],
  [/\bfilled last\b/, 'last filled'],
  [/\brow before\b/, 'earlier row'],
  [/\blast act\b/, 'last action'],
  [/\bas (?:it stands|they stand)\b/, 'unchanged'],
  [/\bpleas(?:e|ed)\b|\boops\b|\bsuccessfully\b/i, 'nothing'],
];

/** Returns the source without comments, which only programmers read. */
const visibleOf = (source: string): string[] =>
  source
    .replaceAll(/\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->/g, '')
    .split('\n')
    .map((line) => line.replace(/(^|\s)(?:\/\/|-- ).*$/, ''));

const oddIn = (source: string): string[] =>
  visibleOf(source).flatMap((line) =>
    ODD.filter(([odd]) => odd.test(line)).map(([, plain]) => `${line.trim()} (write: ${plain})`),
  );

test('no text of window or command line has phrasing that was corrected', () => {
  const files = ['electron', 'renderer']
    .flatMap((folder) => readdirSync(join(root, folder), { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile() && /\.(?:ts|svelte)$/.test(entry.name))
    // The sample conversations are excluded, as they contain the words of invented people.
    .filter((entry) => !entry.parentPath.includes('sample-service'));
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return oddIn(readFileSync(path, 'utf8')).map((line) => `${path.slice(root.length + 1)}: ${line}`);
  });
  expect(found).toEqual([]);
});

test('odd phrasing is detected in a text, not in a comment', () => {
  expect(oddIn("const a = 'Type the name to go on.';")).toHaveLength(1);
  expect(oddIn('/** Where to go on. */\n// to go on')).toEqual([]);
});
