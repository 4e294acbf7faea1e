/** A process that continues a build and is killed by the test. */
import { givenOptions, lastingFolder, say, saying } from './child-life.ts';
import { DatasetRig } from './dataset-rig.ts';

const values = givenOptions('url', 'token', 'folder', 'build');

const rig = new DatasetRig({
  baseUrl: values.url,
  token: values.token,
  keptFolder: lastingFolder(values.folder),
  wrapClient: (client) => ({
    ...client,
    call: async (operation, input, options) => {
      const isWrite = ['datasets.add-spans', 'datasets.add-items', 'datasets.create'].includes(operation);
      const act = () => client.call(operation, input, options);
      return isWrite ? saying(act) : act();
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
