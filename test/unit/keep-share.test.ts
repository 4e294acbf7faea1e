/** Offline downloads never use more than their share of a budget in any window, but always at least one request. */
import { expect, test } from 'vitest';
import { BudgetShare, type ShareWindow } from '../../electron/keep/budget-share.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const SECOND: ShareWindow = { count: 10, lengthMs: 1_000 };
const MINUTE: ShareWindow = { count: 120, lengthMs: 60_000 };

/** Times of sequential requests within two minutes. Each takes 40 ms. */
async function sentIn(windows: readonly ShareWindow[], share: number): Promise<number[]> {
  const clock = new VirtualClock();
  const budget = new BudgetShare({ clock, share: () => share, windowsOf: () => windows });
  const stop = new AbortController();
  const sent: number[] = [];
  const all = (async () => {
    while (!stop.signal.aborted) {
      await budget
        .run('datasets.items', stop.signal, () => {
          sent.push(clock.monotonicMs());
          return new Promise<void>((resolve) => void clock.setTimer(resolve, 40));
        })
        .catch(() => undefined);
    }
  })();
  for (let passed = 0; passed < 120_000; passed += 20) {
    clock.advance(20);
    for (let turn = 0; turn < 6; turn += 1) await Promise.resolve();
  }
  stop.abort();
  clock.advance(100);
  await all;
  return sent;
}

const mostIn = (times: readonly number[], lengthMs: number) =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + lengthMs).length));

test.each([
  { share: 1 / 3, second: 3, minute: 40 },
  { share: 0.5, second: 5, minute: 60 },
  { share: 0.01, second: 1, minute: 1 },
])(
  'a share of $share sends at most $second a second and $minute a minute',
  async ({ share, second, minute }) => {
    const sent = await sentIn([SECOND, MINUTE], share);
    expect(mostIn(sent, SECOND.lengthMs)).toBe(second);
    expect(mostIn(sent, MINUTE.lengthMs)).toBe(minute);
    expect(sent.length).toBeGreaterThan(minute);
  },
);

test('nothing waits without a limit', async () => {
  expect((await sentIn([], 0.01)).length).toBeGreaterThan(1_000);
});
