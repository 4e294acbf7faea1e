/** The loop that runs a job until it rests. */
import { expect, test } from 'vitest';
import { WorkLoop } from '../../electron/jobs/work-loop.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { seededRandom } from '../helpers/virtual-world.ts';

test('work that ends at once without a change lets timers run, so that it can be stopped', async () => {
  let runs = 0;
  let isTimerDue = false;
  const work = {
    // Ends by itself, because otherwise a failed test would never end.
    phase: () => (runs < 100_000 && !isTimerDue ? ('running' as const) : ('resting' as const)),
    run: async () => {
      runs += 1;
    },
    wakeUp: () => undefined,
    handleFailure: () => undefined,
    retryAfterMs: () => 0,
  };
  const loop = new WorkLoop({
    ...{ work, clock: systemClock, random: seededRandom(1) },
    ending: new AbortController(),
  });
  setTimeout(() => {
    isTimerDue = true;
  }, 0);
  await loop.done;
  expect(isTimerDue).toBe(true);
});
