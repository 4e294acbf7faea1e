/**
 * The only file that uses `window.spandeck`. Types of arguments and results come from the contract; an error
 * answer is rethrown as AppError.
 */
import type { EventChannel, InvokeChannel } from '../../electron/shared/channels.ts';
import type {
  ActionAnswers,
  ActionArgs,
  ActionChannel,
  ActionOn,
  EventMessage,
  EventPayloads,
  InvokeArgs,
  InvokeResults,
} from '../../electron/shared/contract.ts';
import { AppError, fromWire, type WireError } from '../../electron/shared/errors.ts';
import { seenAnswers } from './message-privacy.ts';
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

/**
 * A value with a sequence number: the order in which the main process read the values that it sends. See
 * `state/newest.ts`.
 */
export interface Numbered<T> {
  value: T;
  seq: number;
}

function open(channel: string, answer: unknown): Numbered<unknown> {
  if (typeof answer === 'object' && answer !== null && 'ok' in answer) {
    const { ok } = answer;
    if (ok === true && 'value' in answer && 'seq' in answer && typeof answer.seq === 'number')
      return { value: answer.value, seq: answer.seq };
    if (ok === false && 'error' in answer) throw fromWire(answer.error as WireError);
  }
  throw new AppError('INTERNAL', `"${channel}" was answered without an envelope.`);
}

function isEventMessage(message: unknown): message is EventMessage {
  return (
    typeof message === 'object' &&
    message !== null &&
    'payload' in message &&
    'seq' in message &&
    typeof message.seq === 'number'
  );
}

const messages = createMessages(
  async (channel, argument) => open(channel, await bridge().invoke(channel, argument)).value,
  (problem) => reportError(problem),
);

export const client = {
  /** Calls the main process. Throws AppError. */
  async invoke<C extends InvokeChannel>(channel: C, ...argument: Arguments<C>): Promise<InvokeResults[C]> {
    return (await client.ask(channel, ...argument)).value;
  },

  /** Calls the main process on a channel whose answer depends on the action. Throws AppError. */
  async act<C extends ActionChannel, A extends ActionOn<C>>(
    channel: C,
    action: A,
    argument: ActionArgs<C, A>,
  ): Promise<ActionAnswers[C][A]> {
    const answer = await bridge().invoke(channel, messages.argument({ action, ...argument }));
    const value = (await messages.whole(open(channel, answer).value)) as ActionAnswers[C][A];
    seenAnswers.see(channel, argument, value);
    return value;
  },

  /** Calls the main process for data that changes: the answer carries its sequence number. Throws AppError. */
  async ask<C extends InvokeChannel>(
    channel: C,
    ...[argument]: Arguments<C>
  ): Promise<Numbered<InvokeResults[C]>> {
    const { value, seq } = open(channel, await bridge().invoke(channel, messages.argument(argument)));
    const whole = (await messages.whole(value)) as InvokeResults[C];
    seenAnswers.see(channel, argument, whole);
    return { value: whole, seq };
  },

  /** Passes dropped files to the main process; only it learns their paths. Throws AppError. */
  async offerFiles(files: File[]): Promise<InvokeResults['uploads:offer-files']> {
    const { value } = open('uploads:offer-files', await bridge().offerFiles(files));
    return (await messages.whole(value)) as InvokeResults['uploads:offer-files'];
  },

  /** Calls `listener` with each event and its sequence number; returns a function that unsubscribes. */
  on<E extends EventChannel>(
    event: E,
    listener: (payload: EventPayloads[E], seq: number) => void,
  ): () => void {
    return bridge().on(event, (message) => {
      if (!isEventMessage(message)) throw new AppError('INTERNAL', `"${event}" came without its number.`);
      messages.deliver(message.payload, (whole) => {
        seenAnswers.see(event, undefined, whole);
        listener(whole as EventPayloads[E], message.seq);
      });
    });
  },
};
