/**
 * Sequence numbers of messages from the main process: an answer has the number of its read, which the window receives.
 */
import { afterEach, expect, test, vi } from 'vitest';
import { EventSequence } from '../../electron/shared/event-sequence.ts';
import { longMessage } from '../../electron/shared/long-message.ts';
import { client } from '../../renderer/lib/client.ts';
import { LatestRequest } from '../../renderer/state/newest.ts';

test('an answer counts as read when its request arrived, whatever happened until it was sent', async () => {
  const order = new EventSequence();
  const disk = Promise.withResolvers<string>();
  const answer = order.answer(() => disk.promise);
  const event = order.event('changed');
  disk.resolve('as it was');
  const { value, seq } = await answer;
  expect(value).toBe('as it was');
  expect(seq).toBeLessThan(event.seq);
});

test('a handler that acts before it reads states when it reads: earlier events are older', async () => {
  const order = new EventSequence();
  const acted = Promise.withResolvers<null>();
  const answer = order.answer(async (readsNow) => {
    await acted.promise;
    readsNow();
    return 'after';
  });
  const before = order.event('before');
  acted.resolve(null);
  const { seq } = await answer;
  expect(seq).toBeGreaterThan(before.seq);
  expect(order.event('later').seq).toBeGreaterThan(seq);
});

afterEach(() => vi.unstubAllGlobals());

function withMain(invoke: (channel: string) => unknown): { say: (message: unknown) => void } {
  const main = { say: (_message: unknown): void => undefined };
  const on = (_channel: string, listener: (message: unknown) => void) => {
    main.say = listener;
    return () => undefined;
  };
  vi.stubGlobal('window', { spandeck: { invoke: async (channel: string) => invoke(channel), on } });
  return main;
}

test('the window receives the number of an answer, and of an event that arrives in parts', async () => {
  const theme = 'x'.repeat(40_000);
  const json = JSON.stringify({ theme });
  const main = withMain((channel) =>
    channel === 'app:read-part'
      ? { ok: true, seq: 9, value: json.slice(32_000) }
      : { ok: true, seq: 7, value: { theme: 'dark' } },
  );
  expect(await client.ask('settings:get')).toEqual({ value: { theme: 'dark' }, seq: 7 });
  expect(await client.invoke('settings:get')).toEqual({ theme: 'dark' });
  const heard: unknown[] = [];
  client.on('settings:changed', (settings, seq) => heard.push([settings, seq]));
  main.say({ seq: 4, payload: longMessage(1, json) });
  main.say({ seq: 5, payload: { theme: 'light' } });
  await vi.waitFor(() =>
    expect(heard).toEqual([
      [{ theme }, 4],
      [{ theme: 'light' }, 5],
    ]),
  );
});

test('an answer or event without a number is rejected', async () => {
  const main = withMain(() => ({ ok: true, value: null }));
  await expect(client.ask('settings:get')).rejects.toThrow('envelope');
  client.on('settings:changed', () => undefined);
  expect(() => main.say({ theme: 'light' })).toThrow('number');
});

test('only the answer to the last request counts, and none after the request was dropped', () => {
  const question = new LatestRequest();
  const first = question.ask();
  expect(first()).toBe(true);
  const second = question.ask();
  expect([first(), second()]).toEqual([false, true]);
  question.forget();
  expect(second()).toBe(false);
});
