import type { BrowserWindow } from 'electron';
import type { Logger } from '../core/ports.ts';
import type { EventChannel, InvokeChannel } from '../shared/channels.ts';
import type { Envelope, EventPayloads, InvokeResults, ParsedArgs } from '../shared/contract.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { EventSequence, ReadsNow } from '../shared/event-sequence.ts';
import { OPEN_WHILE_LOCKED } from '../shared/lock-model.ts';
import type { Answer } from './gate.ts';
import type { MessageQueue } from './message-queue.ts';
import { parseArgument } from './parse-argument.ts';

/** Channels for parts of long messages, which are handled in this file. */
type PartChannel = 'app:read-part' | 'app:add-part';
type AllHandlers = {
  [C in InvokeChannel]: (
    argument: ParsedArgs<C>,
    /** See `EventSequence.answer`. */
    readsNow: ReadsNow,
  ) => InvokeResults[C] | Promise<InvokeResults[C]>;
};
export type Handlers = Omit<AllHandlers, PartChannel>;

/** How values are sent: in parts if they are long, each value with its position in the order of events. */
interface Outgoing {
  messages: MessageQueue;
  order: EventSequence;
}

interface Registration extends Outgoing {
  handlers: Handlers;
  /** Reads a part of a connection's long record; null if another answer is stored by now. */
  readStored: (part: {
    connectionId: string;
    textId: number;
    from: number;
  }) => string | null | Promise<string | null>;
  logger: Logger;
  /** Whether the window is locked, so that only requests to unlock it are handled. */
  isLocked: () => boolean;
}

/** Answers a call: checks sender and argument, calls the handler and wraps the result, in this order. */
export function answersOf(registration: Registration): Answer {
  const { messages } = registration;
  const handlers: AllHandlers = {
    ...registration.handlers,
    'app:read-part': (part) =>
      'id' in part ? messages.read(part.id, part.from) : registration.readStored(part),
    'app:add-part': ({ id, from, part }) => {
      messages.add(id, from, part);
      return null;
    },
  };
  return (channel, isOwn, argument) => handle({ ...registration, handlers }, channel, isOwn, argument);
}

/** Sends an event to the window, if there is one. */
export function publish<C extends EventChannel>(
  window: BrowserWindow | null,
  { messages, order }: Outgoing,
  channel: C,
  payload: EventPayloads[C],
): void {
  if (window === null || window.isDestroyed() || window.webContents.isCrashed()) return;
  window.webContents.send(channel, order.event(messages.pack(payload)));
}

async function handle<C extends InvokeChannel>(
  { handlers, messages, order, logger, isLocked }: Omit<Registration, 'handlers'> & { handlers: AllHandlers },
  channel: C,
  isOwn: boolean,
  argument: unknown,
): Promise<Envelope<unknown>> {
  try {
    if (!isOwn)
      throw new AppError('SENDER_REFUSED', "The call did not come from the application's own window.");
    if (isLocked() && !OPEN_WHILE_LOCKED.has(channel)) {
      throw new AppError('LOCKED', 'The window is locked. Open it first.');
    }
    const parsed = parseArgument(channel, messages.unpack(argument));
    const { value, seq } = await order.answer((readsNow) => handlers[channel](parsed, readsNow));
    return { ok: true, seq, value: messages.pack(value) };
  } catch (thrown) {
    const error = toAppError(thrown);
    const level = error.code === 'INTERNAL' || error.code === 'SENDER_REFUSED' ? 'error' : 'info';
    logger[level]('channel failed', {
      channel,
      code: error.code,
      reason: error.message,
      stack: error.code === 'INTERNAL' && error.cause instanceof Error ? error.cause.stack : null,
    });
    return { ok: false, error: error.toWire() };
  }
}
