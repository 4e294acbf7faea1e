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
  const ask = (channel: string, argument: unknown) =>
    order.answer((readsNow) => answer(channel, argument as never, readsNow));
  const client = {
    ask,
    invoke: async (channel: string, argument: unknown) => (await ask(channel, argument)).value,
    on: (channel: string, listener: Listener) => {
      const known = listeners.get(channel) ?? new Set();
      listeners.set(channel, known.add(listener));
      return () => known.delete(listener);
    },
  };
  return {
    // Made up for any channel: the types of the contract are those of its user.
    client: client as unknown as NumberedClient['client'],
    emit: (channel, payload, seq = order.next()) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload as never, seq);
    },
    order,
  };
}
