/** A process that sends all waiting changes of the outbox, and is killed by the test. */
import { givenOptions, lastingFolder, say, saying } from './child-life.ts';
import { OutboxRig } from './outbox-rig.ts';

const values = givenOptions('url', 'token', 'folder');

const rig = new OutboxRig({
  baseUrl: values.url,
  token: values.token,
  folder: lastingFolder(values.folder),
  wrapResources: (resources) => ({
    ...resources,
    act: (request, options) => saying(() => resources.act(request, options)),
  }),
});
rig.outbox.recover(true);
rig.outbox.sendAll();
await rig.outbox.whenSent();
for (const { entryId } of rig.outbox.list()) await rig.outbox.whenIdle(entryId);
say('ended');
await rig[Symbol.asyncDispose]();
process.exit(0);
