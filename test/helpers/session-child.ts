/** A program with an open connection. It runs until it is killed. */
import { givenOptions, lastingFolder, say } from './child-life.ts';
import { EngineRig } from './engine-rig.ts';

const values = givenOptions('folder', 'connection');

const rig = await EngineRig.open(lastingFolder(values.folder));
await rig.engine.session(values.connection);
say('open');
// The server keeps the program running.
