/** Leases, which decide which process may take over the work of another. */
import { describe, expect, test } from 'vitest';
import {
  type Lease,
  LeaseKeeper,
  type LeaseProcess,
  type LeaseTable,
} from '../../electron/core/jobs/lease.ts';
import type { Clock } from '../../electron/core/ports.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

class Table implements LeaseTable {
  held: Lease | null = null;
  read = () => this.held;
  take = (_id: string, lease: Lease, isStale: (held: Lease) => boolean) => {
    if (this.held !== null && this.held.owner !== lease.owner && !isStale(this.held)) return false;
    this.held = lease;
    return true;
  };
  renew = (_id: string, owner: string, atMs: number) => {
    if (this.held?.owner !== owner) return false;
    this.held = { ...this.held, atMs };
    return true;
  };
  release = (_id: string, owner: string) => {
    if (this.held?.owner === owner) this.held = null;
  };
}

function world() {
  const [table, clock] = [new Table(), new VirtualClock()];
  const keeper = (owner: string, process: Partial<LeaseProcess> = {}) =>
    new LeaseKeeper({
      ...{ table, clock, owner, what: 'upload', logger: silentLogger },
      process: { pid: 7, isRunning: () => false, ...process },
    });
  return { table, clock, keeper };
}

test('a process takes over nothing from its own work in progress', () => {
  const { keeper } = world();
  const release = keeper('first').take('job', () => undefined);
  expect(() => keeper('second').take('job', () => undefined)).toThrow(/working on this upload/);
  release();
  keeper('second').take('job', () => undefined)();
});

test('the same process id without work in progress is an earlier process', () => {
  const { table, clock, keeper } = world();
  table.held = { owner: 'gone', processId: 7, atMs: clock.nowMs() };
  keeper('second', { isRunning: () => true }).take('job', () => undefined)();
});

test('a process of another container is judged by the age of its lease alone', () => {
  const { table, clock, keeper } = world();
  table.held = { owner: 'far@other pid:[2]', processId: 7, atMs: clock.nowMs() };
  const here = keeper('second', { space: 'here pid:[1]' });
  expect(here.isElsewhere('job')).toBe(true);
  clock.advance(21_000);
  // Its holder may have slept, so it gets the time to renew the lease.
  expect(here.isElsewhere('job')).toBe(true);
  clock.advance(9_000);
  expect(here.isElsewhere('job')).toBe(false);
});

test('a clock that was set back delays a command only until the holder is proven dead', async () => {
  const { table, clock, keeper } = world();
  table.held = { owner: 'before', processId: 8, atMs: clock.nowMs() + 3_600_000 };
  const here = keeper('second', { isRunning: () => true });
  let isJudged = false;
  const judged = here.whenJudged('job')?.then(() => {
    isJudged = true;
  });
  clock.advance(15_000);
  await Promise.resolve();
  expect([isJudged, here.isElsewhere('job')]).toEqual([false, true]);
  clock.advance(9_000);
  await judged;
  here.take('job', () => undefined)();
  expect(here.whenJudged('job')).toBeNull();
});

test('a holder that renews its lease in the future keeps it', async () => {
  const { table, clock, keeper } = world();
  table.held = { owner: 'far@other pid:[2]', processId: 8, atMs: clock.nowMs() + 3_600_000 };
  const here = keeper('second', { space: 'here pid:[1]' });
  for (let beat = 0; beat < 20; beat += 1) {
    expect(here.isElsewhere('job')).toBe(true);
    clock.advance(3_000);
    table.renew('job', 'far@other pid:[2]', clock.nowMs() + 3_600_000);
  }
  expect(here.isElsewhere('job')).toBe(true);
});

test.each([
  ['behind', -25_000],
  ['ahead', 3_600_000],
])('a command learns that a holder is alive whose clock is %s', async (_how, offsetMs) => {
  const { table, clock, keeper } = world();
  const owner = 'far@other pid:[2]';
  table.held = { owner, processId: 8, atMs: clock.nowMs() + offsetMs };
  const here = keeper('second', { space: 'here pid:[1]' });
  let isJudged = false;
  void here.whenJudged('job')?.then(() => {
    isJudged = true;
  });
  for (let beat = 0; beat < 2; beat += 1) {
    table.renew('job', owner, clock.nowMs() + offsetMs);
    clock.advance(3_000);
  }
  await Promise.resolve();
  expect([isJudged, here.isElsewhere('job')]).toEqual([true, true]);
  expect(here.whenJudged('job')).toBeNull();
  // It dies.
  clock.advance(3_000);
  expect(here.isElsewhere('job')).toBe(true);
  clock.advance(9_000);
  expect(here.isElsewhere('job')).toBe(offsetMs > 0);
  clock.advance(9_000);
  expect(here.isElsewhere('job')).toBe(false);
});

test('a command does not wait without end while other holders follow each other', async () => {
  const { table, clock, keeper } = world();
  const here = keeper('second', { space: 'here pid:[1]' });
  let isJudged = false;
  const follow = (at: number) => {
    table.held = { owner: `${at}@other pid:[2]`, processId: 8, atMs: clock.nowMs() - 25_000 };
  };
  follow(0);
  void here.whenJudged('job')?.then(() => {
    isJudged = true;
  });
  for (let beat = 1; beat <= 9; beat += 1) {
    follow(beat);
    clock.advance(3_000);
  }
  await Promise.resolve();
  expect(isJudged).toBe(true);
});

test('a holder whose clock is ahead is not stale', () => {
  const { table, clock, keeper } = world();
  table.held = { owner: 'ahead', processId: 8, atMs: clock.nowMs() + 3_600_000 };
  expect(keeper('second', { isRunning: () => true }).isElsewhere('job')).toBe(true);
});

test('a lease of a dead process counts as old after a while, although the clock was ahead when it was taken', () => {
  const { table, clock, keeper } = world();
  table.held = { owner: 'far@other pid:[2]', processId: 7, atMs: clock.nowMs() + 3_600_000 };
  const here = keeper('second', { space: 'here pid:[1]' });
  expect(here.isElsewhere('job')).toBe(true);
  clock.advance(15_000);
  expect(here.isElsewhere('job')).toBe(true);
  // A living holder whose own clock is ahead renews it.
  table.renew('job', 'far@other pid:[2]', clock.nowMs() + 3_600_000);
  expect(here.isElsewhere('job')).toBe(true);
  clock.advance(15_000);
  expect(here.isElsewhere('job')).toBe(true);
  clock.advance(6_000);
  expect(here.isElsewhere('job')).toBe(false);
});

describe('after the computer slept', () => {
  const HOURS_MS = 8 * 3_600_000;

  test('a living holder has the time to renew its lease', () => {
    const { table, clock, keeper } = world();
    const isRunning = (pid: number) => pid < 9;
    const release = keeper('holder', { pid: 8, isRunning }).take('job', () => undefined);
    const other = keeper('other', { isRunning });
    clock.jumpWall(HOURS_MS);
    expect(other.isElsewhere('job')).toBe(true);
    expect(() => other.take('job', () => undefined)).toThrow(/working on this upload/);
    clock.advance(60_000);
    expect(other.isElsewhere('job')).toBe(true);
    release();
    expect(table.held).toBeNull();
  });

  test('a process that starts right then takes nothing over from a living holder', async () => {
    const { clock, keeper } = world();
    const isRunning = () => true;
    const release = keeper('holder', { pid: 8, isRunning }).take('job', () => undefined);
    clock.jumpWall(HOURS_MS);
    const started = keeper('started', { isRunning });
    expect(started.isElsewhere('job')).toBe(true);
    expect(() => started.take('job', () => undefined)).toThrow(/working on this upload/);
    const judged = started.whenJudged('job');
    clock.advance(60_000);
    await judged;
    expect(started.isElsewhere('job')).toBe(true);
    release();
  });

  test('looks long before and right after another sleep do not prove that a holder is dead', () => {
    const { table } = world();
    let ms = 1_000_000;
    // On some systems the monotonic time continues during sleep.
    const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms, setTimer: () => () => undefined };
    table.held = { owner: 'holder', processId: 8, atMs: ms - HOURS_MS };
    const process = { pid: 7, isRunning: () => true };
    const keeper = new LeaseKeeper({
      ...{ table, clock, process, owner: 'other', what: 'upload', logger: silentLogger },
    });
    expect(keeper.isElsewhere('job')).toBe(true);
    ms += HOURS_MS;
    expect(keeper.isElsewhere('job')).toBe(true);
    ms += 9_000;
    expect(keeper.isElsewhere('job')).toBe(false);
  });

  test('a holder that does not renew its lease then counts as dead, and one whose process is gone at once', () => {
    const { table, clock, keeper } = world();
    table.held = { owner: 'hung', processId: 8, atMs: clock.nowMs() };
    const [other, knowing] = [keeper('other', { isRunning: () => true }), keeper('knowing')];
    clock.jumpWall(HOURS_MS);
    expect(other.isElsewhere('job')).toBe(true);
    expect(knowing.isElsewhere('job')).toBe(false);
    clock.advance(10_000);
    expect(other.isElsewhere('job')).toBe(false);
  });

  test('a late timer shows it, on systems whose monotonic time continues', () => {
    const { table } = world();
    let ms = 1_000_000;
    const timers: (() => void)[] = [];
    const clock: Clock = {
      nowMs: () => ms,
      monotonicMs: () => ms,
      setTimer: (callback) => {
        timers.push(callback);
        return () => undefined;
      },
    };
    table.held = { owner: 'holder', processId: 8, atMs: ms };
    const process = { pid: 7, isRunning: () => true };
    const keeper = new LeaseKeeper({
      table,
      clock,
      owner: 'other',
      what: 'upload',
      logger: silentLogger,
      process,
    });
    const seen: boolean[] = [];
    keeper.watch('job', (isFree) => seen.push(isFree));
    ms += HOURS_MS;
    timers.shift()?.();
    table.renew('job', 'holder', ms);
    ms += 3_000;
    timers.shift()?.();
    expect(seen).toEqual([false, false]);
    // The holder stops at last.
    for (let beat = 0; beat < 12; beat += 1) {
      ms += 3_000;
      timers.shift()?.();
    }
    expect(seen.at(-1)).toBe(true);
  });
});

test('a job that is gone from the store cannot be taken over', () => {
  const { table, keeper } = world();
  table.take = () => false;
  expect(() => keeper('second').takeOver('job')).toThrow(/working on this upload/);
});
