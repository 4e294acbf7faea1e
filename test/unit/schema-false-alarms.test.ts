/**
 * No change of the schema is reported for simulated lists whose rows do not change, or whose rows are of two
 * alternating kinds.
 */
import { describe, expect, test } from 'vitest';
import { seededNumbers } from '../../electron/core/seeded.ts';
import { ShapeCount } from '../../electron/core/snapshots/schema-shapes.ts';
import { NO_SCHEMA, watchSchema } from '../../electron/core/snapshots/schema-watch.ts';
import { groupName, type SchemaChange, schemaChangeText } from '../../electron/shared/schema-model.ts';

type Row = Readonly<Record<string, string>>;

/** Returns the changes that are reported when these rows of one span type are read. Each row is a separate trace. */
function found(
  readings: readonly (readonly Row[])[],
  nameOf: (row: Row) => string = () => '',
): SchemaChange[] {
  let state = NO_SCHEMA;
  let atMs = 0;
  return readings.flatMap((rows) => {
    const count = new ShapeCount();
    for (const row of rows) {
      atMs += 1;
      count.add(row, `trace ${atMs}`, groupName('tool', nameOf(row)), atMs);
    }
    const { state: next, found: changes } = watchSchema(state, count, [], atMs);
    state = next;
    return changes;
  });
}

const LISTS = 200;
const DAYS = 10;
const FIELDS = 30;

describe('at most 2 % of 200 lists with 30 fields of stable shares report a change in ten days', () => {
  test.each([
    ['5 to 10 rows a day', 1, 5, 10],
    ['12 rows a day', 2, 12, 12],
    ['20 to 40 rows a day', 3, 20, 40],
    ['100 rows a day', 4, 100, 100],
  ])('%s', (_, seed, least, most) => {
    const next = seededNumbers(seed);
    let alarms = 0;
    for (let list = 0; list < LISTS; list += 1) {
      const shares = Array.from({ length: FIELDS }, () => next());
      const row = (): Row =>
        Object.fromEntries(
          shares.flatMap((share, field) =>
            next() < share ? [[`field ${field}`, next() < share ? 'string' : 'number']] : [],
          ),
        );
      const days = Array.from({ length: DAYS }, () =>
        Array.from({ length: least + Math.floor(next() * (most - least + 1)) }, row),
      );
      if (found(days).length > 0) alarms += 1;
    }
    expect(alarms).toBeLessThanOrEqual(0.02 * LISTS);
  });
});

const times = (rows: number, row: Row) => Array.from({ length: rows }, () => row);

test('calls of two tools of one type in turn are not a change', () => {
  const [search, calculate] = [{ query: 'string' }, { expression: 'string' }];
  const turns = Array.from({ length: 20 }, (_, at) => times(8, at % 2 === 0 ? search : calculate));
  const mixed = [...times(20, search), ...times(20, calculate)];
  expect(found([...turns, mixed, ...turns])).toEqual([]);
});

test('a change in few rows a day is found as soon as 20 rows came, with the time of the first', () => {
  const days = [
    times(30, { price: 'number' }),
    ...Array.from({ length: 3 }, () => times(8, { price: 'string' })),
  ];
  expect(found(days.slice(0, 3))).toEqual([]);
  expect(found(days)).toMatchObject([{ kind: 'type', path: 'price', sinceMs: 31, after: { rows: 24 } }]);
});

describe('calls of two tools of one type with names', () => {
  const [search, calculate] = [{ query: 'string', limit: 'number' }, { expression: 'string' }];
  const nameOf = (row: Row) => ('query' in row ? 'search' : 'calculate');

  test.each([20, 25, 60])('in turn, in batches of %i traces, are not a change', (size) => {
    const turns = Array.from({ length: 12 }, (_, at) => times(size, at % 2 === 0 ? search : calculate));
    const mixed = [...times(size, search), ...times(size, calculate)];
    expect(found([...turns, mixed, ...turns], nameOf)).toEqual([]);
  });

  test('in batches of any size, one of them frequent only later, are not a change', () => {
    const days = [5, 12, 30, 8, 40, 19, 25, 3, 22].map((size, at) => [
      ...times(size, search),
      ...times(((at * 7) % 33) + 1, calculate),
    ]);
    expect(found([...days, ...days], nameOf)).toEqual([]);
  });

  test('a changed field of one of them is found among its calls alone', () => {
    const changed = { query: 'string', limit: 'string' };
    const turns = [times(30, search), times(30, calculate), times(30, calculate), times(30, changed)];
    const changes = found(turns, nameOf);
    expect(changes).toMatchObject([{ kind: 'type', path: 'limit', group: groupName('tool', 'search') }]);
    expect(changes.map(schemaChangeText)).toEqual(['from number to text in 30 new tool search rows']);
  });

  test('tools whose names contain ids are grouped by type and compared together', () => {
    let id = 0;
    const named = () => {
      id += 1;
      return `call ${id}`;
    };
    const days = [times(40, search), times(40, search), times(40, { query: 'string', limit: 'string' })];
    expect(found(days, named)).toMatchObject([{ kind: 'type', path: 'limit', group: 'tool' }]);
  });
});
