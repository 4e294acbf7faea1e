import { expect, test } from 'vitest';
import { wordingProblems } from '../../build/wording.ts';

const found = (...lines: string[]) =>
  wordingProblems('x.ts', lines.join('\n')).map((problem) => problem.replace(/; instead: .*/, ''));

test.each([
  ['/** What was dropped goes, a little at a time. */', 'What'],
  ['/** Those that were sent stay. */', 'Those that'],
  ['  // Whoever asks first waits.', 'Whoever'],
  ['<!-- Where the rows are few, they are shown. -->', 'Where t'],
  ['const x = 1; // Where it ends, null.', 'Where i'],
])('refuses a relative clause at the start of the comment %s', (line, text) => {
  expect(found(line)).toEqual([`x.ts:1: “${text}”`]);
});

test.each([
  ['/** The upload goes on after a start. */', 'goes on'],
  [' * The service is told afterwards, and the outcome is taken back.', 'is told', 'taken back'],
  ["test('rows that cannot be told apart are asked for', () => {", 'told apart'],
  ["test.skip('a job set aside returns', () => {", 'set aside'],
])('refuses the phrases in %s', (line, ...texts) => {
  expect(found(line)).toEqual(texts.map((text) => `x.ts:1: “${text}”`));
});

test.each([
  ['const MOST_ROWS = 200;', 'MOST_R'],
  ['const ROWS_MOST = 200;', 'ROWS_MOST'],
  ['if (at < LEAST_SHARE) return;', 'LEAST_S'],
  ['while (this.goesOn) await work();', 'goesOn'],
  ['const found = findTwins(spans);', 'findTwins'],
  ['import { Departure } from "./x.ts";', 'Departure'],
])('refuses the names in %s', (line, text) => {
  expect(found(line)).toEqual([`x.ts:1: “${text}”`]);
});

test.each([
  '/** Whole files, without rows. */',
  '/** Start of the next range; null at the end. */',
  '// Nothing is sent before this time.',
  "const ALIASES = { '--twins': '--near-duplicates' };",
  'const MAX_ROWS = 200;',
  'interface LimitWindow { seconds: number }',
  'const text = "The first command told us nothing.";',
  '/** Sends the rest, then ends. See what was sent in the log. */',
])('accepts %s', (line) => {
  expect(found(line)).toEqual([]);
});

test('a line that continues a comment may start with any word', () => {
  expect(found('// The sender keeps the order:', '// What arrives first is stored first.')).toEqual([]);
  expect(
    found('/**', ' * Sends the rows in the order in which they arrive:', ' * those that wait last.', ' */'),
  ).toEqual([]);
});

test('refuses a relative clause at the start of a comment of several lines', () => {
  expect(found('/**', ' * What was read is stored.', ' */')).toEqual(['x.ts:2: “What”']);
});

test('names the file, the line and the word to use instead', () => {
  expect(wordingProblems('electron/a.ts', 'const a = 1;\nseize(a);')).toEqual([
    'electron/a.ts:2: “seize”; instead: takeOver',
  ]);
});

test('refuses phrases in the prose of a document, and none in its code', () => {
  const document = ['The job goes on.', '```', 'goes on', '```', '- It is told.'];
  expect(wordingProblems('x.md', document.join('\n')).map((problem) => problem.replace(/; .*/, ''))).toEqual([
    'x.md:1: “goes on”',
    'x.md:5: “is told”',
  ]);
});
