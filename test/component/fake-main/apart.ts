/**
 * The made-up main process in a thread of its own, behind the same `window.spandeck`: what it spends on answering is
 * not the window's, as in the product, while reading an answer is. It tells of no events.
 */
import type { FakeWindow } from './scenario.ts';

interface Answer {
  id: number;
  envelope: unknown;
}

// An address of the test server, which makes it one module as it does this one.
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
