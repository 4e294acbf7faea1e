/** The thread of snapshots ends when it is idle, and is started again by the next request. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSnapshots } from '../../electron/library/snapshots.ts';
import { DataFolder } from '../helpers/data-folder.ts';

import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const LIST = { action: 'list', datasetId: 'a-dataset' } as const;

test('closes the store after a minute without a request, opens it for the next one, and closes it at the stop', async () => {
  using folder = new DataFolder();
  const clock = new VirtualClock();
  const file = join(folder.path, 'snapshots.db');
  const snapshots = createSnapshots({
    ...{ file, libraryFile: join(folder.path, 'library.db'), clock, logger: silentLogger },
    mostVersions: () => 10,
    onTaken: () => undefined,
    presetsOf: () => [],
    onSchemaChanged: () => undefined,
  });
  /** While a store is open, its write-ahead log exists. */
  const isOpen = () => existsSync(`${file}-wal`);
  expect(await snapshots.ask(LIST)).toMatchObject({ snapshots: [] });
  clock.advance(59_000);
  expect(await snapshots.ask(LIST)).toMatchObject({ snapshots: [] });
  clock.advance(59_000);
  expect(isOpen()).toBe(true);
  clock.advance(1_000);
  await expect.poll(isOpen).toBe(false);
  expect(await snapshots.ask(LIST)).toMatchObject({ snapshots: [] });
  expect(isOpen()).toBe(true);
  await snapshots.stop();
  expect([isOpen(), clock.pending]).toEqual([false, 0]);
});
