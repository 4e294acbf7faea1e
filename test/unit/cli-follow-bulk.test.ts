import { expect, test } from 'vitest';
import type { CommandContext } from '../../electron/cli/context.ts';
import { followBulk } from '../../electron/cli/follow-bulk.ts';
import type { Session } from '../../electron/engine/session.ts';
import type { BulkAct } from '../../electron/shared/bulk-contract.ts';

/** Past this the act ends by itself, so that a loop without a pause is a failed test and not one that hangs. */
const MOST_READS = 1_000;

test('a change that is under way is read when there is news of it, not all the time', async () => {
  let reads = 0;
  const act = (state: BulkAct['state']) =>
    ({
      bulkId: 'change',
      state,
      counts: { done: 0 },
      total: 1,
      error: null,
      lateStart: null,
      etaMs: MOST_READS - reads,
    }) as BulkAct;
  const ended = Promise.withResolvers<BulkAct>();
  const bulk = {
    // What is left of the time is another figure whenever it is asked for.
    get: () => {
      reads += 1;
      return act(reads < MOST_READS ? 'running' : 'paused');
    },
    list: () => [act('paused')],
    listItems: () => ({ items: [] }),
    whenIdle: () => ended.promise,
  };
  const context = {
    signal: new AbortController().signal,
    listen: () => () => undefined,
    output: { note: () => undefined, progress: () => undefined },
  };
  const followed = followBulk(
    context as unknown as CommandContext,
    { bulk } as unknown as Session,
    act('running'),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(reads).toBeLessThan(5);
  ended.resolve(act('paused'));
  await followed;
});
