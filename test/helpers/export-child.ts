/** A process that continues an export and is killed by the test. */
import { givenOptions, lastingFolder, say } from './child-life.ts';
import { ExportRig } from './export-rig.ts';

const values = givenOptions('url', 'folder', 'export');

const rig = new ExportRig(values.url, { folder: lastingFolder(values.folder) });
rig.onWrite = () => say('writing');
rig.library.clientRig.client.rows = new Proxy(rig.library.clientRig.client.rows, {
  apply: (rows, self, asked) => {
    say('page');
    return Reflect.apply(rows, self, asked);
  },
});
rig.exports.recover(true);
const ended = await rig.exports.whenIdle(values.export);
say(`ended ${ended.state}`);
await rig.exports.stop();
process.exit(0);
