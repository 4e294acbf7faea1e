/**
 * A process with a review, which is killed by the test. It decides one span after another, and reports each stored
 * decision.
 */
import { givenOptions, lastingFolder, say } from './child-life.ts';
import { DatasetRig } from './dataset-rig.ts';

const values = givenOptions('url', 'token', 'folder', 'build', 'most');

const keptFolder = lastingFolder(values.folder);
const { datasets } = new DatasetRig({ baseUrl: values.url, token: values.token, keptFolder });
const { total } = datasets.builds.readReview(values.build, 0);
for (let seq = total; seq < Number(values.most); seq += 1) {
  const patch = { verdict: 'accepted' as const };
  await datasets.builds.addReview(values.build, seq, [{ type: 'mark', position: seq, patch, atMs: seq }]);
  say(String(seq));
}
process.exit(0);
