/** One process of an offline download, to be killed: continues it. */
import { givenOptions, lastingFolder, say, saying } from './child-life.ts';
import { KeepRig } from './keep-rig.ts';

const values = givenOptions('url', 'token', 'folder', 'kept', 'page-rows');
const rig = new KeepRig({
  baseUrl: values.url,
  token: values.token,
  folder: lastingFolder(values.folder),
  wrapClient: (client) => ({
    ...client,
    rows: (...asked) => saying(() => client.rows(...asked)),
  }),
});
rig.library.settings.pageRows = Number(values['page-rows'] || 100);
rig.keep.recover(true);
const ended = await rig.keep.whenIdle(values.kept);
say(`ended ${ended.state}`);
await rig.keep.stop();
process.exit(0);
