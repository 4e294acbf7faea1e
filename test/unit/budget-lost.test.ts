/** If the budget file was lost, or repaired with gaps, every limit counts as used up by earlier requests. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LIMIT_CATEGORIES } from '../../electron/core/limits/limits.ts';
import { RateLimiter } from '../../electron/core/limits/rate-limiter.ts';
import { BudgetRig, DAY_MS, grant, KEY } from '../helpers/budget-rig.ts';
import { VirtualWorld } from '../helpers/virtual-world.ts';

let rig: BudgetRig;
beforeEach(() => {
  rig = new BudgetRig();
});
afterEach(() => rig.close());

test('a lost file is distinguished from a first one, and reports the time before which use is unknown', () => {
  const world = new VirtualWorld();
  expect(rig.open(world).lane(KEY).unknownBeforeMs).toBeNull();
  rig.close();
  rig = new BudgetRig();
  const after = rig.open(world, 0, undefined, true);
  const { unknownBeforeMs } = after.lane(KEY);
  expect(unknownBeforeMs).toBe(after.nowMs());
  world.trueMs += 5_000;
  expect(rig.open(world, 0, undefined, true).lane(KEY).unknownBeforeMs).toBe(unknownBeforeMs);
  grant(after, after.lane(KEY).lane.id);
});

test.each(['event-deletion', 'genai-deletion', 'metadata-read', 'spans-query'] as const)(
  'after a loss nothing of %s is sent until a full window has passed, then everything is',
  (category) => {
    const limiter = new RateLimiter(category, null, 1_000);
    limiter.countAsUsed(1_000);
    const longest = Math.max(...LIMIT_CATEGORIES[category].windows.map(({ lengthMs }) => lengthMs));
    expect(limiter.decide(1_000)).toMatchObject({ kind: 'wait', reason: 'window' });
    expect(limiter.decide(1_000 + longest)).toMatchObject({ kind: 'wait' });
    expect(limiter.decide(1_000 + longest * 1.001 + 10)).toEqual({ kind: 'grant' });
    expect(longest).toBeLessThanOrEqual(DAY_MS);
  },
);
