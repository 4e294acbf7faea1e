/**
 * Exposes `window.spandeck`: one `invoke` for all channels and one `on` for all events, without hand-written names.
 * Dropped files are passed to main as paths, which the page never sees.
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { EVENT_CHANNELS, INVOKE_CHANNELS } from './shared/channels.ts';

const invokeNames = new Set<string>(INVOKE_CHANNELS);
const eventNames = new Set<string>(EVENT_CHANNELS);
/** Channel whose argument only the preload may create. */
const PRELOAD_ONLY = 'uploads:offer-files';

contextBridge.exposeInMainWorld('spandeck', {
  invoke(channel: string, argument: unknown): Promise<unknown> {
    if (!invokeNames.has(channel) || channel === PRELOAD_ONLY) {
      return Promise.reject(new Error(`No channel named ${channel}`));
    }
    return ipcRenderer.invoke(channel, argument);
  },
  /** Passes files of a drop or a file input to main. */
  offerFiles(files: File[]): Promise<unknown> {
    const paths = files.map((file) => webUtils.getPathForFile(file));
    return ipcRenderer.invoke(PRELOAD_ONLY, { paths });
  },
  /** Calls `listener` for each event; returns a function that ends this. */
  on(channel: string, listener: (payload: unknown) => void): () => void {
    if (!eventNames.has(channel)) throw new Error(`No event named ${channel}`);
    // Neither function refers to the parameter: after the end, nothing here keeps the listener and its view in memory.
    let active: typeof listener | null = listener;
    const handler = (_event: unknown, payload: unknown) => active?.(payload);
    ipcRenderer.on(channel, handler);
    return () => {
      ipcRenderer.removeListener(channel, handler);
      active = null;
    };
  },
});
