/** The time range of a query is moved to a later time, wherever the operation of the query has it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { titleOfList } from '../../electron/analysis/list-title.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { movedQuery, rangeOfQuery } from '../../electron/shared/query-range.ts';
import { inputTime } from '../../renderer/lib/monitoring/chart-range.ts';

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

describe('on a computer that is not in UTC', () => {
  const { TZ } = process.env;
  beforeEach(() => {
    process.env['TZ'] = 'Asia/Kolkata';
  });
  afterEach(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });

  const plain = { start_time: '2026-05-01 00:00:00', end_time: '2026-05-08 00:00:00' };

  test('takes times without a zone as UTC, like the service', () => {
    const query = at({}, { filters: { time_range: plain } });
    expect(rangeOfQuery(query)).toEqual({ startMs: Date.UTC(2026, 4, 1), endMs: Date.UTC(2026, 4, 8) });
    expect(movedQuery(query, DAY).body).toEqual({
      filters: {
        time_range: { start_time: '2026-05-02T00:00:00.000Z', end_time: '2026-05-09T00:00:00.000Z' },
      },
    });
  });

  test('titles such a list by the days in UTC', () => {
    expect(titleOfList(at({}, plain), new Map())).toBe('Spans, 1–7 May');
  });

  test('shows such a bound of a chart on the clock of its zone', () => {
    expect(inputTime(plain.start_time, 'UTC')).toBe('2026-05-01T00:00');
  });
});
