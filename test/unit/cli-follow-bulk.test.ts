import { expect, test } from 'vitest';
import type { CommandContext } from '../../electron/cli/context.ts';
import { followBulk } from '../../electron/cli/follow-bulk.ts';
import type { Session } from '../../electron/engine/session.ts';
import type { BulkAct } from '../../electron/shared/bulk-contract.ts';

/** The following ends by itself after this time, so that a loop without a pause fails the test and does not hang. */
const MAX_READS = 1_000;

test('a running change is read after events about it, not constantly', async () => {
  let reads = 0;
  const act = (state: BulkAct['state']) =>
    ({
      bulkId: 'change',
      state,
      counts: { done: 0 },
      total: 1,
      error: null,
      lateStart: null,
      etaMs: MAX_READS - reads,
    }) as BulkAct;
  const ended = Promise.withResolvers<BulkAct>();
  const bulk = {
    // The remaining time differs each time it is read.
    get: () => {
      reads += 1;
      return act(reads < MAX_READS ? 'running' : 'paused');
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
