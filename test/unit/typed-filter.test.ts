/** Typed filters of a column are read, written back, or rejected with the expected form. */
import { describe, expect, test } from 'vitest';
import type { ColumnFilter } from '../../electron/shared/analysis-model.ts';
import type { WordTable } from '../../electron/shared/shown-words.ts';
import {
  filterOfValue,
  readTyped,
  type TypedKind,
  typedKind,
  writeTyped,
} from '../../renderer/lib/grid/typed-filter.ts';
import { passes } from '../../renderer/lib/row-profiles.ts';

const read = (typed: string, kind: TypedKind): ColumnFilter | null => {
  const found = readTyped(typed, 'f', kind);
  if ('problem' in found) throw new Error(found.problem);
  return found.filter;
};
const range = (from: number | null, to: number | null, includesTo: boolean, more = {}) => ({
  ...{ kind: 'range', field: 'f', from, to, includesTo },
  ...more,
});
const at = (text: string) => Date.parse(text);

describe('a typed filter', () => {
  test.each<[TypedKind, string, object | null]>([
    ['number', ' ', null],
    ['number', '5', range(5, 5, true)],
    ['number', '=-1.5e3', range(-1_500, -1_500, true)],
    ['number', '>5', range(5, null, false, { excludesFrom: true })],
    ['number', '>= 5', range(5, null, false)],
    ['number', '<.5', range(null, 0.5, false)],
    ['number', '<=5', range(null, 5, true)],
    ['number', '1 .. 3', range(1, 3, true)],
    ['number', '!=7', range(7, 7, true, { excludes: true })],
    ['time', '!=2026-03-01', range(at('2026-03-01'), at('2026-03-02'), false, { excludes: true })],
    ['number', 'is null', { kind: 'emptiness', field: 'f', is: 'null' }],
    ['text', 'Refund', { kind: 'contains', field: 'f', text: 'Refund', excludes: false }],
    ['text', '!refund', { kind: 'contains', field: 'f', text: 'refund', excludes: true }],
    ['text', '=paid', { kind: 'values', field: 'f', values: ['paid'], excludes: false }],
    ['text', '!= a=b', { kind: 'values', field: 'f', values: ['a=b'], excludes: true }],
    ['text', 'IS ABSENT', { kind: 'emptiness', field: 'f', is: 'absent' }],
    ['text', 'is missing', { kind: 'emptiness', field: 'f', is: 'missing' }],
    ['text', '>5', { kind: 'contains', field: 'f', text: '>5', excludes: false }],
    ['time', '2026-03-01', range(at('2026-03-01'), at('2026-03-02'), false)],
    ['time', '>2026-03-01', range(at('2026-03-02'), null, false)],
    ['time', '<=2026-03-01', range(null, at('2026-03-02'), false)],
    ['time', '2026-03-01..2026-03-05T12:00', range(at('2026-03-01'), at('2026-03-05T12:00Z'), true)],
    ['time', '>=2026-03-01T10:00+02:00', range(at('2026-03-01T08:00Z'), null, false)],
  ])('of a column of kind %s, %j', (kind, typed, filter) => expect(read(typed, kind)).toEqual(filter));

  test.each<[TypedKind, string, RegExp]>([
    ['number', 'many', /^Expected a number, such as .*; got “many”\.$/],
    ['number', '1,5', /^Expected a number/],
    ['number', '5..1', /^Expected the smaller end first/],
    ['number', '1..', /^Expected a number/],
    ['time', 'yesterday', /^Expected a time, such as/],
    ['time', '2026-13-45', /^Expected a time/],
    ['text', '=', /^Expected text that occurs/],
    ['text', 'x'.repeat(201), /^Expected at most 200 characters, got 201\./],
  ])('that is invalid shows the expected form (%s, %j)', (kind, typed, problem) => {
    const found = readTyped(typed, 'f', kind);
    expect('problem' in found ? found.problem : '').toMatch(problem);
  });

  test.each<[TypedKind, string]>([
    ['number', '5'],
    ['number', '>5'],
    ['number', '>=5'],
    ['number', '<5'],
    ['number', '<=5'],
    ['number', '1..3'],
    ['number', '!=7'],
    ['number', 'is empty'],
    ['text', 'a b'],
    ['text', '!a'],
    ['text', '=a'],
    ['text', '!=a'],
    ['time', '>=2026-03-01T08:00:00.000Z'],
  ])('is written back as typed (%s, %s)', (kind, typed) =>
    expect(writeTyped(read(typed, kind) ?? undefined, kind)).toBe(typed),
  );
});

test('the words that a column shows for its values stand for the values', () => {
  const worded = { table: 'span-states' as const, known: ['OK', 'ERROR', 'error'] };
  const values = (typed: string, known = worded.known, table: WordTable = worded.table) => {
    const found = readTyped(typed, 'f', 'text', { table, known });
    return 'filter' in found && found.filter?.kind === 'values' ? found.filter.values : null;
  };
  expect(values('=failed')).toEqual(['ERROR', 'error']);
  expect(values('!=Failed', ['ERROR'])).toEqual(['ERROR']);
  expect(values('=ERROR')).toEqual(['ERROR']);
  expect(values('=timeout')).toEqual(['timeout']);
  const filter = filterOfValue('ERROR', { field: 'f', kind: 'text', excludes: true });
  expect(writeTyped(filter ?? undefined, 'text', worded)).toBe('!=Failed');
  const both: ColumnFilter = { kind: 'values', field: 'f', values: ['ERROR', 'error'], excludes: false };
  expect(writeTyped(both, 'text', worded)).toBe('=Failed');
  expect(writeTyped(both, 'text')).toBe('');

  // The same holds before the occurring values are known, and if only some of them are known.
  expect(values('=failed', [])).toEqual(['ERROR']);
  expect(values('=no status', ['OK'])).toEqual(['UNSET']);
  expect(values('=OK', [])).toEqual(['OK']);
  expect(values('=Done', [], 'task-states')).toEqual(['SUCCESS']);
  expect(values('=pre-production', [], 'constants')).toEqual(['PRE_PRODUCTION']);
  expect(values('=active', [], 'constants')).toEqual(['ACTIVE', 'active']);
  expect(values('=gpt', [], 'constants')).toEqual(['gpt']);
  expect(values('=in progress', [], 'constants')).toEqual(['IN_PROGRESS']);
  expect(values('=paused', [], 'enabled')).toEqual(['false']);
  expect(values('!=Yes', [], 'yes-no')).toEqual(['true']);
});

test('a text finds the words that the column shows for its values, and no other words', () => {
  const rows = ['OK', 'ERROR', 'UNSET', 'an ERROR', 'NOT_YET_SENT', 'success', true, false];
  const left = (typed: string, table: WordTable | null) => {
    const found = readTyped(typed, 'f', 'text', table === null ? null : { table, known: [] });
    const filter = 'filter' in found ? found.filter : null;
    return rows.filter((f) => filter !== null && passes(filter)({ f }));
  };
  expect(left('failed', 'span-states')).toEqual(['ERROR']);
  expect(left('error', 'span-states')).toEqual(['ERROR', 'an ERROR']);
  expect(left('yet sent', 'span-states')).toEqual([]);
  expect(left('yet sent', 'constants')).toEqual(['NOT_YET_SENT']);
  expect(left('done', 'task-states')).toEqual(['success']);
  expect(left('enab', 'enabled')).toEqual([true]);
  expect(left('paused', 'enabled')).toEqual([false]);
  for (const table of [null, 'constants', 'task-states'] as const)
    expect(left('!failed', table)).toEqual(rows);
  expect(left('done', null)).toEqual([]);
  expect(left('done', 'constants')).toEqual([]);
});

test('several clicked values cannot be typed', () => {
  const filter: ColumnFilter = { kind: 'values', field: 'f', values: ['a', 'b'], excludes: false };
  expect(writeTyped(filter, 'text')).toBe('');
});

test('a column is read by the kind of its values, otherwise as shown', () => {
  expect(typedKind('decimal', 'text')).toBe('number');
  expect(typedKind('numeric-text', 'text')).toBe('number');
  expect(typedKind('boolean', 'number')).toBe('text');
  expect(typedKind(undefined, 'time')).toBe('time');
  expect(typedKind(undefined, 'chip')).toBe('text');
});

test('the matching rows are the ones that the typed filter describes', () => {
  const rows = [{ f: 4 }, { f: 5 }, { f: 6 }, { f: null }, {}].map((row) => row as Record<string, unknown>);
  const left = (typed: string, kind: TypedKind) => {
    const filter = read(typed, kind);
    return rows.filter((row) => filter !== null && passes(filter)(row)).length;
  };
  expect(['>5', '>=5', '<5', '5', '4..5', '!=5', 'is null'].map((typed) => left(typed, 'number'))).toEqual([
    1, 2, 1, 1, 2, 4, 1,
  ]);
});

describe('the value of a cell', () => {
  test.each<[TypedKind, unknown, unknown]>([
    ['text', ' paid ', 'paid'],
    ['text', true, false],
    ['number', 5, 5.5],
    ['number', '12.50', '12'],
    ['time', '2026-03-01T12:00:00.123Z', '2026-03-01T12:00:00Z'],
    ['text', null, ''],
    ['number', undefined, null],
    ['text', '', 'x'],
  ])('%s %o: matches rows with it, not %o', (kind, value, other) => {
    const filter = filterOfValue(value, { field: 'f', kind, excludes: false });
    const row = (of: unknown) => (of === undefined ? {} : { f: of });
    if (filter === null) throw new Error('Expected a filter.');
    expect(passes(filter)(row(value))).toBe(true);
    expect(passes(filter)(row(other))).toBe(false);
    const without = filterOfValue(value, { field: 'f', kind, excludes: true });
    if (without === null) return;
    expect(passes(without)(row(value))).toBe(false);
    expect(passes(without)(row(other))).toBe(true);
  });

  test('lists, objects, exact numbers and words among numbers have none', () => {
    expect(filterOfValue([1], { field: 'f', kind: 'text', excludes: false })).toBeNull();
    expect(filterOfValue('many', { field: 'f', kind: 'number', excludes: false })).toBeNull();
  });
});
