/** One life of the outbox in a process of its own, to be killed: sends all that waits. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DataFolder } from './data-folder.ts';
import { OutboxRig } from './outbox-rig.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    token: { type: 'string', default: '' },
    folder: { type: 'string', default: '' },
  },
});

const say = (word: string) => process.stdout.write(`${word}\n`);
const { folder } = values;
const rig = new OutboxRig({
  baseUrl: values.url,
  token: values.token,
  folder: { path: folder, file: (name: string) => join(folder, name) } as DataFolder,
  wrapResources: (resources) => ({
    ...resources,
    act: async (request, way) => {
      say('sent');
      const answer = await resources.act(request, way);
      say('answered');
      return answer;
    },
  }),
});
rig.outbox.recover(true);
rig.outbox.sendAll();
await rig.outbox.whenSent();
for (const { entryId } of rig.outbox.list()) await rig.outbox.whenIdle(entryId);
say('ended');
await rig[Symbol.asyncDispose]();
process.exit(0);
