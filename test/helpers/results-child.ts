/** A process that continues an upload of results, and is killed by the test. */
import { givenOptions, lastingFolder, say, saying } from './child-life.ts';
import { DatasetRig } from './dataset-rig.ts';

const values = givenOptions('url', 'token', 'folder', 'job');

const rig = new DatasetRig({
  baseUrl: values.url,
  token: values.token,
  keptFolder: lastingFolder(values.folder),
  wrapClient: (client) => ({
    ...client,
    call: (operation, input, options) => {
      const act = () => client.call(operation, input, options);
      return operation === 'experiments.add-results' ? saying(act) : act();
    },
  }),
});
const { items } = rig.datasets;
rig.datasets.recover({ continues: true });
const { state } = items.get(values.job);
if (state === 'ready') items.control(values.job, 'start', null);
else if (state === 'paused') items.control(values.job, 'resume', null);
const ended = await items.whenIdle(values.job);
say(`ended ${ended.state}`);
await rig[Symbol.asyncDispose]();
process.exit(0);
