/** Ticks of a time axis and times as text, in several zones and on days when clocks change. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerTime } from '../../electron/shared/answer-table.ts';
import {
  civilAt,
  isoTime,
  isoWithOffset,
  isZone,
  momentOf,
  offsetText,
  usableZone,
  zoneName,
} from '../../electron/shared/zone-time.ts';
import { areDays, momentText, tickLines, tickTexts, timeTicks } from '../../renderer/lib/chart/time-ticks.ts';
import { runs } from '../helpers/runs.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BERLIN = 'Europe/Berlin';
const ZONES = ['UTC', BERLIN, 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia'];
const at = (text: string) => Date.parse(text);

function texts(start: string, end: string, zone: string, most: number): string[] {
  const ticks = timeTicks(at(start), at(end), zone, most);
  return tickTexts(ticks, zone).map((lines) => lines.join(' | '));
}

describe('wall clocks', () => {
  test('offsets, half hours and the days when clocks change', () => {
    expect(offsetText(at('2026-01-10T00:00Z'), BERLIN)).toBe('+01:00');
    expect(offsetText(at('2026-07-10T00:00Z'), BERLIN)).toBe('+02:00');
    expect(offsetText(at('2026-01-10T00:00Z'), 'Asia/Kolkata')).toBe('+05:30');
    expect(offsetText(at('2026-07-10T00:00Z'), 'America/New_York')).toBe('-04:00');
    expect(isoWithOffset(at('2026-03-29T01:30:00.250Z'), BERLIN)).toBe('2026-03-29T03:30:00.250+02:00');
  });

  test('an ambiguous time is the first of the two; a skipped time is moved by as much', () => {
    const night = { year: 2026, day: 25, month: 9 };
    expect(momentOf({ ...night, hour: 2, minute: 30 }, BERLIN)).toBe(at('2026-10-25T00:30Z'));
    const spring = { year: 2026, day: 29, month: 2 };
    expect(momentOf({ ...spring, hour: 2, minute: 30 }, BERLIN)).toBe(at('2026-03-29T01:30Z'));
    expect(civilAt(at('2026-03-29T01:30Z'), BERLIN)).toMatchObject({ hour: 3, minute: 30, weekday: 0 });
  });

  test('years below 100 stay as they are', () => {
    const first = { year: 1, month: 0, day: 1 };
    expect(momentOf(first, 'UTC')).toBe(at('0001-01-01T00:00Z'));
    expect(civilAt(momentOf(first, 'Asia/Kolkata'), 'Asia/Kolkata')).toMatchObject(first);
    expect(answerTime('0001-01-01 00:00:00', 'UTC')).toBe(at('0001-01-01T00:00Z'));
  });

  test.each([
    ['2026-02-28T05:00:00', '2026-02-28T05:00Z'],
    ['2028-02-29', '2028-02-29T00:00Z'],
    ['2026-05-31 05:00:00.5', '2026-05-31T05:00:00.500Z'],
    ['2026-01-01T05:00:00+02', '2026-01-01T03:00Z'],
    ['2026-01-01 05:00:00.123456+00', '2026-01-01T05:00:00.123Z'],
    ['2026-01-01T05:00-0530', '2026-01-01T10:30Z'],
  ])('the text %s is %s', (text, moment) => {
    expect(isoTime(text)).toBe(at(moment));
  });

  test.each(['2026-02-30', '2026-02-29T05:00:00Z', '2026-06-31 05:00:00', '2026-13-01', '2026-01-00'])(
    'the text %s is not a time',
    (text) => {
      expect(isoTime(text)).toBeNull();
    },
  );

  test('converts any moment in any zone to wall time and back', () => {
    const moments = fc.integer({
      min: at('1990-01-01T00:00Z') / 1_000,
      max: at('2060-01-01T00:00Z') / 1_000,
    });
    fc.assert(
      fc.property(moments, fc.constantFrom(...ZONES), (seconds, zone) => {
        const ms = seconds * 1_000;
        const back = momentOf(civilAt(ms, zone), zone);
        // An ambiguous time may be converted to the first of its two moments.
        expect(civilAt(back, zone)).toEqual(civilAt(ms, zone));
        expect(ms - back).toBeLessThanOrEqual(HOUR);
        expect(ms - back).toBeGreaterThanOrEqual(0);
        expect(Date.parse(isoWithOffset(ms, zone))).toBe(ms);
      }),
      { numRuns: runs(400) },
    );
  });

  test('an unknown zone name becomes UTC', () => {
    expect(isZone('Europe/Berlin')).toBe(true);
    expect(isZone('Moon/Crater')).toBe(false);
    expect(usableZone('Moon/Crater')).toBe('UTC');
    expect(usableZone(null)).toBe('UTC');
    expect(zoneName('Etc/GMT')).toBe('UTC');
    expect(zoneName('America/New_York')).toBe('America/New York');
  });
});

describe('marks of a time axis', () => {
  test('days, with the year at its start', () => {
    expect(texts('2025-12-28T00:00Z', '2026-01-03T00:00Z', 'UTC', 8)).toEqual([
      '28 Dec | 2025',
      '29 Dec',
      '30 Dec',
      '31 Dec',
      '1 Jan | 2026',
      '2 Jan',
      '3 Jan',
    ]);
  });

  test('weeks begin on Monday', () => {
    const { ticks } = timeTicks(at('2026-03-01T00:00Z'), at('2026-04-20T00:00Z'), 'UTC', 8);
    expect(ticks.map((ms) => civilAt(ms, 'UTC').weekday)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  });

  test('the day of 23 hours has its midnight marks and no mark for the skipped hour', () => {
    const { ticks } = timeTicks(at('2026-03-27T23:00Z'), at('2026-03-30T22:00Z'), BERLIN, 4);
    expect(ticks.map((ms) => isoWithOffset(ms, BERLIN))).toEqual([
      '2026-03-28T00:00:00+01:00',
      '2026-03-29T00:00:00+01:00',
      '2026-03-30T00:00:00+02:00',
      '2026-03-31T00:00:00+02:00',
    ]);
    expect(texts('2026-03-28T23:00Z', '2026-03-29T04:00Z', BERLIN, 6)).toEqual([
      '00:00 | 29 Mar',
      '01:00',
      '03:00',
      '04:00',
      '05:00',
      '06:00',
    ]);
  });

  test('the day of 25 hours shows its repeated hour twice', () => {
    expect(texts('2026-10-24T23:00Z', '2026-10-25T03:00Z', BERLIN, 5)).toEqual([
      '01:00 | 25 Oct',
      '02:00',
      '02:00',
      '03:00',
      '04:00',
    ]);
  });

  test('six-hour marks are at the same hours on both sides of a change', () => {
    const { ticks } = timeTicks(at('2026-03-28T00:00Z'), at('2026-03-30T12:00Z'), BERLIN, 12);
    expect(new Set(ticks.map((ms) => civilAt(ms, BERLIN).hour % 6))).toEqual(new Set([0]));
  });

  test('a day skipped by the zone has no marks', () => {
    const startMs = at('2011-12-30T09:59:59.999Z');
    const { ticks } = timeTicks(startMs, startMs + 12 * HOUR, 'Pacific/Apia', 2);
    expect(ticks).toEqual([at('2011-12-30T10:00Z'), at('2011-12-30T16:00Z')]);
  });

  test('a zone of half hours has round marks of its own', () => {
    expect(texts('2026-01-10T00:00Z', '2026-01-10T03:00Z', 'Asia/Kolkata', 4)).toEqual([
      '06:00 | 10 Jan',
      '07:00',
      '08:00',
    ]);
  });

  test('a mark with a date alone is at the first moment of its day, and only there', () => {
    const changes = ['2026-03-29T01:00Z', '2026-10-25T01:00Z', '2011-12-30T10:00Z', '2026-04-04T15:00Z'];
    const starts = fc.oneof(
      fc.integer({ min: at('1995-01-01T00:00Z'), max: at('2040-01-01T00:00Z') }),
      fc
        .tuple(fc.constantFrom(...changes), fc.integer({ min: -3 * DAY, max: 0 }))
        .map(([change, shift]) => at(change) + shift),
    );
    // In Havana and Beirut clocks change at midnight, so such a day begins at one o'clock.
    const zones = fc.constantFrom(...ZONES, 'America/Havana', 'Asia/Beirut');
    fc.assert(
      fc.property(
        starts,
        fc.integer({ min: 60_000, max: 400 * DAY }),
        zones,
        fc.integer({ min: 1, max: 12 }),
        (startMs, lengthMs, zone, most) => {
          const made = timeTicks(startMs, startMs + lengthMs, zone, most);
          const lines = tickLines(made, zone);
          const isDate = (line: string) => /^\d{1,2} \w{3}( \d{4})?$/.test(line);
          const dates = lines.filter(isDate);
          expect(new Set(dates).size).toBe(dates.length);
          for (const [index, ms] of made.ticks.entries()) {
            if (!isDate(lines[index] ?? '')) continue;
            expect(civilAt(ms, zone).day).not.toBe(civilAt(ms - 1, zone).day);
          }
          expect(new Set(made.ticks).size).toBe(made.ticks.length);
        },
      ),
      { numRuns: runs(400) },
    );
  });

  test('never too many, ascending, inside, and round on the wall clock', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: at('1995-01-01T00:00Z'), max: at('2040-01-01T00:00Z') }),
        fc.integer({ min: 1_000, max: 30 * 365 * DAY }),
        fc.constantFrom(...ZONES),
        fc.integer({ min: 1, max: 20 }),
        (startMs, lengthMs, zone, most) => {
          const endMs = startMs + lengthMs;
          const made = timeTicks(startMs, endMs, zone, most);
          // A day of 25 hours, a short month or a partial step may add one or two ticks.
          expect(made.ticks.length).toBeLessThanOrEqual(most + 2 + most / 5);
          for (const [index, ms] of made.ticks.entries()) {
            expect(ms).toBeGreaterThanOrEqual(startMs);
            expect(ms).toBeLessThanOrEqual(endMs);
            if (index > 0) expect(ms).toBeGreaterThan(made.ticks[index - 1] ?? 0);
            const { minute, second } = civilAt(ms, zone);
            if (made.step.unit !== 'second') expect(second).toBe(0);
            if (made.step.unit === 'day') expect(minute).toBe(0);
          }
          expect(tickTexts(made, zone)).toHaveLength(made.ticks.length);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test('an empty span has one mark', () => {
    expect(timeTicks(5, 5, 'UTC', 8).ticks).toEqual([5]);
  });
});

describe('moments in words', () => {
  test('shows the clock time if it is meaningful', () => {
    expect(momentText(at('2026-03-12T14:00Z'), 'UTC')).toBe('Thu 12 Mar 2026, 14:00');
    expect(momentText(at('2026-03-12T14:00:05Z'), BERLIN)).toBe('Thu 12 Mar 2026, 15:00:05');
    expect(momentText(at('2026-03-12T00:00Z'), 'UTC', true)).toBe('Thu 12 Mar 2026');
  });

  test('days start at midnight of the zone, on the days when clocks change too', () => {
    const midnights = ['2026-03-28T23:00Z', '2026-03-29T22:00Z', '2026-03-30T22:00Z'].map(at);
    expect(areDays(midnights, BERLIN)).toBe(true);
    expect(areDays(midnights, 'UTC')).toBe(false);
    expect(areDays([], 'UTC')).toBe(false);
  });
});
