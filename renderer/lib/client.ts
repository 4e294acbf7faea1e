/**
 * The only file that touches `window.spandeck`. Arguments and results take their types from the contract;
 * an answer that is an error is thrown as the AppError it was on the other side.
 */
import type { EventChannel, InvokeChannel } from '../../electron/shared/channels.ts';
import type { EventPayloads, InvokeArgs, InvokeResults } from '../../electron/shared/contract.ts';
import { AppError, fromWire, type WireError } from '../../electron/shared/errors.ts';
import { createMessages } from './messages.ts';

interface Bridge {
  invoke(channel: string, argument: unknown): Promise<unknown>;
  offerFiles(files: File[]): Promise<unknown>;
  on(channel: string, listener: (payload: unknown) => void): () => void;
}

declare global {
  interface Window {
    readonly spandeck?: Bridge;
  }
}

type Arguments<C extends InvokeChannel> = undefined extends InvokeArgs<C> ? [] : [argument: InvokeArgs<C>];

function bridge(): Bridge {
  if (window.spandeck === undefined) {
    throw new AppError('INTERNAL', 'The window has no main process. Restart Spandeck.');
  }
  return window.spandeck;
}

function open(channel: string, answer: unknown): unknown {
  if (typeof answer === 'object' && answer !== null && 'ok' in answer) {
    if (answer.ok === true && 'value' in answer) return answer.value;
    if (answer.ok === false && 'error' in answer) throw fromWire(answer.error as WireError);
  }
  throw new AppError('INTERNAL', `"${channel}" was answered without an envelope.`);
}

const messages = createMessages(
  async (channel, argument) => open(channel, await bridge().invoke(channel, argument)),
  (problem) => reportError(problem),
);

export const client = {
  /** Calls main. Throws AppError. */
  async invoke<C extends InvokeChannel>(channel: C, ...[argument]: Arguments<C>): Promise<InvokeResults[C]> {
    const answer = await bridge().invoke(channel, messages.argument(argument));
    return (await messages.whole(open(channel, answer))) as InvokeResults[C];
  },

  /** Hands dropped files to main, which alone learns their paths. Throws AppError. */
  async offerFiles(files: File[]): Promise<InvokeResults['uploads:offer-files']> {
    const answer = open('uploads:offer-files', await bridge().offerFiles(files));
    return (await messages.whole(answer)) as InvokeResults['uploads:offer-files'];
  },

  /** Calls `listener` for each event; returns what ends that. */
  on<E extends EventChannel>(event: E, listener: (payload: EventPayloads[E]) => void): () => void {
    return bridge().on(event, (payload) =>
      messages.deliver(payload, (whole) => listener(whole as EventPayloads[E])),
    );
  },
};
