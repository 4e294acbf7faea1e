/** Long work on stored rows yields the thread, which is measured on a clock that advances only while rows are read. */
import { expect, test } from 'vitest';
import type { Clock } from '../../electron/core/ports.ts';
import { Slices } from '../../electron/library/slices.ts';

/** A clock that the test advances. It records how long the thread was blocked between two turns. */
function handClock() {
  let nowMs = 0;
  let turnAtMs = 0;
  const held: number[] = [];
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    setTimer: (act) => {
      held.push(nowMs - turnAtMs);
      queueMicrotask(() => {
        turnAtMs = nowMs;
        act();
      });
      return () => undefined;
    },
  };
  return { clock, held, spend: (ms: number) => (nowMs += ms) };
}

test.each([0.0005, 0.01, 0.5])(
  'a row that takes %f ms: no turn blocks the thread for 10 ms',
  async (rowMs) => {
    const { clock, held, spend } = handClock();
    const rows = 20_000;
    let read = 0;
    await new Slices(clock).each((from, limit) => {
      const positions = Array.from({ length: Math.min(limit, rows - from) }, (_, at) => from + at);
      spend(positions.length * rowMs);
      read += positions.length;
      return positions;
    });
    expect(read).toBe(rows);
    // The first slice has its full size, as nothing is known about earlier rows.
    expect(Math.max(0, ...held.slice(1))).toBeLessThan(10);
    expect(held.length).toBeGreaterThanOrEqual(Math.floor((rows * rowMs) / 10));
  },
);
