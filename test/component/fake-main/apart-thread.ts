/**
 * The fake main process of `apart.ts`: a worker of a page of its own. Receives the scenario first and posts a message
 * once it answers; calls and answers go through the channel that the scenario names.
 */
import type { Scenario } from './scenario.ts';

interface Call {
  id: number;
  channel: string;
  argument: unknown;
}
interface Bridge {
  invoke: (channel: string, argument: unknown) => Promise<unknown>;
}

const thread = globalThis as unknown as Worker & { spandeck: Bridge };

async function start(scenario: Scenario & { mainChannel: string }): Promise<void> {
  Object.assign(globalThis, { scenario });
  await import('./install.ts');
  const window = new BroadcastChannel(scenario.mainChannel);
  window.addEventListener('message', ({ data: { id, channel, argument } }: MessageEvent<Call>) => {
    void thread.spandeck.invoke(channel, argument).then((envelope) => window.postMessage({ id, envelope }));
  });
  thread.postMessage('ready');
}

thread.addEventListener(
  'message',
  ({ data }: MessageEvent<Scenario & { mainChannel: string }>) => void start(data),
  { once: true },
);
