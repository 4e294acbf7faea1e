/** Handles each kind of message from a page in main. */

import type { KeyPress } from './accelerator.ts';
import { IpcMain, type IpcMainEvent, type IpcMainInvokeEvent, ipcMain } from './ipc-main.ts';
import { pressKey } from './menu.ts';
import type { PageLink, ReceivedMessage } from './page-link.ts';
import { emitPreventable } from './unsupported.ts';
import { toApp } from './urls.ts';
import { type HandlerDetails, type PageState, stateListeners, type WebContents } from './web-contents.ts';

async function answer(contents: WebContents, link: PageLink, message: ReceivedMessage): Promise<void> {
  const channel = message.channel ?? '';
  const handler = IpcMain.handlerOf(ipcMain, channel);
  const event = invokeEvent(contents);
  try {
    if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
    link.reply(message, await handler(event, ...(message.body as unknown[])));
  } catch (error) {
    link.refuse(message, error);
  }
}

const invokeEvent = (contents: WebContents): IpcMainInvokeEvent => ({
  type: 'frame',
  sender: contents,
  senderFrame: contents.mainFrame,
  frameId: 1,
  processId: contents.id,
});

function requestNavigation(contents: WebContents, body: { url: string; isReload: boolean }): void {
  const url = toApp(body.url);
  const fields = { url, isMainFrame: true, isSameDocument: false, frame: contents.mainFrame };
  if (emitPreventable(contents, 'will-navigate', fields, url)) return;
  if (body.isReload) contents.reload();
  else void contents.loadURL(url);
}

/** Handles one message. */
export function dispatchMessage(
  contents: WebContents,
  link: PageLink,
  message: ReceivedMessage,
  openHandler: (details: HandlerDetails) => { action: string },
): void {
  const body = message.body;
  switch (message.kind) {
    case 'invoke':
      void answer(contents, link, message);
      return;
    case 'send': {
      const channel = message.channel ?? '';
      const reply = (to: string, ...args: unknown[]): void => contents.send(to, ...args);
      const event: IpcMainEvent = { ...invokeEvent(contents), reply };
      ipcMain.emit(channel, event, ...(body as unknown[]));
      return;
    }
    case 'navigate':
      requestNavigation(contents, body as { url: string; isReload: boolean });
      return;
    case 'open': {
      const { url, frameName, disposition } = body as HandlerDetails;
      const { action } = openHandler({ url: toApp(url), frameName, features: '', disposition });
      if (action !== 'deny')
        process.stderr.write('The Chromium host opens no windows for pages; it denies them all.\n');
      return;
    }
    case 'key':
      pressKey(body as KeyPress, contents);
      return;
    default:
      for (const listener of stateListeners) listener(contents, body as PageState);
  }
}
