/** One life of what is kept offline in a process of its own, to be killed: goes on with it. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DataFolder } from './data-folder.ts';
import { KeepRig } from './keep-rig.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    token: { type: 'string', default: '' },
    folder: { type: 'string', default: '' },
    kept: { type: 'string', default: '' },
    'page-rows': { type: 'string', default: '100' },
  },
});

const say = (word: string) => process.stdout.write(`${word}\n`);
const { folder } = values;
const rig = new KeepRig({
  baseUrl: values.url,
  token: values.token,
  folder: { path: folder, file: (name: string) => join(folder, name) } as DataFolder,
  wrapClient: (client) => ({
    ...client,
    rows: async (...asked) => {
      say('sent');
      const answer = await client.rows(...asked);
      say('answered');
      return answer;
    },
  }),
});
rig.library.settings.pageRows = Number(values['page-rows']);
rig.keep.recover(true);
const ended = await rig.keep.whenIdle(values.kept);
say(`ended ${ended.state}`);
await rig.keep.stop();
process.exit(0);
