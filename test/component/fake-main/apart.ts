/**
 * The fake main process in a worker, behind the same `window.spandeck`: as in the product, only reading answers uses
 * the window's thread, not producing them. Sends no events.
 */
import type { FakeWindow } from './scenario.ts';

interface Answer {
  id: number;
  envelope: unknown;
}

// An address of the test server, which bundles it into one module like this one.
const thread = new Worker('/fake-main/apart-thread.ts', { type: 'module' });
const waiting = new Map<number, (envelope: unknown) => void>();
let asked = 0;

thread.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
  waiting.get(data.id)?.(data.envelope);
  waiting.delete(data.id);
});

function invoke(channel: string, argument: unknown): Promise<unknown> {
  asked += 1;
  const id = asked;
  thread.postMessage({ id, channel, argument });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const { scenario } = globalThis as unknown as FakeWindow;
thread.postMessage({ scenario });
Object.assign(globalThis, {
  spandeck: { invoke, offerFiles: () => invoke('uploads:offer-files', undefined), on: () => () => undefined },
});
