/** Values that are too long for one message to or from the main process are sent in parts, in order. */
import { AppError } from '../../electron/shared/errors.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';
import { InOrder, isLongMessage, shortMessage, valueOfLong } from '../../electron/shared/long-message.ts';
import { partOf } from '../../electron/shared/record-parts.ts';

type Call = (channel: 'app:read-part' | 'app:add-part', argument: unknown) => Promise<unknown>;

interface Messages {
  /** The argument to send; the parts of a long one are sent before it. */
  argument(value: unknown): unknown;
  /** The value of an answer. Throws INTERNAL if the main process has discarded it. */
  whole(answer: unknown): unknown;
  /** Delivers the payload of an event after all earlier ones. A discarded payload is not delivered. */
  deliver(payload: unknown, take: (whole: unknown) => void): void;
}

/** `onFailure` receives the errors of events that arrive in parts, because no caller waits for them. */
export function createMessages(call: Call, onFailure: (problem: unknown) => void): Messages {
  const order = new InOrder();
  let lastId = 0;
  const readPart = async (id: number, from: number) => {
    const part = await call('app:read-part', { id, from });
    return typeof part === 'string' ? part : null;
  };
  /** Takes messages in the order in which they arrive. */
  const inTurn = (message: unknown, take: (found: { value: unknown } | null) => void): Promise<void> =>
    order.run(() => {
      if (isLongMessage(message)) return valueOfLong(message, readPart).then(take);
      take({ value: message });
      return undefined;
    });
  return {
    argument: (value) => {
      // View state can be a proxy, which the bridge cannot copy.
      const json: string | undefined = JSON.stringify(value);
      if (json === undefined) return undefined;
      const short = shortMessage(json, parseExact(json));
      if (short !== null) return short.message;
      lastId += 1;
      for (let from = 0; from < json.length; ) {
        const part = partOf(json, from);
        // The rejection of a part needs no handling: the argument itself is then rejected, because it lacks the part.
        void call('app:add-part', { id: lastId, from, part }).catch(() => null);
        from += part.length;
      }
      return { spandeckParts: { id: lastId, characters: json.length, begin: '' } };
    },
    whole: async (answer) => {
      let taken: { value: unknown } | null = null;
      await inTurn(answer, (found) => {
        taken = found;
      });
      return valueIn(taken);
    },
    deliver: (payload, take) => {
      inTurn(payload, (found) => {
        if (found !== null) take(found.value);
      }).catch(onFailure);
    },
  };
}

function valueIn(taken: { value: unknown } | null): unknown {
  if (taken !== null) return taken.value;
  throw new AppError('INTERNAL', 'The answer expired before it was read. Try again.');
}
