/** Narrowing against what is known to be right: native expressions where both grammars agree, substrings else. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold } from '../../electron/shared/fold.ts';
import { createMatcher, shownTextOf } from '../../electron/shared/narrowing.ts';
import { narrowedRows } from '../../renderer/lib/row-order.ts';
import { runs } from '../helpers/runs.ts';

const LETTERS = ['a', 'b', 'A', 'é', 'É', '0', '_', '.', ' ', '\n', '💡'] as const;
const text = fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 12 });
const rows = fc.array(
  fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.oneof(text, fc.integer(), fc.boolean())),
  {
    maxLength: 8,
  },
);
/** Expressions without what either grammar has alone, and without what native ones take for ever on. */
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
    // What is longer may repeat so much that it is refused.
    .filter((source) => source.length <= 60),
}));

test('an expression finds what a native one finds, with the same flags', () => {
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

test('a text finds what holds it, without regard to case', () => {
  fc.assert(
    fc.property(text, text, text, (before, part, after) => {
      fc.pre(!/^\/.+\/[a-z]*$/s.test(part));
      expect(createMatcher(part)(`${before}${part.toUpperCase()}${after}`)).toBe(true);
      expect(createMatcher(part)(before)).toBe(fold(before).includes(fold(part)));
    }),
  );
});

test('rows at hand are left as stored ones are: by the text a person sees of each', () => {
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
        expect([...narrowedRows(all, typed)].at(-1) ?? []).toEqual(stored);
      },
    ),
  );
});
