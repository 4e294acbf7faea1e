/** Groups values by pixel column: extremes and gaps are kept, and nothing is invented. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allTimes, bucketPoints, firstAt, nearestAt } from '../../renderer/components/chart/buckets.ts';
import { runs } from '../helpers/runs.ts';

const HOUR = 3_600_000;

/** Values with short and long gaps, in steps of one to three hours. */
const data = fc
  .array(
    fc.record({
      step: fc.integer({ min: 1, max: 3 }),
      value: fc.oneof(
        { weight: 4, arbitrary: fc.double({ noNaN: true, min: -1e9, max: 1e9 }) },
        { weight: 1, arbitrary: fc.constant(null) },
      ),
    }),
    { minLength: 1, maxLength: 3_000 },
  )
  .map((steps) => {
    let ms = 0;
    const times = steps.map(({ step }) => (ms += step * HOUR));
    return { times, values: steps.map(({ value }) => value) };
  });

const isNumber = (value: number | null | undefined): value is number => value !== null && value !== undefined;

describe('bucketPoints', () => {
  test('keeps the lowest and the highest value, the first and the last, and only given values', () => {
    fc.assert(
      fc.property(data, fc.integer({ min: 1, max: 400 }), (series, columns) => {
        const span = { startMs: series.times[0] ?? 0, endMs: series.times.at(-1) ?? 0 };
        const points = bucketPoints(series, span, columns).filter(({ y }) => !Number.isNaN(y));
        const values = series.values.filter(isNumber);
        const drawn = points.map(({ y }) => y);
        expect(Math.min(...drawn)).toBe(Math.min(...values));
        expect(Math.max(...drawn)).toBe(Math.max(...values));
        const known = new Map(series.times.map((ms, index) => [ms, series.values[index]]));
        for (const { x, y } of points) expect(known.get(x)).toBe(y);
        expect(drawn[0]).toBe(values[0]);
        expect(drawn.at(-1)).toBe(values.at(-1));
      }),
      { numRuns: runs(200) },
    );
  });

  test('joins two values only if there is no gap between them, and breaks nowhere else', () => {
    fc.assert(
      fc.property(data, fc.integer({ min: 1, max: 200 }), (series, columns) => {
        const span = { startMs: series.times[0] ?? 0, endMs: series.times.at(-1) ?? 0 };
        const points = bucketPoints(series, span, columns);
        const at = new Map(series.times.map((ms, index) => [ms, index]));
        let before: number | null = null;
        let isBroken = false;
        for (const { x, y } of points) {
          if (Number.isNaN(y)) {
            isBroken = true;
            continue;
          }
          const index = at.get(x) ?? -1;
          if (before !== null) {
            expect(series.values.slice(before + 1, index).includes(null)).toBe(isBroken);
          }
          before = index;
          isBroken = false;
        }
      }),
      { numRuns: runs(200) },
    );
  });

  test('times ascend and their number is bounded', () => {
    fc.assert(
      fc.property(data, fc.integer({ min: 1, max: 200 }), (series, columns) => {
        const span = { startMs: series.times[0] ?? 0, endMs: series.times.at(-1) ?? 0 };
        const points = bucketPoints(series, span, columns);
        for (const [index, { x }] of points.entries())
          expect(x).toBeGreaterThanOrEqual(points[index - 1]?.x ?? 0);
        if (series.times.length > 4 * columns) expect(points.length).toBeLessThanOrEqual(8 * (columns + 2));
      }),
      { numRuns: runs(200) },
    );
  });

  test('a zoomed part is drawn to its edges', () => {
    const times = Array.from({ length: 100 }, (_, index) => index * HOUR);
    const values = times.map((_, index) => index);
    const points = bucketPoints({ times, values }, { startMs: 10.5 * HOUR, endMs: 20.5 * HOUR }, 500);
    expect(points.map(({ x }) => x / HOUR)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]);
  });

  test('bins missing in the answer are a gap if the length of a bin is known', () => {
    const times = [0, 1, 2, 5, 6].map((hour) => hour * HOUR);
    const values = [1, 2, 3, 4, 5];
    const span = { startMs: 0, endMs: 6 * HOUR };
    const breaks = (gapMs?: number) =>
      bucketPoints({ times, values, gapMs }, span, 100).filter(({ y }) => Number.isNaN(y)).length;
    expect(breaks()).toBe(0);
    expect(breaks(1.5 * HOUR)).toBe(1);
    expect(breaks(3 * HOUR)).toBe(0);
  });

  test('draws no values, only gaps, and a single value', () => {
    const span = { startMs: 0, endMs: HOUR };
    expect(bucketPoints({ times: [], values: [] }, span, 100)).toEqual([]);
    expect(bucketPoints({ times: [0, HOUR], values: [null, null] }, span, 100)).toEqual([]);
    expect(bucketPoints({ times: [0, HOUR], values: [null, 3] }, span, 100)).toEqual([{ x: HOUR, y: 3 }]);
    expect(bucketPoints({ times: [HOUR], values: [3] }, { startMs: HOUR, endMs: HOUR }, 100)).toEqual([
      { x: HOUR, y: 3 },
    ]);
  });
});

describe('times of a chart', () => {
  const ascending = fc
    .uniqueArray(fc.integer({ min: -1_000, max: 1_000 }), { maxLength: 100 })
    .map((list) => list.toSorted((a, b) => a - b));

  test('the nearest is found', () => {
    fc.assert(
      fc.property(ascending, fc.integer({ min: -1_200, max: 1_200 }), (times, ms) => {
        const at = nearestAt(times, ms);
        if (times.length === 0) {
          expect(at).toBe(-1);
          return;
        }
        const best = Math.min(...times.map((time) => Math.abs(time - ms)));
        expect(Math.abs((times[at] ?? 0) - ms)).toBe(best);
      }),
    );
  });

  test('the first time at or after a given moment is found', () => {
    fc.assert(
      fc.property(ascending, fc.integer({ min: -1_200, max: 1_200 }), (times, ms) => {
        const found = times.findIndex((time) => time >= ms);
        expect(firstAt(times, ms)).toBe(found === -1 ? times.length : found);
      }),
    );
  });

  test('of several series together, each once and in order', () => {
    fc.assert(
      fc.property(fc.array(ascending, { maxLength: 4 }), (lists) => {
        const all = allTimes(lists.map((times) => ({ times })));
        expect([...all]).toEqual([...new Set(lists.flat())].sort((a, b) => a - b));
      }),
    );
  });
});
