/** Column summaries of profiles, and the filters that clicks set. */
import { describe, expect, test } from 'vitest';
import type { ColumnFilter, ColumnProfile } from '../../electron/shared/analysis-model.ts';
import type { Column } from '../../renderer/lib/grid/columns.ts';
import {
  countedPart,
  filterOfBars,
  filterText,
  partsOf,
  preciseShare,
  summaryOf,
} from '../../renderer/lib/grid/summaries.ts';

const column: Column = { id: 'n', title: 'Rows', kind: 'number', width: 100, get: (row) => row['n'] };
const both = (total: number, count = total) => ({ total, count });

function numbers(edges: readonly number[], change: Partial<ColumnProfile> = {}): ColumnProfile {
  const bars = edges.slice(1).map((to, at) => ({
    ...{ from: edges[at] ?? 0, to, includesTo: at === edges.length - 2 },
    ...both(10, 4),
  }));
  const rows = both(10 * bars.length);
  return {
    ...{ field: 'n', kind: 'integer', rows, absent: both(0), nulls: both(0), empty: both(0) },
    ...{ others: both(0), distinct: 10, bars, tops: [] },
    ...change,
  };
}

test('bars of integers are labelled by the integers they contain, a single one by itself', () => {
  const wide = summaryOf(column, numbers([0, 2.5, 5]), []);
  expect(wide.bars.map(({ label }) => label)).toEqual(['0 to 2', '3 to 5']);
  const even = summaryOf(column, numbers([0, 20, 41]), []);
  expect(even.bars.map(({ label }) => label)).toEqual(['0 to 19', '20 to 41']);
  const single = summaryOf(column, numbers([1, 2, 3]), []);
  expect(single.bars.map(({ label }) => label)).toEqual(['1', '2']);
  expect(single.range).toEqual(['1', '2']);
});

test('numbers that a double rounds are labelled with every digit', () => {
  const [min, max] = ['9007199254740993', '9007199254741035'];
  const edges = [9007199254740992, 9007199254741014, 9007199254741036];
  const ids = summaryOf(column, numbers(edges, { range: { min, max } }), []);
  expect(ids.bars.map(({ label }) => label)).toEqual([
    '9,007,199,254,740,993 to 9,007,199,254,741,013',
    '9,007,199,254,741,014 to 9,007,199,254,741,035',
  ]);
  expect(ids.range).toEqual(['9,007,199,254,740,993', '9,007,199,254,741,035']);
  const two = numbers([9007199254740992, 9007199254740992], {
    range: { min: '9007199254740992', max: '9007199254740993' },
  });
  expect(summaryOf(column, two, []).bars.map(({ label }) => label)).toEqual([
    '9,007,199,254,740,992 to 9,007,199,254,740,993',
  ]);
  const decimals = { kind: 'decimal' as const, range: { min: '0.12345678901234567891', max: '700000.5' } };
  const prices = summaryOf(column, numbers([0.12345678901234568, 700_000.5], decimals), []);
  expect(prices.range).toEqual(['0.1235', '700K']);
  expect(prices.exactRange).toEqual(['0.12345678901234567891', '700,000.5']);
});

test('ends that would round to the same short text are written in full, as in the tooltip', () => {
  expect(summaryOf(column, numbers([1_000_001, 1_000_002, 1_000_003, 1_000_004]), []).range).toEqual([
    '1,000,001',
    '1,000,003',
  ]);
  const wide = summaryOf(column, numbers([0.123456, 1_234_567], { kind: 'number' }), []);
  expect([wide.range, wide.exactRange]).toEqual([
    ['0.1235', '1.23M'],
    ['0.123456', '1,234,567'],
  ]);
});

test('bars between two ends, in either order, are one range that ends with the last bar', () => {
  const summary = summaryOf(column, numbers([0, 10, 20, 30]), []);
  const range = { kind: 'range', field: 'n', from: 10, to: 30, includesTo: true };
  expect(filterOfBars(summary, 2, 1)).toEqual(range);
  expect(filterOfBars(summary, 1, 2)).toEqual(range);
  const chosen = summaryOf(column, numbers([0, 10, 20, 30]), [range as ColumnFilter]);
  expect(chosen.bars.map(({ isChosen }) => isChosen)).toEqual([false, true, true]);
  expect(filterText(column, 'integer', range as ColumnFilter)).toBe('10 to 30');
});

test('times have one bar per bin in a wide histogram, adjacent ones are joined in a head; days are labelled at their start', () => {
  const hour = 3_600_000;
  const start = new Date(2026, 2, 12, 12).getTime();
  const edges = Array.from({ length: 61 }, (_, at) => start + (at * hour) / 2);
  const profile = numbers(edges, { kind: 'time' });
  const wide = summaryOf(column, profile, [], 60);
  expect(wide.bars.length).toBe(60);
  expect(wide.ticks).toEqual([
    { text: '12 Mar 12:00', place: 0 },
    { text: '18:00', place: 0.2 },
    { text: '13 Mar', place: 0.4 },
    { text: '06:00', place: 0.6 },
    { text: '12:00', place: 0.8 },
    { text: '18:00', place: 1 },
  ]);
  const head = summaryOf(column, profile, []);
  expect(head.bars.length).toBe(20);
  expect(head.bars.map(({ total, count }) => [total, count])).toEqual(head.bars.map(() => [30, 12]));
  expect(head.bars.at(-1)?.filter).toEqual({
    ...{ kind: 'range', field: 'n', from: edges[57], to: edges[60], includesTo: true },
  });
  const range = filterOfBars(wide, 0, 10);
  expect(range && filterText(column, 'time', range)).toBe('12 Mar 2026 12:00 to 17:30');
});

test('labels of days are at midnight, not at the first bar of the day', () => {
  const start = new Date(2026, 10, 19, 11, 28).getTime();
  const edges = Array.from({ length: 61 }, (_, at) => start + at * 2.8 * 3_600_000);
  const { ticks } = summaryOf(column, numbers(edges, { kind: 'time' }), [], 60);
  expect(ticks.map(({ text }) => text)).toEqual([20, 21, 22, 23, 24, 25, 26].map((day) => `${day} Nov`));
  const midnights = ticks.map(({ place }) => new Date(start + place * 7 * 86_400_000).getHours() % 24);
  expect(new Set(midnights)).toEqual(new Set([0]));
});

describe('missing values', () => {
  test('are distinguished: absent, null, empty', () => {
    const profile = numbers([0, 10], { rows: both(40), absent: both(8), nulls: both(1), empty: both(21) });
    const { missing } = summaryOf(column, profile, []);
    expect(missing.map(({ label }) => label)).toEqual(['20 % absent', '2.5 % null', '52.5 % empty']);
    expect(missing[1]?.filter).toEqual({ kind: 'emptiness', field: 'n', is: 'null' });
  });

  test('follow the bars for the arrow keys', () => {
    const summary = summaryOf(column, numbers([0, 10], { rows: both(20), nulls: both(10) }), []);
    expect(partsOf(summary).map(({ kind }) => kind)).toEqual(['bar', 'missing']);
  });
});

test('the three most frequent texts are drawn; if none occurs twice, that is stated instead', () => {
  const tops = ['a', 'b', 'c', 'd'].map((value) => ({ value, ...both(1) }));
  const text = { ...column, kind: 'text' as const };
  const profile = numbers([], { kind: 'text', rows: both(4), distinct: 3, tops });
  expect(summaryOf(text, profile, [])).toMatchObject({
    shape: 'different',
    values: [],
    range: ['4 distinct', 'all different'],
  });
  const often = {
    ...profile,
    rows: both(9),
    tops: tops.map((top, at) => ({ ...top, ...both(at === 0 ? 6 : 1) })),
  };
  const summary = summaryOf(text, often, [{ kind: 'values', field: 'n', values: ['b'], excludes: false }]);
  expect(summary.values.map(({ label, isChosen }) => [label, isChosen])).toEqual([
    ['a', false],
    ['b', true],
    ['c', false],
  ]);
  expect(summary.range).toEqual(['4 distinct', '+ 1 more']);
});

test('values of a column of constants have the words of its cells, and filter by the constants', () => {
  const write = (value: unknown) => (value === 'ERROR' ? 'Failed' : String(value));
  const status: Column = { ...column, title: 'Status', kind: 'chip', write };
  const profile = numbers([], { kind: 'text', rows: both(6), tops: [{ value: 'ERROR', ...both(6) }] });
  const filter: ColumnFilter = { kind: 'values', field: 'n', values: ['ERROR'], excludes: false };
  expect(summaryOf(status, profile, []).values).toMatchObject([
    { label: 'Failed', name: 'Status Failed', filter },
  ]);
  expect(filterText(status, 'text', filter)).toBe('Failed');
  expect(filterText(status, 'text', { ...filter, excludes: true })).toBe('not Failed');
});

test('a share between 0 and 100 % is never rounded to either', () => {
  expect([
    preciseShare(1, 100_000),
    preciseShare(99_999, 100_000),
    preciseShare(0, 5),
    preciseShare(5, 5),
  ]).toEqual(['<0.1 %', '>99.9 %', '0 %', '100 %']);
});

test('the counted rows are named unless they are the whole list; matching rows are not missing ones', () => {
  const part = (matchingRows: number, storedRows: number, totalRows: number | null, isComplete = false) =>
    countedPart({ matchingRows, storedRows, totalRows, isComplete });
  expect(part(5_000, 5_000, 5_000)).toBe('');
  expect(part(200, 200, 1_000)).toBe('200 stored of 1,000');
  expect(part(12, 5_000, 5_000)).toBe('12 matching of 5,000 stored');
  expect(part(12, 200, 1_000)).toBe('12 matching of 200 stored, of 1,000');
  expect(part(200, 200, null)).toBe('200 stored');
  expect(part(30, 30, null, true)).toBe('');
  expect(part(30, 30, 31, true)).toBe('');
  expect(part(12, 30, 31, true)).toBe('12 matching of 30 stored');
});

test('the bars of times reach over the asked range, with edges at those of the counted bars', () => {
  const hour = 3_600_000;
  const start = new Date(2026, 2, 12).getTime();
  const edges = Array.from({ length: 61 }, (_, at) => start + at * hour);
  const profile = numbers(edges, { kind: 'time' });
  const month = { startMs: start - 20 * 24 * hour, endMs: start + 10 * 24 * hour };
  const { bars, rows } = summaryOf(column, profile, [], 60, month);
  const ranges = bars.map(({ filter }) =>
    filter.kind === 'range' ? [filter.from ?? 0, filter.to ?? 0] : [0, 0],
  );
  expect(bars.length).toBeLessThanOrEqual(62);
  expect(ranges[0]?.[0]).toBeLessThanOrEqual(month.startMs);
  expect(ranges.at(-1)?.[1]).toBeGreaterThanOrEqual(month.endMs);
  for (const [at, [from, to]] of ranges.entries()) {
    expect(Number(to) - Number(from)).toBe(12 * hour);
    expect(ranges[at + 1]?.[0] ?? to).toBe(to);
  }
  expect(bars.reduce((sum, { total }) => sum + total, 0)).toBe(rows.total);
  expect(summaryOf(column, profile, [], 60, { startMs: start, endMs: start + hour }).bars).toEqual(
    summaryOf(column, profile, [], 60).bars,
  );
});
