/** Ranges, planned starts and their texts at moments at which days, months, years and offsets of zones change. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readPoint } from '../../electron/cli/typed-time.ts';
import { nextStart } from '../../electron/core/jobs/repeat.ts';
import { daysUpTo } from '../../electron/shared/alert-record.ts';
import { type KeepPlan, rangeUpToDay } from '../../electron/shared/keep-model.ts';
import { EVERY_DAY, WEEKDAYS } from '../../electron/shared/repeat-model.ts';
import { civilAt } from '../../electron/shared/zone-time.ts';
import { followFormats, formatMoment } from '../../renderer/lib/format.ts';
import { whatIsKept } from '../../renderer/lib/keep-words.ts';
import { presetRange as alertRange } from '../../renderer/lib/monitoring/alert-range.ts';
import { suggestedStart } from '../../renderer/lib/repeat-choice.ts';
import { startPresets, startProblem } from '../../renderer/lib/schedule.ts';
import {
  describeRange,
  isBehind,
  presetRange,
  RANGE_PRESETS,
  weekOfDays,
} from '../../renderer/lib/span-range.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONES = [
  'UTC',
  'Asia/Kolkata',
  'America/New_York',
  'Pacific/Auckland',
  // Clocks change at midnight, so the first hour of a day is missing.
  'America/Santiago',
  // Clocks change by half an hour.
  'Australia/Lord_Howe',
];
const MOMENTS = [
  '2026-12-31T23:59:59.999Z',
  '2027-01-01T00:00:00Z',
  '2026-12-31T11:00:00Z',
  '2027-01-01T05:00:00Z',
  '2028-02-29T00:00:00Z',
  '2026-02-28T23:59:30Z',
  '2026-03-31T18:30:00Z',
  // Clocks in New York are set forward and back.
  '2026-03-08T06:59:59.999Z',
  '2026-11-01T05:30:00Z',
  '2026-11-01T06:30:00Z',
  // The same in Auckland, in Santiago and on Lord Howe Island.
  '2026-09-26T14:00:00Z',
  '2027-04-03T14:30:00Z',
  '2026-09-06T03:59:59.999Z',
  '2026-09-06T04:00:00Z',
  '2026-10-03T15:30:00Z',
  '2027-04-03T14:59:59Z',
];

const { TZ } = process.env;
afterEach(() => {
  if (TZ === undefined) delete process.env['TZ'];
  else process.env['TZ'] = TZ;
  followFormats(() => ({ zone: undefined, numbers: 'comma', dates: 'day-month', isTwelveHours: false }));
});

test.each([
  ['day-month', '23 Dec to 1 Jan'],
  ['month-day', 'Dec 23 to Jan 1'],
  ['iso', '12-23 to 01-01'],
] as const)('kept spans are named by their first and last day in UTC, as %s', (dates, days) => {
  followFormats(() => ({ zone: 'America/New_York', numbers: 'comma', dates, isTwelveHours: false }));
  const range = { startMs: Date.parse('2026-12-23'), endMs: Date.parse('2027-01-02') };
  const plan = {
    kind: 'application',
    id: 'a',
    name: '',
    range,
    withValues: false,
    entities: null,
    body: null,
  };
  expect(whatIsKept(plan as KeepPlan)).toBe(`catalog, attributes, metrics, spans ${days}`);
});

describe.each(ZONES)('in %s', (zone) => {
  beforeEach(() => {
    process.env['TZ'] = zone;
    followFormats(() => ({ zone, numbers: 'comma', dates: 'day-month', isTwelveHours: false }));
  });
  const dayOf = (ms: number) => {
    const { year, month, day } = civilAt(ms, zone);
    return `${year}-${month}-${day}`;
  };

  describe.each(MOMENTS)('at %s', (at) => {
    const nowMs = Date.parse(at);

    test('the ranges of spans end after now, and are named until their day is over', () => {
      for (const { id, title } of RANGE_PRESETS) {
        const range = presetRange(id, nowMs);
        expect(range.endMs, id).toBeGreaterThan(range.startMs);
        expect(describeRange(range, nowMs)).toBe(title);
        expect(isBehind(range, nowMs), id).toBe(false);
        expect(isBehind(range, nowMs + DAY + HOUR), id).toBe(true);
      }
      const [today, yesterday] = [presetRange('today', nowMs), presetRange('yesterday', nowMs)];
      expect(today.startMs).toBeLessThanOrEqual(nowMs);
      expect(today.endMs).toBeGreaterThan(nowMs);
      expect(yesterday.endMs).toBe(today.startMs);
      expect(dayOf(today.startMs)).toBe(dayOf(nowMs));
      expect(dayOf(today.startMs - 1)).not.toBe(dayOf(nowMs));
      // From the next midnight on, the day has another name.
      const later = today.startMs + DAY + HOUR;
      expect(describeRange(today, later)).not.toBe('Today');
      expect(describeRange({ ...today, id: 'yesterday' }, later)).toBe('Yesterday');
    });

    test('the week in which spans are counted is seven days that begin at midnight in the zone', () => {
      const { startMs, endMs } = weekOfDays(nowMs);
      expect(dayOf(endMs - 1)).toBe(dayOf(nowMs));
      expect(dayOf(endMs)).not.toBe(dayOf(nowMs));
      const days = new Set<string>();
      for (let ms = startMs; ms < endMs; ms += HOUR) days.add(dayOf(ms));
      expect([...days]).toHaveLength(7);
      expect(days).not.toContain(dayOf(startMs - 1));
      expect(weekOfDays(endMs - 1)).toEqual({ startMs, endMs });
    });

    test('ranges of whole days in UTC contain now, also for boards and alerts', () => {
      const range = rangeUpToDay(7 * DAY, nowMs);
      expect(daysUpTo(nowMs, 7)).toEqual({ startMs: range.startMs, endMs: range.endMs });
      expect(alertRange('7d', nowMs)).toMatchObject({ startMs: range.startMs, endMs: range.endMs });
      expect(range.endMs % DAY).toBe(0);
      expect(range.endMs - nowMs).toBeGreaterThan(0);
      expect(range.endMs - nowMs).toBeLessThanOrEqual(DAY);
    });

    test('suggested and repeated starts are later than now, at the wanted time of a wanted day', () => {
      for (const { id, atMs } of startPresets(nowMs)) {
        expect(startProblem(atMs, nowMs), id).toBeNull();
        expect(atMs - nowMs, id).toBeLessThanOrEqual(DAY + HOUR);
      }
      const morning = civilAt(suggestedStart(nowMs), zone);
      expect(morning).toMatchObject({ hour: 7, minute: 0 });
      expect(WEEKDAYS).toContain(morning.weekday);
      for (const days of [EVERY_DAY, WEEKDAYS, [0], [civilAt(nowMs, zone).weekday]])
        for (const hour of [0, 2, 7, 23]) {
          const next = nextStart({ on: 'time', days: [...days], hour, minute: 0, zone }, nowMs);
          expect(next).toBeGreaterThan(nowMs);
          expect(next).toBeLessThanOrEqual(nowMs + 7 * DAY + 2 * HOUR);
          const start = civilAt(next ?? Number.NaN, zone);
          expect(days).toContain(start.weekday);
          // An hour that clocks skip is replaced by the next one.
          expect([hour, hour + 1]).toContain(start.hour);
        }
    });

    test('typed days are those of the typed zone', () => {
      for (const suffix of ['', ` ${zone}`]) {
        const [yesterday, today, tomorrow] = ['yesterday', 'today', 'tomorrow'].map(
          (word) => readPoint(`${word}${suffix}`, nowMs)?.ms ?? Number.NaN,
        );
        expect(today).toBe(presetRange('today', nowMs).startMs);
        expect(yesterday).toBe(presetRange('yesterday', nowMs).startMs);
        expect(tomorrow).toBeGreaterThan(nowMs);
      }
      for (const zoned of ['Z', ' UTC', '+00:00'])
        expect(readPoint(`today 00:00${zoned}`, nowMs)?.ms).toBe(Math.floor(nowMs / DAY) * DAY);
    });

    test('a moment of another day is not written like one of today', () => {
      const weekday = (ms: number) => civilAt(ms, zone).weekday;
      for (const hours of [1, 12, 24, 25, ...[1, 2, 3, 4, 5].map((more) => 6 * 24 - 3 + more)]) {
        const ms = nowMs - hours * HOUR + 1;
        const text = formatMoment(ms, nowMs);
        expect(/^\d\d:\d\d$/.test(text), text).toBe(dayOf(ms) === dayOf(nowMs));
        if (/^[A-Z]/.test(text)) expect(weekday(ms), text).not.toBe(weekday(nowMs));
      }
    });
  });
});
