/** A program of its own with one running job of each kind, to be killed. Its argument: the folder. */
import { KINDS } from './jobs-kinds.ts';
import { World } from './jobs-world.ts';

const world = new World(process.argv[2]);
for (const kind of KINDS) await kind.open(world, process.pid).begin(null);
await world.requests(KINDS.reduce((sum, { atOnce }) => sum + atOnce, 0));
process.stdout.write('sending\n');
// Until it is killed.
setInterval(() => undefined, 60_000);
