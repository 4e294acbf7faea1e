import { type BrowserWindow, type IpcMainInvokeEvent, ipcMain } from 'electron';
import type { Logger } from '../core/ports.ts';
import { type EventChannel, INVOKE_CHANNELS, type InvokeChannel } from '../shared/channels.ts';
import type { Envelope, EventPayloads, InvokeResults, ParsedArgs } from '../shared/contract.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { parseArgument } from './parse-argument.ts';

export type Handlers = {
  [C in InvokeChannel]: (argument: ParsedArgs<C>) => InvokeResults[C] | Promise<InvokeResults[C]>;
};

export interface Registration {
  handlers: Handlers;
  /** Origin every sender must have, e.g. `app://spandeck`. */
  origin: string;
  window: () => BrowserWindow | null;
  logger: Logger;
}

/** Registers every channel of the table: sender, argument, handler, envelope, in this order. */
export function registerChannels(registration: Registration): void {
  for (const channel of INVOKE_CHANNELS) {
    ipcMain.handle(channel, (event, argument: unknown) => handle(registration, channel, event, argument));
  }
}

/** Sends an event to the window, if there is one. */
export function publish<C extends EventChannel>(
  window: BrowserWindow | null,
  channel: C,
  payload: EventPayloads[C],
): void {
  if (window === null || window.isDestroyed()) return;
  window.webContents.send(channel, payload);
}

async function handle<C extends InvokeChannel>(
  { handlers, origin, window, logger }: Registration,
  channel: C,
  event: IpcMainInvokeEvent,
  argument: unknown,
): Promise<Envelope<InvokeResults[C]>> {
  try {
    // Synchronously first: the frame may be gone after the first await.
    assertSender(event, origin, window());
    const parsed = parseArgument(channel, argument);
    return { ok: true, value: await handlers[channel](parsed) };
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

function assertSender(event: IpcMainInvokeEvent, origin: string, window: BrowserWindow | null): void {
  const frame = event.senderFrame;
  const isOurs =
    frame !== null &&
    window !== null &&
    event.sender === window.webContents &&
    frame === window.webContents.mainFrame &&
    frame.url.startsWith(`${origin}/`);
  if (!isOurs)
    throw new AppError('SENDER_REFUSED', "The call did not come from the application's own window.");
}
