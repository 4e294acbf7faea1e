/** Numbers, nouns and times of the command line, as text for users and as values for the service. */
import { expect, test } from 'vitest';
import { counted, nameList, numberText, readable } from '../../electron/cli/human-text.ts';
import { didYouMean } from '../../electron/cli/suggestions.ts';
import { plainTimeText } from '../../electron/cli/time-range.ts';

test.each([
  [counted(1, 'batch', 'batches'), '1 batch'],
  [counted(2_000, 'batch', 'batches'), '2,000 batches'],
  [counted(0, 'row'), '0 rows'],
  [numberText(12_345_678), '12,345,678'],
])('%s is %s', (text, expected) => {
  expect(text).toBe(expected);
});

test('counts of a row have thousands separators, texts and unknown values stay', () => {
  expect(readable({ rows: 10_000, id: '10000', left: null })).toEqual({
    rows: '10,000',
    id: '10000',
    left: null,
  });
});

test.each([
  ['2026-05-01T00:00:00Z', '2026-05-01 00:00:00'],
  ['2026-05-01T02:00:00.5+02:00', '2026-05-01 00:00:00'],
  ['2026-05-01 00:00:00', '2026-05-01 00:00:00'],
])('%s is sent as %s if the service takes no other form', (text, expected) => {
  expect(plainTimeText(text)).toBe(expected);
});

test('suggests only similar words', () => {
  expect(didYouMean('resme', ['resume', 'stop', 'forget'])).toBe(' Did you mean resume?');
  expect(didYouMean('xyzzyxyzzy', ['resume'])).toBe('');
  expect(didYouMean('', ['a'])).toBe('');
});

test('names in a sentence are cut, and counted if there are many', () => {
  expect(nameList(['Age', 'Gender'])).toBe('Age, Gender');
  expect(nameList(['['.repeat(100_000)])).toBe(`${'['.repeat(59)}…`);
  const many = nameList(Array.from({ length: 3_021 }, (_, index) => `c${index}`));
  expect(many).toMatch(/^c0, c1, .*, c19 and 3,001 more$/);
});
