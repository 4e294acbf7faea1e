/** Delimited text: the fast path for plain cells writes the same as the rules for all cells. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { delimitedLine, withFormula, withoutFormula } from '../../electron/shared/delimited.ts';

const part = fc.constantFrom(
  ...['a', 'Z', '7', '.', '-', '+', '=', '@', "'", '"', ' ', ',', ';', '\t', '\r', '\n', '\u00a0', 'é'],
  ...['1e5', '\uff1d', '\u200b', '\ufeff', '\u2028', '😀', '\ud83d'],
);
const cell = fc.oneof(
  fc.array(part, { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const delimiter = fc.constantFrom(',', ';', '\t', '|', 'a', '-');

test('a cell is quoted for a delimiter, quotes, line ends, blanks at its ends, and if it is all of an empty line', () => {
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 4 }), delimiter, fc.boolean(), (cells, between, isExact) => {
      const written = cells.map((text) => {
        const safe = isExact ? text : withoutFormula(text);
        const isQuoted = safe.includes(between) || /["\r\n]/.test(safe) || safe.trim() !== safe;
        return isQuoted ? `"${safe.replaceAll('"', '""')}"` : safe;
      });
      // A line without any character would be skipped as blank.
      const line = cells.length === 1 && cells[0] === '' ? '""' : written.join(between);
      expect(delimitedLine(cells, { delimiter: between, isExact })).toBe(`${line}\n`);
      if (!isExact) expect(cells.map((text) => withFormula(withoutFormula(text)))).toEqual(cells);
    }),
    { numRuns: 2_000 },
  );
});
