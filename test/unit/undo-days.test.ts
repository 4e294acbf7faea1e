/** When the deletions that undo an upload start, and the days that identify its events without including others. */
import { describe, expect, test } from 'vitest';
import { firstDay, rangeAround } from '../../electron/core/jobs/undo.ts';
import { DAY_MS } from '../../electron/core/limits/limits.ts';

const days = { nowMs: 1_000, left: 3, limit: 30 };
const at = (text: string): number => Date.parse(`${text}Z`);

describe('the first day', () => {
  test('is today with its remaining limit, if nothing is planned', () => {
    expect(firstDay(days, null)).toEqual(days);
  });

  test('has all its requests only if it begins more than a day from now, with a margin', () => {
    expect(firstDay(days, 1_000 + DAY_MS)).toEqual({ ...days, nowMs: 1_000 + DAY_MS });
    const beginMs = 1_000 + DAY_MS + 600_000;
    expect(firstDay(days, beginMs)).toEqual({ ...days, nowMs: beginMs, left: 30 });
    expect(firstDay({ ...days, limit: 0 }, beginMs)).toMatchObject({ left: 1 });
  });
});

describe('the range around events', () => {
  const times = { fromMs: at('2026-03-10 10:00'), toMs: at('2026-03-10 12:00') };

  test('is whole days in any zone', () => {
    expect(rangeAround(times, [])).toEqual({
      startTime: '2026-03-09 00:00:00',
      endTime: '2026-03-12 00:00:00',
    });
  });

  test.each([
    ['a day before it', '2026-03-08 00:00', false],
    ['just before that', '2026-03-07 23:59', true],
    ['within it', '2026-03-10 11:00', false],
    ['almost a day after it', '2026-03-12 23:59', false],
    ['a day after it', '2026-03-13 00:00', true],
  ])('is used or not if there is another event %s', (_name, time, isUsed) => {
    const other = { fromMs: at(time), toMs: at(time) };
    expect(rangeAround(times, [other]) !== null).toBe(isUsed);
  });

  test.each([
    ['before 1970', { fromMs: 0, toMs: 1 }],
    ['after the year 9998', { fromMs: at('9998-12-30 00:00'), toMs: at('9998-12-31 00:00') }],
  ])('is not used for times %s, which a range cannot contain with its margin', (_name, odd) => {
    expect(rangeAround(odd, [])).toBeNull();
  });
});
