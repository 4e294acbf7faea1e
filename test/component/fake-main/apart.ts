/**
 * A fake main process in another page, and so in another process, behind the same `window.spandeck`. As in the product,
 * the process of the window reads answers but does not produce them. Sends no events. `openApart` starts the other
 * page.
 */
import { scenario } from './scenario.ts';

interface Answer {
  id: number;
  envelope: unknown;
}

if (scenario.mainChannel === undefined) throw new Error('Expected the channel of a fake main process.');
const main = new BroadcastChannel(scenario.mainChannel);
const waiting = new Map<number, (envelope: unknown) => void>();
let asked = 0;

main.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
  waiting.get(data.id)?.(data.envelope);
  waiting.delete(data.id);
});

function invoke(channel: string, argument: unknown): Promise<unknown> {
  asked += 1;
  const id = asked;
  main.postMessage({ id, channel, argument });
  return new Promise((resolve) => waiting.set(id, resolve));
}

Object.assign(globalThis, {
  spandeck: { invoke, offerFiles: () => invoke('uploads:offer-files', undefined), on: () => () => undefined },
});
