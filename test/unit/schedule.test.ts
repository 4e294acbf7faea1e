import { describe, expect, test } from 'vitest';
import type { TrafficPlan } from '../../electron/shared/traffic-model.ts';
import { formatMoment } from '../../renderer/lib/format.ts';
import {
  fromField,
  hasPlanPassed,
  lateText,
  planFacts,
  planWarning,
  startPresets,
  startProblem,
  startsText,
  toField,
} from '../../renderer/lib/schedule.ts';
import { aWindow } from '../helpers/traffic.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** An afternoon in the zone of this test. */
const NOW = new Date(2026, 2, 12, 14, 2, 33).getTime();

describe('a date-and-time field', () => {
  test('returns the value it was given, to the minute', () => {
    expect(toField(NOW)).toBe('2026-03-12T14:02');
    expect(fromField(toField(NOW))).toBe(NOW - 33_000);
    expect(fromField('2026-03-12T02:00')).toBe(new Date(2026, 2, 12, 2, 0).getTime());
    expect(fromField('2026-02-30T02:00')).toBeNull();
    expect(fromField('2026-02-28T24:00')).toBe(new Date(2026, 2, 1).getTime());
    expect(fromField('2026-02-28T24:01')).toBeNull();
    expect(fromField('2026-03-12T02:00:30')).toBe(new Date(2026, 2, 12, 2, 0, 30).getTime());
  });

  test.each(['', 'tomorrow', '2026-03-12', '2026-13-40T02:00', '2026-03-12 02:00'])(
    '%j is not a time',
    (text) => expect(fromField(text)).toBeNull(),
  );
});

describe('offered times', () => {
  test('an hour from now, on the minute; the next night', () => {
    const [hour, night] = startPresets(NOW);
    expect(toField(hour?.atMs ?? 0)).toBe('2026-03-12T15:03');
    expect(toField(night?.atMs ?? 0)).toBe('2026-03-13T02:00');
  });

  test('the night is the current one early on, and works at the end of a month', () => {
    const night = (...at: [number, number, number, number, number]) =>
      toField(startPresets(new Date(...at).getTime())[1]?.atMs ?? 0);
    expect(night(2026, 2, 13, 0, 30)).toBe('2026-03-13T02:00');
    expect(night(2026, 2, 13, 2, 0)).toBe('2026-03-14T02:00');
    expect(night(2026, 1, 28, 23, 0)).toBe('2026-03-01T02:00');
  });
});

describe('a planned start', () => {
  test('must be in the future, and not too far by a typing error', () => {
    expect(startProblem(null, NOW)).toBe('Expected a date and time.');
    expect(startProblem(NOW, NOW)).toBe('This time has passed.');
    expect(startProblem(NOW + 1, NOW)).toBeNull();
    expect(startProblem(NOW + 400 * 24 * HOUR, NOW)).toBe('Expected a time within a year.');
  });

  test('is shown with the time until then', () => {
    expect(startsText(NOW + 8 * HOUR, NOW)).toBe(`starts at ${formatMoment(NOW + 8 * HOUR, NOW)}, in 8 h`);
    expect(startsText(NOW + 30_000, NOW)).toContain('in less than a minute');
    expect(startsText(NOW, NOW)).toBe('starts now');
  });

  test('a late start shows its planned time, and why it was late', () => {
    const said = lateText({ plannedAtMs: NOW - 6 * HOUR, startedAtMs: NOW }, NOW);
    expect(said).toBe(
      'Planned for 08:02, started at 14:02: Spandeck was closed, the computer asleep or the service away.',
    );
  });
});

describe('the plan of a job', () => {
  const plan: TrafficPlan = {
    requests: 10,
    startAtMs: NOW,
    finishAtMs: NOW + 95_000,
    leftToday: null,
    bindingWindow: { count: 300, lengthMs: MINUTE, operation: 'POST /v3/events' },
    budgets: [
      {
        operation: 'POST /v3/events',
        title: 'Publish events',
        requests: 10,
        windows: [aWindow({ count: 10 }), aWindow({ count: 300, lengthMs: MINUTE, used: 20 })],
        finishAtMs: NOW + 95_000,
      },
    ],
  };
  const facts = (given: TrafficPlan) =>
    Object.fromEntries(planFacts(given, NOW).map(({ name, value }) => [name, value]));

  test('shows requests, budgets, the end, and the deciding limit', () => {
    expect(facts(plan)).toEqual({
      Requests: '10 (Publish events)',
      'Rate limit': '10 per second, 10 left now · 300 per minute, 280 left now',
      Ends: '14:04, about 2 min after the start; limited to 300 per minute',
    });
  });

  test('without limits ends in a moment', () => {
    const [budget] = plan.budgets;
    if (budget === undefined) throw new Error('The plan has one lane.');
    const free = {
      ...plan,
      finishAtMs: NOW + 40,
      bindingWindow: null,
      budgets: [{ ...budget, windows: [] }],
    };
    expect(facts(free)).toMatchObject({
      'Rate limit': 'none',
      Ends: '14:02, about 1 s after the start',
    });
  });

  test('names only limits that affect it', () => {
    const few = plan.budgets.map((budget) => ({ ...budget, requests: 1 }));
    expect(facts({ ...plan, bindingWindow: null, budgets: few })['Rate limit']).toBe('not reached');
    const many = plan.budgets.map((budget) => ({ ...budget, requests: 6 }));
    expect(facts({ ...plan, bindingWindow: null, budgets: many })['Rate limit']).toBe(
      '10 per second, 10 left now',
    );
  });

  test('over several lanes names each', () => {
    const [budget] = plan.budgets;
    if (budget === undefined) throw new Error('The plan has one lane.');
    const day = {
      ...budget,
      title: 'Delete events',
      requests: 1,
      windows: [aWindow({ lengthMs: 24 * HOUR, used: 3 })],
    };
    expect(facts({ ...plan, budgets: [budget, day] })).toMatchObject({
      Requests: '11 (Publish events 10, Delete events 1)',
      'Rate limit': expect.stringContaining('Delete events: 30 per day, 27 left today'),
    });
  });

  test('that exceeds a daily limit has a warning', () => {
    expect(planWarning(plan)).toBeNull();
    expect(planWarning({ ...plan, leftToday: 10 })).toBeNull();
    expect(planWarning({ ...plan, leftToday: 3 })).toBe(
      '10 requests are needed, but 3 are left today. The rest is sent when the daily limit resets.',
    );
    expect(planWarning({ ...plan, requests: 1, leftToday: 0 })).toContain(
      '1 request is needed, but none is left today',
    );
  });
});

test('a plan that starts at once is computed again as time passes; a later plan stays', () => {
  const shown = { startAtMs: 1_000_000 };
  expect(hasPlanPassed(shown, 1_010_000)).toBe(false);
  expect(hasPlanPassed(shown, 1_030_000)).toBe(true);
  expect(hasPlanPassed({ startAtMs: 9_000_000 }, 1_030_000)).toBe(false);
});
