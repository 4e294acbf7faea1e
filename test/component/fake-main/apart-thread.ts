/** The worker of `apart.ts`: receives the scenario first, then calls. */
interface Bridge {
  invoke: (channel: string, argument: unknown) => Promise<unknown>;
}
type Message = { scenario: unknown } | { id: number; channel: string; argument: unknown };

const thread = globalThis as unknown as Worker & { spandeck?: Bridge };

async function load(scenario: unknown): Promise<void> {
  Object.assign(globalThis, { scenario });
  await import('./install.ts');
}

let loaded = Promise.resolve();

thread.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if ('scenario' in data) {
    loaded = load(data.scenario);
    return;
  }
  const { id, channel, argument } = data;
  void loaded
    .then(() => thread.spandeck?.invoke(channel, argument))
    .then((envelope) => thread.postMessage({ id, envelope }));
});
