/** Notifications, progress and staying awake while the window is in the background. */
import { expect, test } from 'vitest';
import {
  AWAKE_MS,
  LONG_MS,
  type Notice,
  type NoticeTarget,
  oneNotice,
} from '../../electron/core/jobs/job-notifications.ts';
import { createJobNotifications } from '../../electron/jobs/job-notifications.ts';
import type { FiredAlert } from '../../electron/shared/alert-record.ts';
import type { Job, JobEvents } from '../../electron/shared/job-contract.ts';
import { isQuiet } from '../../electron/shared/quiet-hours.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

type News = Partial<Pick<Job, 'state' | 'title' | 'reason' | 'error' | 'progress' | 'startAtMs' | 'repeat'>>;

function world({
  isInFront = false,
  notifies = true,
  mayStayAwake = true,
  quietHours = '',
  privacy = false,
} = {}) {
  const clock = new VirtualClock();
  const clicks: (() => void)[] = [];
  const opened: NoticeTarget[] = [];
  const shown = {
    notices: [] as Pick<Notice, 'title' | 'body'>[],
    progress: null as number | 'unknown' | null,
    isAwake: false,
  };
  const state = { isInFront };
  const jobNotifications = createJobNotifications({
    clock,
    feedback: {
      notify: (notice, onClick) => {
        shown.notices.push({ title: notice.title, body: notice.body });
        clicks.push(onClick);
      },
      showProgress: (share) => {
        shown.progress = share;
      },
      keepAwake: (isOn) => {
        shown.isAwake = isOn;
      },
    },
    settings: () => ({ notifies, staysAwake: mayStayAwake, quietHours, privacy }),
    isInFront: () => state.isInFront,
    onOpen: (target) => opened.push(target),
  });
  const notify = (id: string, news: News | null): void => {
    const job = {
      ...{ title: id, state: 'running', reason: '', error: null, progress: { done: 0, total: null } },
      ...{ startAtMs: null, ...news },
    };
    const event = { connectionId: 'c', kind: 'upload', id, job: news === null ? null : job };
    jobNotifications.take(event as unknown as JobEvents['jobs:changed']);
  };
  return { clock, shown, state, jobNotifications, notify, clicks, opened };
}

const title = ({ shown }: ReturnType<typeof world>) => shown.notices.map((notice) => notice.title);

test('a repeat that pauses because its runs failed is notified, one that the user paused is not', () => {
  const it = world();
  const rule = { on: 'sync' } as const;
  const repeat = { rule, sinceMs: 0, failures: 3, isPaused: true, nextId: null };
  const error = { code: 'INTERNAL', title: '', message: 'No room.', retry: 'never', details: {} } as const;
  const reason = 'The repeat is paused: 3 runs in a row failed. No room.';
  it.notify('notebooks', { state: 'ready', repeat, error, reason });
  it.notify('spans', { state: 'ready', repeat, reason: 'The repeat is paused.' });
  it.notify('notebooks', { state: 'ready', repeat, error, reason });
  it.clock.advance(60_000);
  expect(it.shown.notices).toEqual([{ title: 'Repeat paused: notebooks', body: reason }]);
});

test('a planned job that is cancelled before it starts says nothing', () => {
  const it = world();
  it.notify('later', { state: 'ready', startAtMs: 1_000_000 });
  it.notify('later', { state: 'cancelled', startAtMs: null });
  it.clock.advance(60_000);
  expect(it.shown.notices).toEqual([]);
});

test('long work that ends while the window is in the background is one quiet notification', () => {
  const it = world();
  it.notify('churn.csv', {});
  it.clock.advance(LONG_MS);
  it.notify('churn.csv', { state: 'done' });
  expect(title(it)).toEqual([]);
  it.clock.advance(2_000);
  expect(title(it)).toEqual(['Done: churn.csv']);
});

test('work that is short, seen, stopped by the user, or switched off causes none', () => {
  for (const [options, state, ms] of [
    [{}, 'done', LONG_MS - 1],
    [{ isInFront: true }, 'done', LONG_MS],
    [{}, 'cancelled', LONG_MS],
    [{}, 'paused', LONG_MS],
    [{ notifies: false }, 'failed', LONG_MS],
  ] as const) {
    const it = world(options);
    it.notify('a', {});
    it.clock.advance(ms);
    it.notify('a', { state });
    it.clock.advance(2_000);
    expect(title(it)).toEqual([]);
  }
});

test('a decision, a failure and a suspension after a rejection are reported however short the work was', () => {
  const it = world();
  const error = { code: 'TOKEN_REFUSED', title: 'Token refused', message: 'The service refused the token.' };
  for (const [id, news] of [
    ['a', { state: 'needs-decision', reason: 'One batch is of unknown outcome.' }],
    ['b', { state: 'failed', error }],
    ['c', { state: 'paused', error }],
  ] as const) {
    it.notify(id, {});
    it.notify(id, news as News);
    it.clock.advance(2_000);
  }
  expect(it.shown.notices).toEqual([
    { title: 'Needs a decision: a', body: 'One batch is of unknown outcome.' },
    { title: 'Failed: b', body: error.message },
    { title: 'Paused: c', body: error.message },
  ]);
});

test('jobs that end together cause one notification that names three', () => {
  const it = world();
  for (const id of ['a', 'b', 'c', 'd', 'e']) it.notify(id, {});
  it.clock.advance(LONG_MS);
  for (const id of ['a', 'b', 'c', 'd', 'e']) it.notify(id, { state: 'done' });
  it.clock.advance(2_000);
  expect(it.shown.notices).toEqual([
    { title: '5 jobs ended or wait for you', body: 'Done: a\nDone: b\nDone: c\nand 2 more' },
  ]);
});

test('a job that ended before it was seen running, as at a start, is not reported', () => {
  const it = world();
  for (const state of ['done', 'failed', 'needs-decision'] as const) it.notify(state, { state });
  it.clock.advance(2_000);
  expect(title(it)).toEqual([]);
});

test('progress covers all running jobs and is removed with the last one', () => {
  const it = world();
  it.notify('a', {});
  expect(it.shown.progress).toBe('unknown');
  it.notify('b', { progress: { done: 50, total: 100 } });
  it.notify('c', { progress: { done: 0, total: 10 }, state: 'waiting' });
  expect(it.shown.progress).toBe(0.25);
  it.notify('a', { state: 'done' });
  it.notify('b', { state: 'paused' });
  it.notify('c', null);
  expect(it.shown.progress).toBeNull();
});

test('the computer stays awake while jobs send and in short waits, not in long ones', () => {
  const it = world();
  it.notify('a', {});
  expect(it.shown.isAwake).toBe(true);
  it.notify('a', { state: 'waiting' });
  expect(it.shown.isAwake).toBe(true);
  it.clock.advance(AWAKE_MS + 60_000);
  expect(it.shown.isAwake).toBe(false);
  it.notify('a', {});
  expect(it.shown.isAwake).toBe(true);
  it.jobNotifications.stop();
  expect(it.shown.isAwake).toBe(false);
  it.notify('a', { state: 'running' });
  expect(it.shown.isAwake).toBe(false);
});

test('stays awake from minutes before a planned start, and never if that is switched off', () => {
  const it = world();
  it.notify('a', { state: 'ready', startAtMs: it.clock.nowMs() + 3_600_000 });
  expect(it.shown.isAwake).toBe(false);
  it.clock.advance(3_600_000 - AWAKE_MS + 60_000);
  expect(it.shown.isAwake).toBe(true);
  const off = world({ mayStayAwake: false });
  off.notify('a', {});
  expect(off.shown.isAwake).toBe(false);
});

const alert = (ruleId: string, severity: 'critical' | 'warning' = 'critical'): FiredAlert => ({
  ...{ ruleId, name: `Rule ${ruleId}`, modelName: 'Bank churn', severity, timeMs: 0 },
});

test('an alert is a notification that opens its rule; several open the list, with jobs the start page', () => {
  const it = world();
  it.jobNotifications.takeAlerts({ connectionId: 'c', alerts: [alert('a')] });
  it.clock.advance(2_000);
  it.jobNotifications.takeAlerts({ connectionId: 'c', alerts: [alert('a'), alert('b', 'warning')] });
  it.clock.advance(2_000);
  it.jobNotifications.takeAlerts({ connectionId: 'c', alerts: [alert('a')] });
  it.notify('churn.csv', {});
  it.notify('churn.csv', { state: 'failed', reason: 'No space.' });
  it.clock.advance(2_000);
  expect(it.shown.notices).toEqual([
    { title: 'Critical: Rule a', body: 'Bank churn' },
    { title: '2 alerts fired', body: 'Critical: Rule a\nWarning: Rule b' },
    { title: '1 alert fired, 1 job ended or waits for you', body: 'Critical: Rule a\nFailed: churn.csv' },
  ]);
  for (const click of it.clicks) click();
  expect(it.opened).toEqual([
    { about: 'alert', connectionId: 'c', alert: { ruleId: 'a', name: 'Rule a' } },
    { about: 'alerts' },
    { about: 'both' },
  ]);
});

test('in quiet hours notifications are postponed, past midnight too; none is shown if the window was focused meanwhile', () => {
  const at = (hours: number) => {
    const day = new Date(2026, 4, 5, hours, 30);
    return day.getTime();
  };
  for (const [quietHours, hour, isShown] of [
    ['22:00-07:00', 23, false],
    ['22:00-07:00', 6, false],
    ['22:00-07:00', 7, true],
    ['09:00-17:00', 12, false],
    ['09:00-17:00', 17, true],
    ['', 3, true],
  ] as const)
    expect(isQuiet(quietHours, at(hour)), `${quietHours} at ${hour}:30`).toBe(!isShown);

  const now = new Date(new VirtualClock().nowMs());
  const two = (hours: number) => `${String((now.getHours() + hours) % 24).padStart(2, '0')}:00`;
  const it = world({ quietHours: `${two(0)}-${two(2)}` });
  it.jobNotifications.takeAlerts({ connectionId: 'c', alerts: [alert('a')] });
  it.clock.advance(3_600_000);
  expect(it.shown.notices).toEqual([]);
  it.clock.advance(3_660_000);
  expect(it.shown.notices).toHaveLength(1);
  const seen = world({ quietHours: `${two(0)}-${two(2)}` });
  seen.jobNotifications.takeAlerts({ connectionId: 'c', alerts: [alert('a')] });
  seen.state.isInFront = true;
  seen.clock.advance(3_600_000);
  seen.state.isInFront = false;
  seen.clock.advance(3 * 3_600_000);
  expect(seen.shown.notices).toEqual([]);
});

test('in privacy mode a notification names neither rule nor model', () => {
  const it = world({ privacy: true });
  it.jobNotifications.takeAlerts({ connectionId: 'c', alerts: [alert('a')] });
  it.clock.advance(2_000);
  expect(it.shown.notices).toEqual([{ title: 'Critical: an alert rule fired', body: '' }]);
});

test('nothing to notify of means no notification', () => {
  expect(oneNotice([])).toBeNull();
});
