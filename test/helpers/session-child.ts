/** A program that has a connection open until it is killed. */
import { givenOptions, lastingFolder, say } from './child-life.ts';
import { EngineRig } from './engine-rig.ts';

const values = givenOptions('folder', 'connection');

const rig = await EngineRig.open(lastingFolder(values.folder));
await rig.engine.session(values.connection);
say('open');
// Its server keeps it running.
