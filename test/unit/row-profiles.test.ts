/** Profiles of loaded rows: the counts of the bars add up, and each bar filters to exactly the rows that it counts. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { passes, profileRows } from '../../renderer/lib/row-profiles.ts';
import { filtersOffered } from '../helpers/filters-offered.ts';

const value = fc.oneof(
  fc.constantFrom('', 'a', 'b', '2026-01-01T10:00:00Z', '2026-01-04', '12', '-1.5', [], {}, [1], null),
  fc.integer({ min: -5, max: 40 }),
  fc.double({ min: -2, max: 2, noNaN: true }),
  fc.boolean(),
);
const column = fc.oneof(
  fc.array(value, { minLength: 1, maxLength: 6 }),
  fc.array(fc.integer({ min: -5, max: 90 }), { minLength: 1, maxLength: 6 }),
  fc.array(fc.constantFrom('1', '20', '3.5', '', null), { minLength: 1, maxLength: 6 }),
  fc.array(fc.constantFrom('2026-01-01', '2026-02-01T00:00:00Z', ''), { minLength: 1, maxLength: 6 }),
);
const rows = fc
  .tuple(column, column, fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.nat(3)), { maxLength: 40 }))
  .map(([a, b, picks]) =>
    picks.map(([x, y, missing]) => ({
      ...(missing > 0 ? { a: a[x % a.length] } : {}),
      ...(missing < 3 ? { b: b[y % b.length] } : {}),
    })),
  );

test('parts add up to the rows, and a filter by a part leaves its number of rows, under any other filter', () => {
  fc.assert(
    fc.property(rows, fc.nat(60), (list, chosen) => {
      const filters = profileRows(list, ['a', 'b'], []).flatMap(filtersOffered);
      const own = filters.slice(chosen, chosen + 1).map(([filter]) => filter);
      for (const profile of profileRows(list, ['a', 'b'], own)) {
        const { absent, nulls, empty, others, bars, tops } = profile;
        for (const of of ['total', 'count'] as const)
          expect(
            [absent, nulls, empty, others, ...bars, ...tops].reduce((sum, part) => sum + part[of], 0),
          ).toBe(profile.rows[of]);
        const rest = own.filter(({ field }) => field !== profile.field);
        for (const [filter, count] of filtersOffered(profile))
          expect(list.filter((row) => [...rest, filter].every((each) => passes(each)(row))).length).toBe(
            count,
          );
      }
    }),
  );
});

test('texts that are all numbers or all times have an axis; absent, null and empty are distinguished', () => {
  const [n, at, s] = profileRows(
    [
      { n: '1', at: '2026-01-01', s: 'x' },
      { n: '20', at: '2026-01-03', s: null },
      { n: '', s: 'x' },
    ],
    ['n', 'at', 's'],
    [],
  );
  expect(n).toMatchObject({ kind: 'numeric-text', empty: { total: 1 }, distinct: 2 });
  expect(n?.bars.at(-1)).toMatchObject({ to: 20, total: 1 });
  expect(at).toMatchObject({ kind: 'time', absent: { total: 1 } });
  expect(at?.bars[0]?.from).toBe(Date.UTC(2026, 0, 1));
  expect(s).toMatchObject({ kind: 'text', nulls: { total: 1 }, tops: [{ value: 'x', total: 2 }] });
});
