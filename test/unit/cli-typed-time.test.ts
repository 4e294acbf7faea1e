/** Start and end of a time range as users type them. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readPoint, sentTime } from '../../electron/cli/typed-time.ts';

const NOW_MS = Date.parse('2026-11-28T21:30:00Z');
const { TZ } = process.env;
beforeEach(() => {
  process.env['TZ'] = 'Europe/Berlin';
});
afterEach(() => {
  if (TZ === undefined) delete process.env['TZ'];
  else process.env['TZ'] = TZ;
});

test.each([
  ['2026-11-27', '2026-11-26T23:00:00Z'],
  ['2026-11-27 21:00', '2026-11-27T20:00:00Z'],
  ['2026-07-01T21:00', '2026-07-01T19:00:00Z'],
  ['2026-11-27 21:00:30 America/New_York', '2026-11-28T02:00:30Z'],
  ['2026-11-27 21:00 UTC', '2026-11-27T21:00:00Z'],
  ['2026-11-27 21:00+0100', '2026-11-27T20:00:00Z'],
  ['2026-11-27 21:00:30.250 UTC', '2026-11-27T21:00:30.25Z'],
  ['2026-11-27 21:00:30.000', '2026-11-27T20:00:30Z'],
  ['0050-01-01 00:00 UTC', '0050-01-01T00:00:00Z'],
  ['today', '2026-11-27T23:00:00Z'],
  ['yesterday', '2026-11-26T23:00:00Z'],
  ['Yesterday 6:15', '2026-11-27T05:15:00Z'],
  // The words mean days of the typed zone: in Auckland the next day has begun.
  ['today Pacific/Auckland', '2026-11-28T11:00:00Z'],
  ['yesterday 06:00 Pacific/Auckland', '2026-11-27T17:00:00Z'],
  ['tomorrow 00:00+13:00', '2026-11-29T11:00:00Z'],
  ['today 00:00 America/New_York', '2026-11-28T05:00:00Z'],
  ['21:00', '2026-11-28T20:00:00Z'],
  ['7d', '2026-11-21T21:30:00Z'],
  ['now', '2026-11-28T21:30:00Z'],
  // The clocks skip the first of these hours and show the second one twice.
  ['2026-03-29 02:30', '2026-03-29T01:30:00Z'],
  ['2026-10-25 02:30', '2026-10-25T00:30:00Z'],
])('%s is sent as %s', (typed, sent) => {
  const point = readPoint(typed, NOW_MS);
  expect(point === null ? null : sentTime(typed, point)).toBe(sent);
});

test('a time with date, clock and zone is sent as it was typed', () => {
  for (const typed of ['2026-05-01T00:00:00.123Z', '2026-05-01T00:00+02:00']) {
    const point = readPoint(typed, NOW_MS);
    expect(point === null ? null : sentTime(typed, point)).toBe(typed);
    expect(point?.isLocal).toBe(false);
  }
});

test.each([
  '27.11.2026',
  'last week',
  '2026-13-01',
  '2026-11-31',
  '2026-11-27 24:00',
  '2026-11-27 21:00 Mars/Base',
  '2026-11-27 21:00+99:00',
  '2026-11-27T21:00:00+02:99',
  '0d',
  '',
  'constructor',
])('“%s” is not a time', (typed) => {
  expect(readPoint(typed, NOW_MS)).toBeNull();
});
