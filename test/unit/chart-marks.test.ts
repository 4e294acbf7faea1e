/** Points of a chart that have a marker, and how the last incomplete bin and an earlier period are drawn. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { civilAt } from '../../electron/shared/zone-time.ts';
import { bucketPoints } from '../../renderer/components/chart/buckets.ts';
import { lineParts } from '../../renderer/components/chart/plot.ts';
import { shapedPoints } from '../../renderer/components/chart/plot-layers.ts';
import { earlierLook, lookOf } from '../../renderer/lib/chart/look.ts';
import type { ChartSeries } from '../../renderer/lib/chart/types.ts';
import { binEnd, withOpenEnd } from '../../renderer/lib/monitoring/open-end.ts';
import { runs } from '../helpers/runs.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-03-10T00:00Z');

const seriesOf = (values: readonly (number | null)[], more: Partial<ChartSeries> = {}): ChartSeries => ({
  ...{ id: 'traffic', name: 'Traffic', kind: 'line', axis: 'left', values, look: 0 },
  times: values.map((_, at) => START + at * DAY),
  ...more,
});
const shapedDays = (values: readonly (number | null)[]) => {
  const points = bucketPoints(seriesOf(values), { startMs: START, endMs: START + values.length * DAY }, 500);
  return shapedPoints(points).map(({ x }) => (x - START) / DAY);
};

describe('shapes of chart points', () => {
  test('a line without gaps has none, dense or not', () => {
    expect(shapedDays(Array.from({ length: 400 }, (_, at) => Math.sin(at)))).toEqual([]);
    expect(shapedDays([1, 2, 3, 4])).toEqual([]);
  });

  test('values beside a gap and isolated values have one', () => {
    expect(shapedDays([1, 2, null, 3, null, 4, 5, 6])).toEqual([1, 3, 5]);
    expect(shapedDays([null, 7])).toEqual([1]);
    expect(shapedDays([7])).toEqual([0]);
  });

  test('property: every value without a line has a shape', () => {
    const values = fc.array(fc.option(fc.integer({ min: -9, max: 9 })), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(values, (all) => {
        const shaped = new Set(shapedDays(all));
        for (const [at, value] of all.entries()) {
          const isAlone = (all[at - 1] ?? null) === null && (all[at + 1] ?? null) === null;
          if (value !== null && isAlone) expect(shaped).toContain(at);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('the open end of a chart', () => {
  const days = { binSize: 'Day', zone: 'UTC' };

  test('the last bin is open until it has ended; the last bin of an earlier period never is', () => {
    const now = seriesOf([1, 2, 3]);
    const before = seriesOf([1, 2, 3], { id: 'traffic earlier', earlierOf: 'traffic' });
    const openAt = (readMs: number) =>
      withOpenEnd([now, before], days, readMs).map(({ openFromMs }) => openFromMs);
    expect(openAt(START + 3 * DAY - 1)).toEqual([START + 2 * DAY, undefined]);
    expect(openAt(START + 3 * DAY)).toEqual([undefined, undefined]);
    expect(withOpenEnd([seriesOf([])], days, START)[0]?.openFromMs).toBeUndefined();
    expect(withOpenEnd([now], { ...days, binSize: 'Fortnight' }, START)[0]?.openFromMs).toBeUndefined();
  });

  test('only the segment to the open bin is dashed', () => {
    const points = [1, 2, 3].map((y, at) => ({ x: START + at * DAY, y }));
    const series = seriesOf([1, 2, 3], { openFromMs: START + 2 * DAY });
    expect(lineParts(series, points)).toEqual([
      { points: points.slice(0, 2), isOpen: false },
      { points: points.slice(1), isOpen: true },
    ]);
    expect(lineParts(seriesOf([1, 2, 3]), points)).toEqual([{ points, isOpen: false }]);
  });

  test('property: a bin ends at the next one on the wall clock, also when clocks change', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20_000 }), zones, (day, zone) => {
        const noon = day * DAY + DAY / 2;
        const { hour, minute } = civilAt(noon, zone);
        const next = civilAt(binEnd(noon, 'Day', zone) ?? 0, zone);
        expect([next.hour, next.minute]).toEqual([hour, minute]);
        expect(Math.abs((binEnd(noon, 'Day', zone) ?? 0) - noon - DAY)).toBeLessThanOrEqual(3_600_000);
      }),
      { numRuns: runs(300) },
    );
  });
});

test('an earlier period is grey and dashed, whatever the colour of its series', () => {
  for (const place of [0, 1, 5]) {
    expect(lookOf(earlierLook(place))).toMatchObject({ colour: 'text-3', shape: lookOf(place).shape });
    expect(lookOf(earlierLook(place)).dash).not.toEqual([]);
  }
});
