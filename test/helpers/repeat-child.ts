/** A process with a repeated mirror. It kills itself when a run ends, before or after the next run is stored. */
import { givenOptions, lastingFolder, say } from './child-life.ts';
import { MirrorRig } from './mirror-rig.ts';

const values = givenOptions('folder', 'mirror', 'kill');
const rig = new MirrorRig(lastingFolder(values.folder));
const die = () => process.kill(process.pid, 'SIGKILL');
const { jobs } = rig.rows;
const create = jobs.create.bind(jobs);
jobs.create = (...run) => {
  if (values.kill === 'before') die();
  create(...run);
  if (values.kill === 'inside') die();
};
rig.heard.push = (...news) => {
  if (values.kill === 'after' && news.some(({ state }) => state === 'done')) die();
  return news.length;
};
rig.mirrors.recover(true);
rig.mirrors.control(values.mirror, 'start');
const ended = await rig.mirrors.whenIdle(values.mirror);
say(`ended ${ended.state}`);
await rig.mirrors.stop();
process.exit(0);
