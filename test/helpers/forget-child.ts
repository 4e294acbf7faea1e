/** A program that removes a connection, and is killed midway. */
import { givenOptions, lastingFolder, say } from './child-life.ts';
import { EngineRig } from './engine-rig.ts';

const values = givenOptions('folder', 'connection');

const rig = await EngineRig.open(lastingFolder(values.folder));
await rig.engine.connections.forget(values.connection);
say('forgotten');
process.exit(0);
