/** Limits the memory of a query, as the analysis engine cannot do it itself. */
import { expect, test } from 'vitest';
import { MemoryWatch } from '../../electron/analysis/memory-watch.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

test('a query that takes too much memory is ended once, and no timer is left after others', async () => {
  const clock = new VirtualClock();
  let bytes = 10;
  let exceeded = 0;
  const watch = new MemoryWatch({
    ...{ clock, bytes: () => bytes, maxBytes: 100 },
    onExceeded: () => {
      exceeded += 1;
    },
  });
  expect(await watch.during(async () => 'rows')).toBe('rows');
  await expect(watch.during(async () => Promise.reject(new Error('a mistake')))).rejects.toThrow('a mistake');
  expect(clock.pending).toBe(0);
  const { promise, resolve } = Promise.withResolvers<string>();
  const running = [watch.during(() => promise), watch.during(() => promise)];
  clock.advance(1_000);
  expect(exceeded).toBe(0);
  bytes = 101;
  clock.advance(1_000);
  expect(exceeded).toBe(1);
  resolve('late');
  await Promise.all(running);
  expect(clock.pending).toBe(0);
});
