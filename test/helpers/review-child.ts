/** One life of a review in a process of its own, to be killed: decides span after span and says each that is kept. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DatasetRig } from './dataset-rig.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    token: { type: 'string', default: '' },
    folder: { type: 'string', default: '' },
    build: { type: 'string', default: '' },
    most: { type: 'string', default: '0' },
  },
});

const keptFolder = { path: values.folder, file: (name: string) => join(values.folder, name) };
const { datasets } = new DatasetRig({ baseUrl: values.url, token: values.token, keptFolder });
const { total } = datasets.builds.readReview(values.build, 0);
for (let seq = total; seq < Number(values.most); seq += 1) {
  const patch = { verdict: 'accepted' as const };
  await datasets.builds.addReview(values.build, seq, [{ type: 'mark', position: seq, patch, atMs: seq }]);
  process.stdout.write(`${seq}\n`);
}
process.exit(0);
