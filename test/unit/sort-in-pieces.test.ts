/** Long lists are sorted in several steps. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortInPieces, whole } from '../../electron/shared/pieces.ts';

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
