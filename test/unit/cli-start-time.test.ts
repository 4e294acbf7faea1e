import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseStartTime } from '../../electron/cli/start-time.ts';
import { localTimeText } from '../../electron/shared/local-time.ts';

const NOON_MS = new Date(2026, 4, 1, 12, 0).getTime();
const at = (text: string, nowMs = NOON_MS) => localTimeText(parseStartTime(text, nowMs));

test('a time of day is its next occurrence on the wall clock', () => {
  expect(at('13:30')).toBe('2026-05-01 13:30');
  expect(at('2:00')).toBe('2026-05-02 02:00');
  expect(at('12:00')).toBe('2026-05-02 12:00');
  expect(at('02:00', new Date(2026, 11, 31, 23).getTime())).toBe('2027-01-01 02:00');
});

test('a day with a time is local, one with a zone is that instant', () => {
  expect(at('2026-05-03 02:00')).toBe('2026-05-03 02:00');
  expect(at('2026-05-03T02:00:30')).toBe('2026-05-03 02:00');
  expect(parseStartTime('2026-05-03T02:00:00Z', NOON_MS)).toBe(Date.UTC(2026, 4, 3, 2));
  expect(parseStartTime('2026-05-03T02:00+02:00', NOON_MS)).toBe(Date.UTC(2026, 4, 3, 0));
});

test('a day alone is its start, a word is a day, and a length is from now', () => {
  expect(at('2026-05-03')).toBe('2026-05-03 00:00');
  expect(at('tomorrow')).toBe('2026-05-02 00:00');
  expect(at('tomorrow 02:30')).toBe('2026-05-02 02:30');
  expect(at('2h')).toBe('2026-05-01 14:00');
  expect(parseStartTime('2026-05-03 02:00 Europe/Berlin', NOON_MS)).toBe(Date.UTC(2026, 4, 3, 0));
});

test.each([
  'tonight',
  '25:00',
  '12:60',
  '2026-02-30 02:00',
  '2026-05-03 02:00 Nowhere',
  '',
  '1777636800',
  '02:00:00',
  'tomorrow 25:00',
])('“%s” is not a time', (text) => {
  expect(() => parseStartTime(text, NOON_MS)).toThrow('expects a time such as');
});

test('a past time is rejected', () => {
  expect(() => parseStartTime('2026-05-01 11:59', NOON_MS)).toThrow('has passed');
});

describe('in the night when clocks are set back', () => {
  const { TZ } = process.env;
  beforeEach(() => {
    process.env['TZ'] = 'Europe/Berlin';
  });
  afterEach(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
  });

  // 02:00 to 03:00 occurs twice: from 00:00 UTC and again from 01:00 UTC.
  test.each([
    ['the first time, for the first', '00:10', '2026-10-25T00:30:00.000Z'],
    ['the first time, for the second', '00:50', '2026-10-25T01:30:00.000Z'],
    ['the second time', '01:10', '2026-10-25T01:30:00.000Z'],
    ['afterwards', '01:40', '2026-10-26T01:30:00.000Z'],
  ])('02:30 requested while the wall clock shows it %s', (_when, utc, expected) => {
    const nowMs = Date.parse(`2026-10-25T${utc}:00Z`);
    expect(new Date(parseStartTime('02:30', nowMs)).toISOString()).toBe(expected);
  });
});
