/** Idle parts end after a time, unless they are in use or may no longer end by themselves. */
import { expect, test } from 'vitest';
import { IdleEnd } from '../../electron/core/idle-end.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

function rig() {
  const clock = new VirtualClock();
  const found = { ends: 0, isInUse: false };
  const idle = new IdleEnd({
    clock,
    idleMs: 1_000,
    what: 'ending a thread',
    end: () => {
      if (!found.isInUse) found.ends += 1;
      return !found.isInUse;
    },
  });
  return { clock, found, idle };
}

test('ends a part once, when it was idle for the time since its last use', () => {
  const { clock, found, idle } = rig();
  idle.rest();
  clock.advance(900);
  idle.hold();
  clock.advance(10_000);
  expect(found.ends).toBe(0);
  idle.rest();
  clock.advance(900);
  idle.rest();
  clock.advance(999);
  expect(found.ends).toBe(0);
  clock.advance(1);
  expect([found.ends, clock.pending]).toEqual([1, 0]);
});

test('tries again later if the part is in use after all', () => {
  const { clock, found, idle } = rig();
  found.isInUse = true;
  idle.rest();
  clock.advance(1_000);
  found.isInUse = false;
  clock.advance(1_000);
  expect([found.ends, clock.pending]).toEqual([1, 0]);
});

test('leaves no timer when it was stopped, which would keep a program from ending', () => {
  const { clock, found, idle } = rig();
  idle.rest();
  idle.stop();
  idle.rest();
  expect(clock.pending).toBe(0);
  clock.advance(10_000);
  expect(found.ends).toBe(0);
});
