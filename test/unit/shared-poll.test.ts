/** All pollers with the same interval share one timer. */
import { expect, test } from 'vitest';
import { pollWithin } from '../../electron/jobs/shared-poll.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const EVERY_MS = 15_000;

test('polls with the same interval share a timer, and each is called once, at the latest after the interval', () => {
  const clock = new VirtualClock();
  const called: string[] = [];
  const poll = (name: string) => pollWithin(clock, EVERY_MS, 'polling', () => called.push(name));
  poll('first');
  clock.advance(5_000);
  poll('second');
  expect(clock.pending).toBe(1);
  clock.advance(10_000);
  expect([called, clock.pending]).toEqual([['first', 'second'], 0]);
});

test('a listener that was removed is not called, even if removed during the call of another; the last one ends the timer', () => {
  const clock = new VirtualClock();
  const called: string[] = [];
  const leaveAlone = pollWithin(clock, EVERY_MS, 'polling', () => called.push('alone'));
  leaveAlone();
  expect(clock.pending).toBe(0);
  let leave: () => void = () => undefined;
  pollWithin(clock, EVERY_MS, 'polling', () => {
    called.push('first');
    leave();
  });
  leave = pollWithin(clock, EVERY_MS, 'polling', () => called.push('second'));
  clock.advance(EVERY_MS);
  expect([called, clock.pending]).toEqual([['first'], 0]);
});

test('a failing look is reported and prevents no other', () => {
  const clock = new VirtualClock();
  const called: string[] = [];
  pollWithin(clock, EVERY_MS, 'polling', () => {
    throw new Error('failed');
  });
  pollWithin(clock, EVERY_MS, 'polling', () => called.push('second'));
  expect(() => clock.advance(EVERY_MS)).toThrow('failed');
  expect(called).toEqual(['second']);
});
