/** One life of the changes of several records in a process of its own, to be killed. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BulkRig } from './bulk-rig.ts';
import type { DataFolder } from './data-folder.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    token: { type: 'string', default: '' },
    folder: { type: 'string', default: '' },
    change: { type: 'string', default: '' },
  },
});

const say = (word: string) => process.stdout.write(`${word}\n`);
const { folder } = values;
const rig = new BulkRig({
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
rig.bulk.recover(true);
const ended = await rig.bulk.whenIdle(values.change);
say(`ended ${ended.state}`);
await rig[Symbol.asyncDispose]();
process.exit(0);
