/** Receives calls of all channels from the start of the window on; they wait until the application can answer. */
import { type BrowserWindow, type IpcMainInvokeEvent, ipcMain } from 'electron';
import { INVOKE_CHANNELS, type InvokeChannel } from '../shared/channels.ts';
import type { Envelope } from '../shared/contract.ts';

/** `isOwn`: whether the call comes from the page of the application's own window. */
export type Answer = (
  channel: InvokeChannel,
  isOwn: boolean,
  argument: unknown,
) => Promise<Envelope<unknown>>;

interface GateDeps {
  /** Required origin of every sender, e.g. `app://spandeck`. */
  origin: string;
  window: () => BrowserWindow | null;
}

/**
 * Registers all channels of the table. The returned function sets the handler of calls; waiting calls are passed to it
 * first.
 */
export function openGate({ origin, window }: GateDeps): (answer: Answer) => void {
  const answering = Promise.withResolvers<Answer>();
  for (const channel of INVOKE_CHANNELS) {
    ipcMain.handle(channel, async (event, argument: unknown) => {
      // Checked before the first await, because the frame may be gone afterwards.
      const isOwn = isOwnPage(event, origin, window());
      const answer = await answering.promise;
      return await answer(channel, isOwn, argument);
    });
  }
  return answering.resolve;
}

function isOwnPage(event: IpcMainInvokeEvent, origin: string, window: BrowserWindow | null): boolean {
  const frame = event.senderFrame;
  return (
    frame !== null &&
    window !== null &&
    event.sender === window.webContents &&
    frame === window.webContents.mainFrame &&
    frame.url.startsWith(`${origin}/`)
  );
}
