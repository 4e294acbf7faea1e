/**
 * A process that takes snapshots and is killed by the test. It stores one state after another, and reports each stored
 * one.
 */
import { parseArgs } from 'node:util';
import { openSnapshotStore } from '../../electron/db/snapshot-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { snapshotState } from './snapshot-states.ts';
import { silentLogger } from './virtual-world.ts';

const { values } = parseArgs({ options: { file: { type: 'string', default: '' } } });
const store = openSnapshotStore({ file: values.file, clock: systemClock, logger: silentLogger });
for (;;) {
  // The number of a state serves as its time.
  const state = (store.list('d').snapshots[0]?.takenAtMs ?? 0) + 1;
  const items = snapshotState(state);
  store.take('d', items, items.length, state);
  store.prune('d', 12);
  process.stdout.write(`${state}\n`);
}
