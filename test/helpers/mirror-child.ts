/** A process that continues a mirror and is killed by the test. */
import { givenOptions, lastingFolder, say } from './child-life.ts';
import { MirrorRig } from './mirror-rig.ts';

const values = givenOptions('folder', 'mirror');
const rig = new MirrorRig(lastingFolder(values.folder));
rig.onParts = () => say('part');
rig.mirrors.recover(true);
const ended = await rig.mirrors.whenIdle(values.mirror);
say(`ended ${ended.state}`);
await rig.mirrors.stop();
process.exit(0);
