/**
 * Filtering compared with a reference: a native regular expression if both grammars agree, otherwise a substring
 * search.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold } from '../../electron/shared/fold.ts';
import { createMatcher, shownTextOf } from '../../electron/shared/text-filter.ts';
import { filteredRows } from '../../renderer/lib/row-order.ts';
import { runs } from '../helpers/runs.ts';

const LETTERS = ['a', 'b', 'A', 'é', 'É', '0', '_', '.', ' ', '\n', '💡'] as const;
const text = fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 12 });
const rows = fc.array(
  fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.oneof(text, fc.integer(), fc.boolean())),
  {
    maxLength: 8,
  },
);
/** Expressions without features that only one grammar has, and without those that take native engines forever. */
const { expression } = fc.letrec<{ expression: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      'a',
      'b',
      'A',
      'é',
      '0',
      '_',
      '\\.',
      '.',
      '\\d',
      '[ab]',
      '[^a]',
      '[A-Z]',
      '💡',
      '^',
      '$',
      '\\n',
    ),
    tie('expression').map((inner) => `(?:${inner})`),
  ),
  expression: fc
    .array(fc.tuple(tie('atom'), fc.constantFrom('', '', '', '?', '{0,2}', '|')), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) =>
      parts.map(([atom, after]) => `${atom === '^' || atom === '$' ? `(?:${atom})` : atom}${after}`).join(''),
    )
    // A longer expression may have so many repetitions that it is rejected.
    .filter((source) => source.length <= 60),
}));

test('an expression matches the values that a native one matches, with the same flags', () => {
  fc.assert(
    fc.property(expression, fc.subarray(['i', 'm', 's']), text, (source, flags, value) => {
      const native = new RegExp(source, `${flags.join('')}u`);
      expect(createMatcher(`/${source}/${flags.join('')}`)(value), `${source} ${flags.join('')}`).toBe(
        native.test(value),
      );
    }),
    { numRuns: runs(2_000) },
  );
});

test('a text matches the values that contain it, ignoring case', () => {
  fc.assert(
    fc.property(text, text, text, (before, part, after) => {
      fc.pre(!/^\/.+\/[a-z]*$/s.test(part));
      expect(createMatcher(part)(`${before}${part.toUpperCase()}${after}`)).toBe(true);
      expect(createMatcher(part)(before)).toBe(fold(before).includes(fold(part)));
    }),
  );
});

test('loaded rows are filtered like stored ones: by the shown text of each', () => {
  fc.assert(
    fc.property(
      rows,
      fc.oneof(
        text,
        expression.map((source) => `/${source}/`),
      ),
      (all, typed) => {
        const matches = createMatcher(typed);
        const stored = all.filter((row) => matches(shownTextOf(row)));
        expect([...filteredRows(all, typed)].at(-1) ?? []).toEqual(stored);
      },
    ),
  );
});
