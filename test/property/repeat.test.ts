/** Starts by a rule: always in the future, one a day, at the right time of day, even when clocks change. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextStart } from '../../electron/core/jobs/repeat.ts';
import { parseRepeat, type RepeatRule, repeatRule, repeatText } from '../../electron/shared/repeat-model.ts';
import { civilAt } from '../../electron/shared/zone-time.ts';

const DAY = 86_400_000;
/** Zones whose clocks change by an hour, by half an hour, around midnight, and by a whole day. */
const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago'],
  ...['Africa/Cairo', 'Asia/Kolkata', 'Pacific/Apia', 'Pacific/Kiritimati'],
];
type Timed = Extract<RepeatRule, { on: 'time' }>;
const rules = fc.record<Timed>({
  on: fc.constant('time'),
  days: fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }),
  hour: fc.integer({ min: 0, max: 23 }),
  minute: fc.integer({ min: 0, max: 59 }),
  zone: fc.constantFrom(...ZONES),
});
const moments = fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2040, 0, 1) });

const dayOf = (ms: number, zone: string) => {
  const { year, month, day } = civilAt(ms, zone);
  return Date.UTC(year, month, day) / DAY;
};

test('the next start is in the future, within eight days, on a chosen day, and at most once a day', () => {
  fc.assert(
    fc.property(rules, moments, (rule, fromMs) => {
      let nowMs = fromMs;
      let before: number | null = null;
      for (let run = 0; run < 12; run += 1) {
        const atMs = nextStart(rule, nowMs) ?? 0;
        expect(atMs).toBeGreaterThan(nowMs);
        // Apia skipped a day in 2011.
        expect(atMs - nowMs).toBeLessThanOrEqual(9 * DAY);
        const day = dayOf(atMs, rule.zone);
        if (before !== null) expect(day).toBeGreaterThan(before);
        before = day;
        const shown = civilAt(atMs, rule.zone);
        // A time that clocks skip is moved later, at most by a skipped day.
        const isAtTime = shown.hour === rule.hour && shown.minute === rule.minute;
        if (isAtTime && rule.zone !== 'Pacific/Apia') expect(rule.days).toContain(shown.weekday);
        nowMs = atMs;
      }
    }),
  );
});

test('no start is skipped between two consecutive starts', () => {
  fc.assert(
    fc.property(rules, moments, fc.double({ min: 0, max: 1, noNaN: true }), (rule, fromMs, share) => {
      const first = nextStart(rule, fromMs) ?? 0;
      const between = fromMs + Math.floor((first - fromMs - 1) * share);
      expect(nextStart(rule, between)).toBe(first);
    }),
  );
});

test('keeps the time on the clock over changes of the clock', () => {
  const rule: Timed = { on: 'time', days: [0, 1, 2, 3, 4, 5, 6], hour: 7, minute: 0, zone: 'Europe/Berlin' };
  const starts = [Date.UTC(2026, 2, 28, 12)];
  for (let run = 0; run < 3; run += 1) starts.push(nextStart(rule, starts.at(-1) ?? 0) ?? 0);
  expect(starts.slice(1).map((ms) => new Date(ms).toISOString())).toEqual([
    '2026-03-29T05:00:00.000Z',
    '2026-03-30T05:00:00.000Z',
    '2026-03-31T05:00:00.000Z',
  ]);
  // Clocks skip 02:30 in one night, and show it twice in another.
  const night = { ...rule, hour: 2, minute: 30 };
  const skipped = nextStart(night, Date.UTC(2026, 2, 28, 12)) ?? 0;
  expect(new Date(skipped).toISOString()).toBe('2026-03-29T01:30:00.000Z');
  const once = nextStart(night, Date.UTC(2026, 9, 24, 12)) ?? 0;
  expect(new Date(once).toISOString()).toBe('2026-10-25T00:30:00.000Z');
  expect(new Date(nextStart(night, once) ?? 0).toISOString()).toBe('2026-10-26T01:30:00.000Z');
});

test('a rule that the user reads can be typed, and means the same', () => {
  const typed = ['daily 07:00', 'weekdays 7:05', 'monday 23:59', 'after sync'];
  for (const text of typed) {
    const rule = parseRepeat(text, 'UTC');
    expect(repeatRule.parse(rule)).toEqual(rule);
    expect(parseRepeat(repeatText(rule, 'UTC'), 'UTC')).toEqual(rule);
  }
  for (const wrong of ['', 'hourly', 'weekdays', 'weekdays 25:00', 'monday 07:60', 'after lunch', '07:00'])
    expect(() => parseRepeat(wrong, 'UTC')).toThrow(/--repeat expects "daily 07:00".*got "/);
});
