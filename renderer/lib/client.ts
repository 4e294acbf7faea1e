/**
 * The only file that touches `window.spandeck`. Arguments and results take their types from the contract;
 * an answer that is an error is thrown as the AppError it was on the other side.
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
import { createMessages } from './messages.ts';
import { seenAnswers } from './privacy.ts';

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

/** A value and its place in the order in which main read what it sends: see `state/newest.ts`. */
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
  /** Calls main. Throws AppError. */
  async invoke<C extends InvokeChannel>(channel: C, ...argument: Arguments<C>): Promise<InvokeResults[C]> {
    return (await client.ask(channel, ...argument)).value;
  },

  /** Calls main on a channel whose answer depends on the action. Throws AppError. */
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

  /** Calls main for something that changes: the answer comes with its place in the order. Throws AppError. */
  async ask<C extends InvokeChannel>(
    channel: C,
    ...[argument]: Arguments<C>
  ): Promise<Numbered<InvokeResults[C]>> {
    const { value, seq } = open(channel, await bridge().invoke(channel, messages.argument(argument)));
    const whole = (await messages.whole(value)) as InvokeResults[C];
    seenAnswers.see(channel, argument, whole);
    return { value: whole, seq };
  },

  /** Hands dropped files to main, which alone learns their paths. Throws AppError. */
  async offerFiles(files: File[]): Promise<InvokeResults['uploads:offer-files']> {
    const { value } = open('uploads:offer-files', await bridge().offerFiles(files));
    return (await messages.whole(value)) as InvokeResults['uploads:offer-files'];
  },

  /** Calls `listener` for each event, with its place in the order; returns what ends that. */
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
