/** A review in the window while other events arrive: every decision is stored once, in the correct order. */
import { afterEach, expect, test, vi } from 'vitest';
import type { ReviewEvent } from '../../electron/shared/review-model.ts';
import { ReviewState } from '../../renderer/state/review.svelte.ts';

afterEach(() => vi.unstubAllGlobals());

/** A fake main process with the events of one review. Reading them waits until the test allows it. */
class FakeMain {
  readonly events: ReviewEvent[] = [];
  allowsReading = Promise.resolve();
  seq = 0;

  invoke = async (channel: string, argument: unknown) => {
    this.seq += 1;
    const ok = (value: unknown) => ({ ok: true, seq: this.seq, value });
    const asked = argument as {
      action?: string;
      seq?: number;
      change?: { seq: number; events: ReviewEvent[] };
    };
    if (channel === 'jobs:change' && asked.change !== undefined) {
      const { seq, events } = asked.change;
      if (seq !== this.events.length) {
        const error = { code: 'CONFLICT', title: 'Changed', message: 'Changed meanwhile.', retry: 'never' };
        return { ok: false, error: { ...error, details: {} } };
      }
      this.events.push(...events);
      return ok({ kind: 'build', id: 'b', own: {} });
    }
    if (asked.action === 'review') {
      await this.allowsReading;
      return ok({ events: this.events.slice(asked.seq), total: this.events.length });
    }
    return ok(asked.action === 'places' && this.#isFirst(argument) ? [0, 1, 2] : []);
  };

  #isFirst = (argument: unknown) => (argument as { position: number }).position === 0;
}

const mark = (position: number): ReviewEvent => ({
  ...{ type: 'mark', position, patch: { verdict: 'rejected' }, atMs: 1 },
});
const secondReview: ReviewEvent = {
  ...{ type: 'second-review', reviewer: 'Ann', isFirst: true, marks: [], atMs: 1 },
};

test('a decision that is made while the review is read again is stored after what came meanwhile', async () => {
  const main = new FakeMain();
  vi.stubGlobal('window', { spandeck: { invoke: main.invoke, on: () => () => undefined } });
  const state = new ReviewState({ connectionId: 'c', buildId: 'b' });
  await state.load();
  state.add(mark(0));
  expect(await state.whenKept()).toBe(true);
  // The file of a second review is read, and the user decides again before the window has read the new events.
  main.events.push(secondReview);
  state.add(mark(1));
  await vi.waitFor(() => expect(state.error?.code).toBe('CONFLICT'));
  const { promise, resolve } = Promise.withResolvers<void>();
  main.allowsReading = promise;
  const loading = state.load();
  state.add(mark(2));
  resolve();
  await loading;
  expect(await state.whenKept()).toBe(true);
  expect(main.events).toEqual([mark(0), secondReview, mark(1), mark(2)]);
  expect([...state.review.marks.keys()]).toEqual([0, 1, 2]);
  expect(state.review.seconds).toHaveLength(1);
});

test('the shown span can be decided while near-duplicates are read, but not while the mapping is another one', async () => {
  const main = new FakeMain();
  vi.stubGlobal('window', { spandeck: { invoke: main.invoke, on: () => () => undefined } });
  const state = new ReviewState({ connectionId: 'c', buildId: 'b' });
  await state.load();
  await state.ensure();
  expect(state.span(0)).toBeDefined();
  state.readAgain();
  expect(state.span(0)).toBeDefined();
  expect(state.ahead).toBe(0);
  await state.ensure();
  expect(state.ahead).toBe(2);
  state.readAgain();
  state.forget();
  expect(state.span(0)).toBeUndefined();
  await state.ensure();
  expect(state.span(0)).toBeDefined();
});
