/** A made-up client of the window's states: what it answers and says has numbers as main gives them. */
import { NewsOrder } from '../../electron/shared/news-order.ts';
import type { client as realClient } from '../../renderer/lib/client.ts';

type Listener = (payload: never, seq: number) => void;

interface NumberedClient {
  client: Pick<typeof realClient, 'invoke' | 'ask' | 'on'>;
  /** Says an event to the window; `seq` where it was read before something else that is already there. */
  emit: (channel: string, payload: unknown, seq?: number) => void;
  order: NewsOrder;
}

/** `answer`: what main answers. An answer has the number of its question, or of the moment of `readsNow`. */
export function numberedClient(
  answer: (channel: string, argument: never, readsNow: () => void) => unknown,
): NumberedClient {
  const order = new NewsOrder();
  const listeners = new Map<string, Set<Listener>>();
  const client: NumberedClient['client'] = {
    // Made up for any channel: the types of the contract are those of its user.
    ask: (channel, ...[argument]) =>
      order.answer((readsNow) => answer(channel, argument as never, readsNow) as never),
    invoke: async (channel, ...argument) => (await client.ask(channel, ...argument)).value,
    on: (channel, listener) => {
      const known = listeners.get(channel) ?? new Set();
      listeners.set(channel, known.add(listener));
      return () => known.delete(listener);
    },
  };
  return {
    client,
    emit: (channel, payload, seq = order.next()) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload as never, seq);
    },
    order,
  };
}
