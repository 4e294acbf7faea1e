/** Ranges of positions that have changed since they were indexed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ChangedRange, ChangedRanges } from '../../electron/db/changed-ranges.ts';
import { runs } from '../helpers/runs.ts';

const inOrder = (ranges: readonly ChangedRange[]) =>
  ranges.toSorted(([a, from], [b, other]) => a - b || from - other);

test('a position is in the ranges exactly if one of them has it, also if they overlap or are empty', () => {
  const range = fc
    .tuple(fc.nat(3), fc.nat(30), fc.nat(12))
    .map(([id, from, size]) => [id, from, from + size] as const);
  fc.assert(
    fc.property(fc.array(range, { maxLength: 30 }), (ranges) => {
      const changed = new ChangedRanges(inOrder(ranges), () => true);
      for (let id = 0; id <= 4; id += 1)
        for (let at = 0; at < 45; at += 1)
          expect(changed.has(id, at)).toBe(
            ranges.some(([own, from, to]) => own === id && at >= from && at < to),
          );
    }),
    { numRuns: runs(100) },
  );
});

test('everything after the last range that was read counts as changed', () => {
  let reads = 0;
  const mayRead = () => {
    reads += 1;
    return reads <= 2;
  };
  const ranges: ChangedRange[] = [
    [1, 0, 5],
    [2, 10, 20],
    [2, 30, 31],
    [3, 0, 1],
  ];
  const changed = new ChangedRanges(ranges, mayRead);
  expect(changed.isCut).toBe(true);
  expect([changed.has(1, 5), changed.has(2, 25), changed.has(2, 15)]).toEqual([false, false, true]);
  expect([changed.has(2, 30), changed.has(2, 99), changed.has(3, 50)]).toEqual([true, true, true]);
});
