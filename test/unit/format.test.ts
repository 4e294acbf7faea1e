import { describe, expect, test } from 'vitest';
import { shownList } from '../../electron/cli/list-columns.ts';
import { NUMBER_FORMATS, type NumberFormat, ungrouped } from '../../electron/shared/value-formats.ts';
import { parseTime } from '../../electron/shared/zone-time.ts';
import {
  fieldNumber,
  followFormats,
  formatAge,
  formatBytes,
  formatCount,
  formatDuration,
  formatFull,
  formatJsonLine,
  formatMoment,
  formatNumber,
  formatStamp,
  noneOf,
  plainNumber,
  shortenMiddle,
} from '../../renderer/lib/format.ts';

const BERLIN = 'Europe/Berlin';
const at = (text: string) => Date.parse(text);

test.each(NUMBER_FORMATS)('a number written as $title is read with the same format', ({ title, value }) => {
  expect(Number(ungrouped(title, value))).toBe(12_345.6);
  expect(Number(ungrouped(title.slice(0, -2), value))).toBe(12_345);
});

test.each(NUMBER_FORMATS)('as $title, a number that begins with 0 is never grouped', ({ value }) => {
  for (const typed of ['0.125', '0,125', '+0.125', '+0,125', '00.125'])
    expect(Number(ungrouped(typed, value)), typed).toBe(0.125);
  expect(Number(ungrouped('-0,125', value))).toBe(-0.125);
  expect(Number(ungrouped('1.125', value))).toBe(value === 'point' ? 1_125 : 1.125);
  expect(Number(ungrouped('1,125', value))).toBe(value === 'comma' ? 1_125 : 1.125);
});

test.each(NUMBER_FORMATS)(
  'as $title, a number that fills a field is read as the same number',
  ({ value }) => {
    const follow = (numbers: NumberFormat) =>
      followFormats(() => ({ zone: undefined, numbers, dates: 'day-month', isTwelveHours: false }));
    follow(value);
    const numbers = [0.125, 1.125, 1_125, -12_345.678, 1_000_000, 1.5e-7, 1.125e21];
    expect(numbers.map((number) => Number(plainNumber(fieldNumber(number))))).toEqual(numbers);
    follow('comma');
  },
);

describe('formatted numbers', () => {
  test.each([
    [0, '0'],
    [1_234_567, '1,234,567'],
    [-12.5, '-12.5'],
    [0.25, '0.25'],
    [0.000001, '1.000e-6'],
    [1e21, '1.000e+21'],
    [Number.NaN, 'NaN'],
  ])('%d is written %s', (value, text) => expect(formatNumber(value)).toBe(text));

  test('a count agrees with its noun', () => {
    expect(formatCount(1, 'row')).toBe('1 row');
    expect(formatCount(0, 'row')).toBe('0 rows');
    expect(formatCount(2_000, 'entity', 'entities')).toBe('2,000 entities');
  });

  test.each([
    [1, '1 byte'],
    [812, '812 bytes'],
    [593_262, '593 KB'],
    [1_200, '1.2 KB'],
    [12_400_000, '12 MB'],
    [999_600, '1 MB'],
    [5_000_000_000, '5 GB'],
  ])('%d bytes are written %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});

describe('formatted durations', () => {
  test.each([
    [-5, '0 ms'],
    [850, '850 ms'],
    [1_600, '1.6 s'],
    [12_000, '12 s'],
    [59_800, '1 min'],
    [120_000, '2 min'],
    [3_600_000, '1 h'],
    [12_000_000, '3 h 20 min'],
    [11 * 3_600_000, '11 h'],
    [86_400_000, '1 day'],
    [4 * 86_400_000, '4 days'],
  ])('%d ms is written as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  test('an age has one unit', () => {
    expect(formatAge(20_000)).toBe('now');
    expect(formatAge(3 * 60_000)).toBe('3 min');
    expect(formatAge(3.9 * 3_600_000)).toBe('3 h');
    expect(formatAge(50 * 3_600_000)).toBe('2 days');
  });
});

describe('formatted times', () => {
  const now = at('2026-03-12T14:02:00Z');

  test('are shown relative to now as briefly as possible, in the zone', () => {
    expect(formatMoment(at('2026-03-12T11:00:00Z'), now, BERLIN)).toBe('12:00');
    expect(formatMoment(at('2026-03-11T23:30:00Z'), now, BERLIN)).toBe('00:30');
    expect(formatMoment(at('2026-03-10T11:00:00Z'), now, BERLIN)).toBe('Tue 12:00');
    expect(formatMoment(at('2026-01-02T11:00:00Z'), now, BERLIN)).toBe('2 Jan 12:00');
    expect(formatMoment(at('2024-01-02T11:00:00Z'), now, BERLIN)).toBe('2 Jan 2024');
    // On a Tuesday, the Tuesday before the clocks were set forward has its date.
    const tuesday = at('2026-03-30T22:10:00Z');
    expect(formatMoment(at('2026-03-24T22:30:00Z'), tuesday, BERLIN)).toBe('24 Mar 23:30');
    expect(formatMoment(at('2026-03-24T23:30:00Z'), tuesday, BERLIN)).toBe('Wed 00:30');
  });

  test('in columns have one form; the full form names the zone', () => {
    expect(formatStamp(now, BERLIN)).toBe('2026-03-12 15:02:00');
    expect(formatFull(now, BERLIN)).toMatch(/^Thursday,? 12 March 2026 at 15:02:00 CET$/);
  });

  test.each([BERLIN, 'Asia/Kolkata', 'Africa/Monrovia', 'UTC'])(
    'in columns are exact to the second in %s, also in a repeated hour',
    (zone) => {
      const exact = new Intl.DateTimeFormat('sv-SE', {
        dateStyle: 'short',
        timeStyle: 'medium',
        timeZone: zone,
      });
      const moments = ['1960-05-01T00:00:10.900Z', '1969-12-31T23:59:59.001Z', '2026-03-29T00:59:59.999Z'];
      for (const start of [...moments, '2026-10-25T00:59:58Z', '2026-03-12T14:02:33.500Z'].map(at)) {
        for (const ms of [0, 1, 999, 1_000, 1_500, 61_000, 3_600_000].map((by) => start + by)) {
          const text = exact.format(ms);
          expect([formatStamp(ms, zone), formatStamp(ms, zone)]).toEqual([text, text]);
        }
      }
    },
  );

  test('are read from ISO text, seconds and milliseconds, and from no other form', () => {
    expect(parseTime('2026-03-12T14:02:00Z')).toBe(now);
    expect(parseTime(now)).toBe(now);
    expect(parseTime(now / 1_000)).toBe(now);
    expect(parseTime(now * 1_000)).toBe(now);
    expect(parseTime(now * 1_000_000)).toBe(now);
    // The result is the same in any zone of this computer, as the service uses UTC.
    expect(parseTime('2026-03-12 14:02:00')).toBe(now);
    expect(parseTime('2026-03-12T14:02:00.000')).toBe(now);
    expect(parseTime('2026-99-99')).toBeNull();
    expect(parseTime('12')).toBeNull();
    expect(parseTime(null)).toBeNull();
    expect(parseTime(Number.NaN)).toBeNull();
  });

  test('are never numbers that no clock can show', () => {
    for (const value of [1e25, -1e25, Number.MAX_VALUE, -1e14]) {
      const ms = parseTime(value);
      if (ms !== null) expect(() => new Date(ms).toISOString()).not.toThrow();
    }
    expect(parseTime(1e25)).toBeNull();
    const columns = [{ id: 'x', name: 'Rule', latest_alert_time_bucket: 1e25 }];
    expect(shownList('alert-rules.summary', columns, 'id').rows[0]?.['latest_alert_time_bucket']).toBe(1e25);
  });
});

describe('long texts', () => {
  test('an id keeps its start and end', () => {
    expect(shortenMiddle('6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c11')).toBe('6a1f0d3e-…1c11');
    expect(shortenMiddle('short')).toBe('short');
    expect(Array.from(shortenMiddle('😀'.repeat(40)))).toHaveLength(14);
  });

  test('JSON in a cell is one line, cut', () => {
    expect(formatJsonLine({ a: [1, null] })).toBe('{"a":[1,null]}');
    expect(formatJsonLine(undefined)).toBe('');
    expect(formatJsonLine({ text: 'x'.repeat(1_000) })).toHaveLength(300);
  });
});

test('says of none of several things, or of the only one, that it does not match', () => {
  expect(noneOf('5,000 loaded entities', 'matches', 'does not match')).toBe(
    'None of the 5,000 loaded entities matches',
  );
  expect(noneOf('1 loaded task', 'matches', 'does not match')).toBe('The only loaded task does not match');
  expect(noneOf('12 spans', 'names', 'does not name')).toBe('None of the 12 spans names');
});
