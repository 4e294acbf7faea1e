/** A fake client for states of the window. Its answers and events have sequence numbers, as from the main process. */
import { EventSequence } from '../../electron/shared/event-sequence.ts';
import type { client as realClient } from '../../renderer/lib/client.ts';

type Listener = (payload: never, seq: number) => void;

interface NumberedClient {
  client: Pick<typeof realClient, 'invoke' | 'ask' | 'on'>;
  /** Sends an event to the window. `seq`: given if the event was read before a newer one that has already arrived. */
  emit: (channel: string, payload: unknown, seq?: number) => void;
  order: EventSequence;
}

/**
 * `answer`: returns the answer of the main process. It gets the number of its request, or that of the call of
 * `readsNow`.
 */
export function numberedClient(
  answer: (channel: string, argument: never, readsNow: () => void) => unknown,
): NumberedClient {
  const order = new EventSequence();
  const listeners = new Map<string, Set<Listener>>();
  const client: NumberedClient['client'] = {
    // Accepts any channel. The code under test has the types of the contract.
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
