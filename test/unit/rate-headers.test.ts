import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parsePolicy, readRateHeaders } from '../../electron/core/limits/rate-headers.ts';
import { unitMs } from '../../electron/core/limits/time-units.ts';
import { parseHttpDate } from '../../electron/core/text/http-date.ts';
import { httpDate } from '../helpers/service-model.ts';

const NOTHING = { limit: null, remaining: null, reset: null, retryAfter: null, date: null };
const DATE = 'Mon, 03 Nov 2025 09:00:00 GMT';
const DATE_MS = Date.UTC(2025, 10, 3, 9);

describe('X-RateLimit-Limit', () => {
  test.each([
    ['30 per 1 second', ['30/1000']],
    ['30 per second', ['30/1000']],
    ['30 per 1 second, 1000 per 1 minute', ['30/1000', '1000/60000']],
    ['1000/minute', ['1000/60000']],
    ['30/s;1000/m', ['30/1000', '1000/60000']],
    ['1000 per 1 minute; 30 per 1 second', ['30/1000', '1000/60000']],
    ['30, 30;w=1', ['30/1000']],
    ['"default";q=100;w=60', ['100/60000']],
    ['10;w=1;comment="fixed", 120;w=60', ['10/1000', '120/60000']],
    ['1,000 requests per minute', ['1000/60000']],
    ['5 requests every 10 sec', ['5/10000']],
    ['100 per day', ['100/86400000']],
    ['30 calls in 24 hours', ['30/86400000']],
    ['2 per 500 ms', ['2/500']],
    ['60 Per 1 Hour', ['60/3600000']],
    ['10 per second, 30 per second', ['10/1000']],
    ['30', []],
    ['', []],
    ['unlimited', []],
    ['many per second', []],
    ['0 per second', []],
    ['30 per fortnight', []],
    ['30r/s', ['30/1000']],
    ['1000 rpm', ['1000/60000']],
    ['30-per-second', ['30/1000']],
    ['no more than 30 requests in any second', ['30/1000']],
    ['1000, 1000;w=60, 30;w=1', ['30/1000', '1000/60000']],
    ['10, 10;window=1, 50;window=60', ['10/1000', '50/60000']],
    ['"default";w=60;q=30', ['30/60000']],
    // The decimals of this value were once read as a separate number: five a second.
    ['0.5 per second', ['1/2000']],
    ['1.5 per 1 second', ['1/1000']],
    ['1.000/min', []],
    ['1e3/min', []],
  ])('%s', (text, expected) => {
    expect(parsePolicy(text).map(({ count, lengthMs }) => `${count}/${lengthMs}`)).toEqual(expected);
  });

  test.each([
    ['30', { bareCount: 30, saysUnlimited: false }],
    ['1,000', { bareCount: 1_000, saysUnlimited: false }],
    ['Unlimited', { bareCount: null, saysUnlimited: true }],
    ['-1', { bareCount: null, saysUnlimited: true }],
    ['30 per second', { bareCount: null, saysUnlimited: false }],
    ['0', { bareCount: null, saysUnlimited: false }],
    ['30, 30', { bareCount: 30, saysUnlimited: false }],
    ['1000, 30', { bareCount: null, saysUnlimited: false }],
    ['no-limit', { bareCount: null, saysUnlimited: true }],
  ])('as a count alone: %s', (limit, expected) => {
    expect(readRateHeaders({ ...NOTHING, limit }, 0)).toMatchObject(expected);
  });

  test('a unit that is not known has no length', () => {
    expect([unitMs('Hours'), unitMs('fortnights')]).toEqual([3_600_000, 0]);
  });

  test('only the start of a long text is read', () => {
    const limit = `30 per 1 second, 5${' '.repeat(16_000)}per ${'- '.repeat(8_000)}minute`;
    expect(readRateHeaders({ ...NOTHING, limit }, 0).windows).toEqual([{ count: 30, lengthMs: 1_000 }]);
  });

  test('any text is read without an error, and in bounded time', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.string({ maxLength: 40 }), (limit, other) => {
        const reading = readRateHeaders(
          { limit, remaining: other, reset: other, retryAfter: other, date: other },
          DATE_MS,
        );
        for (const { count, lengthMs } of reading.windows) {
          expect(count).toBeGreaterThan(0);
          expect(lengthMs).toBeGreaterThan(0);
        }
      }),
    );
  });
});

describe('Retry-After', () => {
  test.each([
    ['0', 0],
    ['7', 7_000],
    ['1.5', 1_500],
    ['86400', 86_400_000],
    ['Mon, 03 Nov 2025 09:00:30 GMT', 30_000],
    ['Monday, 03-Nov-25 09:00:30 GMT', 30_000],
    ['Mon Nov  3 09:00:30 2025', 30_000],
    ['Mon, 03 Nov 2025 08:59:00 GMT', 0],
    ['soon', null],
    ['-5', null],
    ['', null],
    ['5 minutes', 300_000],
    ['1500ms', 1_500],
    ['"7"', 7_000],
    ['2025-11-03T11:00:30+02:00', 30_000],
    // The header was sent twice, and the longest wait is used.
    ['5, 10', 10_000],
    ['Mon, 03 Nov 2025 09:00:30 GMT, Mon, 03 Nov 2025 09:00:40 GMT', 40_000],
    ['5, Mon, 03 Nov 2025 09:00:30 GMT', 30_000],
    // A timestamp, which would block the lane for ten years if it were read as seconds.
    [String(DATE_MS / 1_000 + 30), 30_000],
    [String(DATE_MS + 30_000), 30_000],
    [String(DATE_MS / 1_000 - 30), 0],
    // Not near the current date, so it is read as seconds.
    ['1000000000', 10 * 365 * 86_400_000],
  ])('%s', (retryAfter, expected) => {
    // The wall clock is wrong by an hour, so only the `Date` header of the service counts.
    const reading = readRateHeaders({ ...NOTHING, retryAfter, date: DATE }, DATE_MS + 3_600_000);
    expect(reading.retryAfterMs).toBe(expected);
  });

  test('without `Date` a date is compared with the clock of this computer', () => {
    const retryAfter = 'Mon, 03 Nov 2025 09:00:30 GMT';
    expect(readRateHeaders({ ...NOTHING, retryAfter }, DATE_MS).retryAfterMs).toBe(30_000);
  });

  test('an absurd one is clamped to ten years', () => {
    const reading = readRateHeaders({ ...NOTHING, retryAfter: '9'.repeat(30) }, DATE_MS);
    expect(reading.retryAfterMs).toBe(10 * 365 * 86_400_000);
  });
});

describe('X-RateLimit-Remaining and -Reset', () => {
  test.each([
    [String(DATE_MS / 1_000 + 12), 12_000],
    [String(DATE_MS + 12_000), 12_000],
    [String(DATE_MS / 1_000 - 12), 0],
    ['12', 12_000],
    ['Mon, 03 Nov 2025 09:00:12 GMT', 12_000],
    ['later', null],
    ['12s', 12_000],
    ['12;w=60', 12_000],
    ['2025-11-03T10:00:12+01:00', 12_000],
    [`${DATE_MS / 1_000 + 12}, ${DATE_MS / 1_000 + 40}`, 40_000],
  ])('reset %s', (reset, expected) => {
    expect(readRateHeaders({ ...NOTHING, reset, date: DATE }, 0).resetInMs).toBe(expected);
  });

  test.each([
    ['12', 12],
    ['12, 900', 12],
    ['0', 0],
    ['none', null],
    ['-1', null],
    // The header was sent twice, e.g. also by a gateway in front of the service, and the lowest value is used.
    ['900, 12', 12],
    ['12;w=1', 12],
    ['1,000', 1_000],
  ])('remaining %s', (remaining, expected) => {
    expect(readRateHeaders({ ...NOTHING, remaining }, 0).remaining).toBe(expected);
  });
});

describe('dates in headers', () => {
  test('every form of every second from 1970 to 2069 is read back', () => {
    const second = fc.integer({ min: 0, max: Date.UTC(2069, 11, 31) / 1_000 }).map((value) => value * 1_000);
    fc.assert(
      fc.property(second, fc.constantFrom('imf', 'rfc850', 'asctime'), (ms, form) => {
        expect(parseHttpDate(httpDate(ms, form))).toBe(ms);
        expect(parseHttpDate(new Date(ms).toISOString())).toBe(ms);
      }),
    );
  });

  test.each([
    '',
    'now',
    'Mon, 03 Nov 2025',
    'Mon, 33 Nov 2025 09:00:00 GMT',
    'Mon, 03 Nov 2025 25:00:00 GMT',
  ])('no date: %s', (text) => {
    expect(parseHttpDate(text)).toBeNull();
  });

  test('a leap second is the next second', () => {
    expect(parseHttpDate('Sat, 31 Dec 2016 23:59:60 GMT')).toBe(Date.UTC(2017, 0, 1));
  });
});
