/** The texts of a session's exchanges while its spans are read again. */
import { expect, test } from 'vitest';
import type { Exchange } from '../../electron/shared/messages/exchanges.ts';
import type { SpanHead } from '../../renderer/lib/trace-tree.ts';
import { SessionConversation } from '../../renderer/views/spans/session/session-conversation.svelte.ts';

const exchange = (key: string, place: number) =>
  ({ key, speakers: [{ place }], steps: [] }) as unknown as Exchange<SpanHead>;

test('exchanges that arrive while a moved span is read are read too', async () => {
  const conversation = new SessionConversation();
  const moved = Promise.withResolvers<null>();
  conversation.ensure([exchange('a', 0)], 'before', () => moved.promise);
  conversation.ensure([exchange('a', 1)], 'after', () => Promise.resolve({}));
  moved.resolve(null);
  await expect.poll(() => conversation.texts.get('a')?.source).toBe('after 1');
});

test('a span that moved is not read again until the exchanges arrive', async () => {
  const conversation = new SessionConversation();
  let reads = 0;
  const read = () => {
    reads += 1;
    return Promise.resolve(null);
  };
  conversation.ensure([exchange('a', 0)], 'before', read);
  await new Promise((resolve) => setImmediate(resolve));
  expect([reads, conversation.texts.size]).toEqual([1, 0]);
});
