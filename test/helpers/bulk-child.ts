/** A process that changes several records and is killed by the test. */

import { BulkRig } from './bulk-rig.ts';
import { givenOptions, lastingFolder, say, saying } from './child-life.ts';

const values = givenOptions('url', 'token', 'folder', 'change');

const rig = new BulkRig({
  baseUrl: values.url,
  token: values.token,
  folder: lastingFolder(values.folder),
  wrapResources: (resources) => ({
    ...resources,
    act: (request, options) => saying(() => resources.act(request, options)),
  }),
});
rig.bulk.recover(true);
const ended = await rig.bulk.whenIdle(values.change);
say(`ended ${ended.state}`);
await rig[Symbol.asyncDispose]();
process.exit(0);
