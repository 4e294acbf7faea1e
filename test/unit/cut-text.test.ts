/** Shortened texts: no visible character is split, whoever shortens a text. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutFields } from '../../electron/core/items/cut-item.ts';
import { createCheck } from '../../electron/core/items/score-check.ts';
import { cutStart, cutText } from '../../electron/shared/cut-text.ts';
import { freeRunName } from '../../electron/shared/score-names.ts';
import { cut } from '../../electron/shared/value-ledger.ts';
import { excerptOf } from '../../electron/uploads/readers/row-source.ts';
import { formatJsonLine } from '../../renderer/lib/format.ts';
import { shortValue } from '../../renderer/lib/item-fields.ts';
import { sourceFiles, textOf } from '../helpers/module-graph.ts';

const FAMILY = '👩‍👩‍👧‍👦';

test('a shortened text is short enough, and begins with whole characters', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.integer({ min: 1, max: 40 }),
      (text, most) => {
        const short = cutText(text, most);
        expect(short.length).toBeLessThanOrEqual(Math.max(most, 1));
        expect(short.isWellFormed()).toBe(true);
        expect(text.startsWith(short.replace(/…$/, ''))).toBe(true);
        if (text.length <= most) expect(short).toBe(text);
      },
    ),
  );
});

test('a text without its beginning keeps whole characters, and what follows them', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.integer({ min: -2, max: 70 }),
      (text, from) => {
        const short = cutStart(text, from);
        expect(short.isWellFormed()).toBe(true);
        expect(text.endsWith(short.replace(/^…/, ''))).toBe(true);
        if (from < text.length) expect(short).toContain(text.slice(Math.max(0, from)));
      },
    ),
  );
  expect(cutStart(`x${FAMILY}y`, 4)).toBe(`…${FAMILY}y`);
  expect(cutStart('abc', 0)).toBe('abc');
});

test('every place that shortens a text keeps an emoji whole', () => {
  const check = createCheck({ kind: 'equals', ignoresCase: false }, ['text', 'expected']);
  for (let before = 0; before < 320; before += 1) {
    const text = 'x'.repeat(before) + FAMILY.repeat(40);
    const reason = check({ text, expected: 'no' });
    const shortened = [
      cut(text),
      excerptOf(text),
      shortValue(text),
      formatJsonLine(text),
      formatJsonLine({ text }),
      String(cutFields({ text }, 100)['text']),
      freeRunName(text, []),
      'reasoning' in reason ? String(reason.reasoning) : '',
    ];
    for (const short of shortened) {
      expect(short.isWellFormed()).toBe(true);
      expect(short).not.toMatch(/\u200d…|(?<!👦)…(?!x)(?<=[👩👧]…)/u);
    }
  }
});

test('no source shortens a text by the count of its code units', () => {
  const sources = [...sourceFiles('electron'), ...sourceFiles('renderer')];
  expect(sources.length).toBeGreaterThan(1_000);
  const own = sources.filter((file) => !file.endsWith('/shared/cut-text.ts'));
  const cutting = own.filter((file) =>
    /\.(slice|substring)\(0, [^()]*\)(\.join\(''\))?\}…(?!\$)/.test(textOf(file)),
  );
  expect(cutting).toEqual([]);
});
