/** A program with one running job of each kind, which is killed by the test. Its argument is the folder. */
import { KINDS } from './jobs-kinds.ts';
import { World } from './jobs-world.ts';

const world = new World(process.argv[2]);
for (const kind of KINDS) await kind.open(world, process.pid).begin(null);
await world.requests(KINDS.reduce((sum, { atOnce }) => sum + atOnce, 0));
process.stdout.write('sending\n');
// Keeps the program running until it is killed.
setInterval(() => undefined, 60_000);
