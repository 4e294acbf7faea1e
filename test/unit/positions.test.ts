/** Compares sets of positions with sets of JavaScript. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ascending, commonOf, PositionSet } from '../../electron/library/positions.ts';
import { Slices } from '../../electron/library/slices.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const slices = () => new Slices(new VirtualClock());
const positions = fc
  .uniqueArray(fc.nat({ max: 300 }), { maxLength: 200 })
  .map((list) => Int32Array.from(list));

test('the common positions keep the order of the first list', async () => {
  await fc.assert(
    fc.asyncProperty(positions, positions, async (order, others) => {
      const set = new Set(others);
      expect([...(await commonOf(order, others, slices()))]).toEqual(
        [...order].filter((position) => set.has(position)),
      );
    }),
  );
});

test('positions in any order become ascending', async () => {
  await fc.assert(
    fc.asyncProperty(positions, async (list) => {
      expect(await ascending(list, slices())).toEqual(list.toSorted());
    }),
  );
});

test('a set holds its positions and no others, also beyond its highest', async () => {
  const set = await PositionSet.of(Int32Array.from([0, 7, 8, 131_072]), slices());
  const held = [0, 1, 7, 8, 9, 131_071, 131_072, 131_073, 4_000_000].filter((each) => set.has(each));
  expect(held).toEqual([0, 7, 8, 131_072]);
});
