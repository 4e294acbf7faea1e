/** One life of the builds in a process of its own, to be killed: goes on with a build. */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DatasetRig } from './dataset-rig.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    token: { type: 'string', default: '' },
    folder: { type: 'string', default: '' },
    build: { type: 'string', default: '' },
  },
});

const { folder } = values;
const keptFolder = { path: folder, file: (name: string) => join(folder, name) };
const say = (word: string) => process.stdout.write(`${word}\n`);
const rig = new DatasetRig({
  baseUrl: values.url,
  token: values.token,
  keptFolder,
  wrapClient: (client) => ({
    ...client,
    call: async (operation, input, options) => {
      const isWrite = ['datasets.add-spans', 'datasets.add-items', 'datasets.create'].includes(operation);
      const answer = client.call(operation, input, options);
      if (isWrite) say('sent');
      const answered = await answer;
      if (isWrite) say('answered');
      return answered;
    },
  }),
});
const { builds } = rig.datasets;
rig.datasets.recover({ continues: true });
const { state } = builds.get(values.build);
if (state === 'editing') await builds.control(values.build, 'commit');
else if (state === 'paused') await builds.control(values.build, 'resume');
const ended = await builds.whenIdle(values.build);
say(`ended ${ended.state}`);
await rig[Symbol.asyncDispose]();
process.exit(0);
