/** A process that continues to keep data for offline use, and is killed by the test. */
import { givenOptions, lastingFolder, say, saying } from './child-life.ts';
import { KeepRig } from './keep-rig.ts';

const values = givenOptions('url', 'token', 'folder', 'kept', 'page-rows', 'days-later');
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
const { lists } = rig.library.store;
const { carry } = lists;
Object.assign(lists, {
  carry: (...given: Parameters<typeof carry>) => {
    say('carry');
    return carry(...given);
  },
});
rig.library.aheadMs += Number(values['days-later']) * 86_400_000;
rig.keep.recover(true);
const { state, plan } = rig.keep.get(values.kept);
if (values['days-later'] !== '' && state === 'done') rig.keep.start(plan, null);
const ended = await rig.keep.whenIdle(values.kept);
say(`ended ${ended.state}`);
await rig.keep.stop();
process.exit(0);
