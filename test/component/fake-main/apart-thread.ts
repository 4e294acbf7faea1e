/**
 * The fake main process of `apart.ts`, in a worker of a separate page. Its first message is the scenario, and it posts
 * a message once it can answer. Calls and answers are sent through the channel that the scenario names.
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
