/** One life of an export in a process of its own, to be killed: goes on with it. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DataFolder } from './data-folder.ts';
import { ExportRig } from './export-rig.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    folder: { type: 'string', default: '' },
    export: { type: 'string', default: '' },
  },
});

const say = (word: string) => process.stdout.write(`${word}\n`);
const { folder } = values;
const rig = new ExportRig(values.url, {
  folder: { path: folder, file: (name: string) => join(folder, name) } as DataFolder,
});
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
