/** The time range of a query is moved to a later time, wherever the operation of the query has it. */
import { expect, test } from 'vitest';
import type { ListQuery } from '../../electron/shared/model.ts';
import { movedQuery, rangeOfQuery } from '../../electron/shared/query-range.ts';

const range = { start_time: '2026-05-01T00:00:00Z', end_time: '2026-05-08T00:00:00Z' };
const DAY = 86_400_000;
const at = (query: ListQuery['query'], body?: ListQuery['body']): ListQuery => ({
  ...{ operation: 'spans.query', path: {}, query },
  ...(body === undefined ? {} : { body }),
});

test.each([
  ['its parameters', at({ ...range, name: 'x' })],
  ['its body', at({}, { ...range, application_id: 'a' })],
  ['the filters of its body', at({}, { filters: { time_range: { ...range, bin: 'day' }, model: 'm' } })],
])('moves the range in %s, and leaves the rest', (_where, query) => {
  const moved = movedQuery(query, DAY);
  expect(rangeOfQuery(moved)).toEqual({ startMs: Date.UTC(2026, 4, 2), endMs: Date.UTC(2026, 4, 9) });
  const back = JSON.stringify(movedQuery(moved, -DAY)).replaceAll('.000Z', 'Z');
  expect(back).toBe(JSON.stringify(query));
});

test('leaves a query without a range', () => {
  const query = at({ name: 'x' }, { application_id: 'a' });
  expect(movedQuery(query, DAY)).toBe(query);
});
