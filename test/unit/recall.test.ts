import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Recall } from '../../electron/api/recall.ts';
import { bindSendPermission, SendPermission } from '../../electron/core/jobs/send-permission.ts';

/** A request of a job that was sent. `answer` lets its answer arrive. */
function onWire() {
  const permission = new SendPermission();
  const stop = new AbortController();
  bindSendPermission(permission, stop.signal);
  const recall = new Recall(stop.signal);
  const { promise, resolve } = Promise.withResolvers<void>();
  return { permission, stop, recall, answer: resolve, left: recall.whileOnWire(() => promise) };
}

it('a request that is made while its job is halted is cancelled', () => {
  const permission = new SendPermission();
  const stop = new AbortController();
  bindSendPermission(permission, stop.signal);
  permission.withdraw();
  const recall = new Recall(stop.signal);
  expect(recall.signal?.aborted).toBe(true);
  recall.end();
});

describe('a request on the wire while its job is halted', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setImmediate', 'clearImmediate'] }));
  afterEach(() => void vi.useRealTimers());

  it('is not retried once it has an answer', async () => {
    const { permission, recall, answer, left } = onWire();
    permission.withdraw();
    answer();
    await left;
    expect(recall.signal?.aborted).toBe(false);
    vi.runAllTimers();
    expect(recall.signal?.aborted).toBe(true);
  });

  it('leaves nothing pending if it was cancelled before it left the wire', async () => {
    const { permission, stop, recall, answer, left } = onWire();
    permission.withdraw();
    stop.abort();
    recall.end();
    answer();
    await left;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves nothing pending if its answer was the last', async () => {
    const { permission, recall, answer, left } = onWire();
    permission.withdraw();
    answer();
    await left;
    recall.end();
    expect(vi.getTimerCount()).toBe(0);
  });
});
