/**
 * A process that is killed at any moment while it takes snapshots: listed snapshots are complete, and none is repeated.
 */
import { afterEach, expect, test } from 'vitest';
import { openSnapshotStore } from '../../electron/db/snapshot-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { Lives } from '../helpers/lives.ts';
import { snapshotState } from '../helpers/snapshot-states.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const lives = new Lives('snapshot-child.ts');
afterEach(() => lives.killAll());

test('kill -9 repeatedly: every listed version restores its state exactly', async () => {
  using folder = new DataFolder();
  const file = folder.file('snapshots.db');
  let said = 0;
  for (const lines of [3, 9, 5, 14]) {
    said = Math.max(said, Number(await lives.live({ file }, lines)));
    const store = openSnapshotStore({ file, clock: systemClock, logger: silentLogger });
    const { snapshots } = store.list('d');
    const states = snapshots.map(({ takenAtMs }) => takenAtMs);
    // Snapshots that were reported as stored exist, are consecutive, and do not exceed the limit.
    expect(states[0]).toBeGreaterThanOrEqual(said);
    expect(states).toEqual(states.map((_, at) => (states[0] ?? 0) - at));
    expect(states.length).toBeLessThanOrEqual(13);
    for (const { snapshotId, takenAtMs } of snapshots)
      expect([...store.items(snapshotId)]).toEqual(snapshotState(takenAtMs).map(({ json }) => json));
    store.close();
  }
});
