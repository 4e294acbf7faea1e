/** When a repeated job starts again after a run, and the runs that follow a reading for offline use. */
import { describe, expect, test } from 'vitest';
import { isDueAfterSync, latestStart, nextRun, nextStart } from '../../electron/core/jobs/repeat.ts';
import type { WireError } from '../../electron/shared/errors.ts';
import { activeRepeat, type Repeat, repeatRule, repeatText } from '../../electron/shared/repeat-model.ts';

const NOON = Date.UTC(2026, 9, 1, 12);
const DAY = 86_400_000;
const daily = { on: 'time', days: [0, 1, 2, 3, 4, 5, 6], hour: 12, minute: 0, zone: 'UTC' } as const;
const repeatOf = (changes: Partial<Repeat> = {}): Repeat => ({
  ...{ rule: { ...daily, days: [...daily.days] }, sinceMs: NOON, failures: 0, isPaused: false, nextId: null },
  ...changes,
});
const error: WireError = { code: 'DISK_FULL', title: '', message: 'No room.', retry: 'later', details: {} };

test.each([
  ['done', null, 2, false, { failures: 0, startAtMs: NOON + DAY, isPaused: false }],
  // An earlier error does not count once the run is done.
  ['done', error, 2, false, { failures: 0, startAtMs: NOON + DAY, isPaused: false }],
  ['paused', error, 1, false, { failures: 2, startAtMs: NOON + DAY, isPaused: false }],
  ['paused', error, 2, false, { failures: 3, startAtMs: null, isPaused: true }],
  ['cancelled', null, 2, false, { failures: 2, startAtMs: NOON + DAY, isPaused: false }],
  ['paused', null, 1, false, { failures: 1, startAtMs: NOON + DAY, isPaused: false }],
  ['done', null, 3, true, { failures: 0, startAtMs: null, isPaused: true }],
  ['cancelled', null, 3, true, { failures: 3, startAtMs: null, isPaused: true }],
] as const)(
  '%s with error %o after %i failures, paused: %s',
  (state, problem, failures, isPaused, expected) => {
    const { repeat, startAtMs, reason } = nextRun(
      repeatOf({ failures, isPaused }),
      { state, error: problem },
      NOON,
    );
    expect({ failures: repeat.failures, startAtMs, isPaused: repeat.isPaused }).toEqual(expected);
    expect(reason === '').toBe(startAtMs !== null);
  },
);

test('the reason of a repeat that paused by itself names the last failure', () => {
  const { reason } = nextRun(repeatOf({ failures: 2 }), { state: 'paused', error }, NOON);
  expect(reason).toBe('The repeat is paused: 3 runs in a row failed. No room.');
});

test('a reading starts the run that waits for it, unless it is paused, followed or by times', () => {
  const waiting = repeatOf({ rule: { on: 'sync' } });
  expect(isDueAfterSync(waiting, NOON + 1, NOON + 2)).toBe(true);
  expect(isDueAfterSync(waiting, NOON, NOON + 2)).toBe(false);
  expect(isDueAfterSync(waiting, null, NOON + 2)).toBe(false);
  expect(isDueAfterSync({ ...waiting, isPaused: true }, NOON + 1, NOON + 2)).toBe(false);
  expect(isDueAfterSync({ ...waiting, nextId: 'next' }, NOON + 1, NOON + 2)).toBe(false);
  expect(isDueAfterSync(repeatOf(), NOON + 1, NOON + 2)).toBe(false);
});

test('after a clock that was ahead was set back, the next reading starts the run, and the same one does not twice', () => {
  const ahead = repeatOf({ rule: { on: 'sync' }, sinceMs: NOON + 30 * DAY });
  expect(isDueAfterSync(ahead, NOON, NOON + 1)).toBe(true);
  expect(isDueAfterSync({ ...ahead, sinceMs: NOON }, NOON, NOON + 1)).toBe(false);
  expect(isDueAfterSync(ahead, NOON + 30 * DAY, NOON + 1)).toBe(false);
});

describe('the latest start of a run, after the clock was set back', () => {
  const AHEAD = NOON + 30 * DAY;
  const planned = { startAtMs: nextStart(repeatOf().rule, AHEAD), createdAtMs: AHEAD };

  test.each([
    ['a run that was planned while the clock was ahead', repeatOf(), planned, NOON + DAY],
    // The run of today may have started some seconds early.
    ['a run that was planned a moment ago', repeatOf(), { ...planned, createdAtMs: NOON + 30_000 }, null],
    ['a run that was planned before', repeatOf(), { startAtMs: NOON + DAY, createdAtMs: NOON - DAY }, null],
    ['a first start that a person chose', repeatOf(), { ...planned, startAtMs: AHEAD + 9 * DAY }, null],
    ['a repeat that was resumed', repeatOf({ sinceMs: AHEAD }), { ...planned, createdAtMs: 1 }, NOON + DAY],
    ['an interrupted run', repeatOf(), { ...planned, startAtMs: AHEAD + 1 }, NOON],
    ['a run after a reading', repeatOf({ rule: { on: 'sync' } }), { ...planned, createdAtMs: 1 }, NOON],
  ])('%s', (_what, repeat, run, latest) => {
    expect(latestStart(repeat, run, NOON)).toBe(latest);
  });
});

test('only the last run has the repeat, until it is cancelled', () => {
  const repeat = repeatOf();
  expect(activeRepeat({ state: 'ready', repeat })).toBe(repeat);
  expect(activeRepeat({ state: 'done', repeat: { ...repeat, nextId: 'next' } })).toBeNull();
  expect(activeRepeat({ state: 'cancelled', repeat })).toBeNull();
  expect(activeRepeat({ state: 'ready' })).toBeNull();
});

test('a rule is named with its zone if that is another one', () => {
  const berlin = { ...daily, days: [1, 3], hour: 7, zone: 'Europe/Berlin' };
  expect(repeatText(berlin, 'Europe/Berlin')).toBe('every Monday and Wednesday at 07:00');
  expect(repeatText(berlin, 'UTC')).toBe('every Monday and Wednesday at 07:00 (Europe/Berlin)');
  for (const wrong of [{ days: [] }, { days: [3, 1] }, { days: [7] }, { hour: 24 }, { zone: 'Berlin' }])
    expect(repeatRule.safeParse({ ...berlin, ...wrong }).success).toBe(false);
});
