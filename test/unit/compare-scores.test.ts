/** Two score runs compared: the change of each item, and the totals. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  Comparison,
  changeOf,
  isSelected,
  isShown,
  type ScorePair,
} from '../../electron/core/items/compare-scores.ts';
import { sortInPieces, whole } from '../../electron/shared/pieces.ts';
import type { ScoreValue } from '../../electron/shared/score-model.ts';

const number = (value: number): ScoreValue => ({ name: 's', value, label: null, reasoning: null });
const label = (text: string): ScoreValue => ({ name: 's', value: null, label: text, reasoning: null });

function compared(pairs: readonly ScorePair[], lowerIsBetter = false, isSingle = false) {
  const kindOf = (itemId: string) => (itemId.startsWith('k') ? 'Wrong tone' : null);
  const comparison = new Comparison({ lowerIsBetter, kindOf, isSingle });
  for (const pair of pairs) comparison.add(pair);
  return whole(comparison.finish());
}

describe('change of an item', () => {
  test.each([
    ['a higher number', number(0.2), number(0.5), 'better', 'worse'],
    ['a lower number', number(0.5), number(0.2), 'worse', 'better'],
    ['the same number', number(0.5), number(0.5), 'same', 'same'],
    ['another label', label('yes'), label('no'), 'changed', 'changed'],
    ['the same label', label('yes'), label('yes'), 'same', 'same'],
    ['a number and a label', number(1), label('yes'), 'changed', 'changed'],
    ['no score after', number(1), null, 'missing', 'missing'],
    ['no score before', null, label('no'), 'missing', 'missing'],
  ])('%s', (_, before, after, change, whenLower) => {
    expect(changeOf({ itemId: 'i', before, after }, false)).toBe(change);
    expect(changeOf({ itemId: 'i', before, after }, true)).toBe(whenLower);
  });
});

describe('items behind a number', () => {
  const { rows } = compared([
    { itemId: 'k1', before: number(0.9), after: number(0.1) },
    { itemId: 'i2', before: label('no'), after: label('yes') },
    { itemId: 'i3', before: null, after: label('yes') },
  ]);
  const idsOf = (isIn: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(isIn).map(({ itemId }) => itemId);

  test('are all, those of two labels or of one, or those of a kind of failure', () => {
    const selected = (only: Parameters<typeof isSelected>[1]) => idsOf((row) => isSelected(row, only, false));
    expect(selected(null)).toHaveLength(3);
    expect(selected({ by: 'labels', before: 'no', after: 'yes' })).toEqual(['i2']);
    expect(selected({ by: 'labels', before: null, after: 'yes' })).toEqual(['i2', 'i3']);
    expect(selected({ by: 'failure kind', name: 'Wrong tone', change: 'worse' })).toEqual(['k1']);
    expect(selected({ by: 'failure kind', name: 'Wrong tone', change: 'better' })).toEqual([]);
  });

  test('are those of a change, or of a state in either run', () => {
    expect(idsOf((row) => isShown(row, null))).toHaveLength(3);
    expect(idsOf((row) => isShown(row, 'worse'))).toEqual(['k1']);
    expect(idsOf((row) => isShown(row, 'scored'))).toHaveLength(3);
    expect(idsOf((row) => isShown(row, 'failed'))).toEqual([]);
  });

  test('of one run are sorted by the worst number, which may be the highest', () => {
    const pairs = [0.2, 0.8].map((value) => ({ itemId: `${value}`, before: null, after: number(value) }));
    const ids = (lowerIsBetter: boolean) =>
      compared(pairs, lowerIsBetter, true).rows.map(({ itemId }) => itemId);
    expect([ids(false), ids(true)]).toEqual([
      ['0.2', '0.8'],
      ['0.8', '0.2'],
    ]);
  });
});

describe('all items', () => {
  const pairs: ScorePair[] = [
    { itemId: 'i1', before: number(0.9), after: number(0.8) },
    { itemId: 'k2', before: number(0.9), after: number(0.1) },
    { itemId: 'i3', before: number(0.1), after: number(0.9) },
    { itemId: 'k4', before: number(0.5), after: number(0.5) },
    { itemId: 'i5', before: number(0.5), after: null },
    { itemId: 'i6', before: label('no'), after: label('yes') },
    { itemId: 'i7', before: label('no'), after: label('yes') },
    { itemId: 'i8', before: label('yes'), after: label('yes') },
  ];

  test('the largest loss comes first', () => {
    expect(compared(pairs).rows.map(({ itemId }) => itemId)).toEqual([
      'k2',
      'i1',
      'i3',
      'i6',
      'i7',
      'k4',
      'i8',
      'i5',
    ]);
  });

  test('are counted by change, label and failure kind', () => {
    const { summary } = compared(pairs);
    expect(summary.counts).toEqual({ worse: 2, better: 1, changed: 2, same: 2, missing: 1 });
    expect(summary.labels).toEqual([
      { before: 'no', after: 'yes', items: 2 },
      { before: 'yes', after: 'yes', items: 1 },
    ]);
    expect(summary.failureKinds).toEqual([
      { name: 'Wrong tone', counts: { worse: 1, better: 0, changed: 0, same: 1, missing: 0 } },
    ]);
    expect(summary.means).toEqual({ before: expect.closeTo(0.6), after: expect.closeTo(0.575), items: 4 });
  });

  test('bins hold the numbers of the items that both runs scored, as the means do', () => {
    const value = fc.option(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { nil: null });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { maxLength: 60 }), (values) => {
        const given = values.map(([before, after], at) => ({
          itemId: `i${at}`,
          before: before === null ? null : number(before),
          after: after === null ? null : number(after),
        }));
        const { bins, counts, means } = compared(given).summary;
        const shared = given.filter(({ before, after }) => before !== null && after !== null).length;
        const inBins = (side: 'before' | 'after') => bins.reduce((sum, bin) => sum + bin[side], 0);
        expect([inBins('before'), inBins('after'), means?.items ?? 0]).toEqual([shared, shared, shared]);
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(given.length);
      }),
    );
  });
});

test('sorting in steps gives the same order as sorting at once, and is stable', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 40 }), { maxLength: 9_000, size: 'max' }), (numbers) => {
      const list = numbers.map((size, at) => ({ size, at }));
      const bySize = (one: { size: number }, other: { size: number }) => one.size - other.size;
      expect(whole(sortInPieces(list, bySize))).toEqual(list.toSorted(bySize));
    }),
    { numRuns: 20 },
  );
});

test('thousands of rows are compared in pieces, and each is in a bin', () => {
  const many = Array.from({ length: 4_500 }, (_, at) => ({
    itemId: `i${at}`,
    before: number(at % 10),
    after: number(9 - (at % 10)),
  }));
  const { rows, summary } = compared(many);
  expect(rows).toHaveLength(4_500);
  const inBins = (which: 'before' | 'after') => summary.bins.reduce((sum, bin) => sum + bin[which], 0);
  expect([inBins('before'), inBins('after')]).toEqual([4_500, 4_500]);
  expect(summary.means).toEqual({ before: 4.5, after: 4.5, items: 4_500 });
});

test('equal scores are one bin', () => {
  const { summary } = compared([{ itemId: 'i', before: number(0.5), after: number(0.5) }]);
  expect(summary.bins).toEqual([{ from: 0.5, to: 0.5, before: 1, after: 1 }]);
});

/** Numbers that are equal, next to each other, or at the ends of what a number can hold, and others. */
const anyNumber = fc.oneof(
  fc.constantFrom(0, 0.3, 0.1 + 0.2, 1, 1e308, -1e308, Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, 1 / 0),
  fc.nat({ max: 100 }).map((cents) => cents / 100),
  fc.double({ noNaN: true }),
);
const maybeScore = fc.option(anyNumber.map(number), { nil: null });

test.each([false, true])(
  'the count of each bar is the length of its list (one run alone: %s)',
  (isSingle) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(maybeScore, maybeScore), { maxLength: 60 }), (values) => {
        const pairs = values.map(([before, after], at) => ({
          ...{ itemId: `i${at}`, before: isSingle ? null : before, after },
        }));
        const { rows, summary } = compared(pairs, false, isSingle);
        const { bins, figures } = summary;
        const lengths = bins.map(({ from, to }, at) => {
          const only = { by: 'range', from, to, isLast: at === bins.length - 1 } as const;
          return rows.filter((row) => isSelected(row, only, isSingle)).length;
        });
        expect(lengths).toEqual(bins.map(({ after }) => after));
        expect(bins.reduce((sum, { after }) => sum + after, 0)).toBe(figures?.after.items ?? 0);
        expect(new Set(bins.map(({ from }) => from)).size).toBe(bins.length);
        for (const { from, to } of bins) expect([from, to].every(Number.isFinite)).toBe(true);
      }),
    );
  },
);

test.each([
  [[-1e308, 1e308], 0],
  [[1e308, 1.5e308], 1.25e308],
])('the mean of %j is a number, and its interval one or none', (values, mean) => {
  const pairs = values.map((value, at) => ({ itemId: `i${at}`, before: null, after: number(value) }));
  const { figures, bins } = compared(pairs, false, true).summary;
  expect((figures?.after.value ?? Number.NaN) / 1e308).toBeCloseTo(mean / 1e308);
  expect(figures?.after.interval?.every(Number.isFinite) ?? true).toBe(true);
  expect(bins).toHaveLength(20);
});

test('a share names a label only if every 1 has it', () => {
  const judged = (value: number, text: string | null): ScoreValue => ({ ...number(value), label: text });
  const labelOf = (...values: ScoreValue[]) =>
    compared(
      values.map((after, at) => ({ itemId: `i${at}`, before: null, after })),
      false,
      true,
    ).summary.figures?.label;
  expect(labelOf(judged(1, 'yes'), judged(1, 'yes'), judged(0, 'no'))).toBe('yes');
  expect(labelOf(judged(1, 'good'), judged(1, 'excellent'), judged(0, 'bad'))).toBeNull();
  expect(labelOf(judged(1, 'yes'), judged(1, null))).toBeNull();
  // An item that only the later run scored counts for nothing.
  const pairs = [
    { itemId: 'a', before: judged(0, 'no'), after: judged(1, 'yes') },
    { itemId: 'b', before: null, after: judged(1, 'other') },
  ];
  expect(compared(pairs).summary.figures?.label).toBe('yes');
});
