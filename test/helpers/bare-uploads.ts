/** The uploads of one connection over a store without a service, so that nothing is sent. */
import type { Logger } from '../../electron/core/ports.ts';
import type { UploadStore } from '../../electron/db/upload-store.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import type { Uploads } from '../../electron/uploads/types.ts';
import { createUploads } from '../../electron/uploads/uploads.ts';
import type { DataFolder } from './data-folder.ts';
import { none } from './jobs-kind.ts';
import { madeUpClient } from './made-up-client.ts';
import { openFiles } from './open-files.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { silentLogger } from './virtual-world.ts';

interface Parts {
  folder: DataFolder;
  store: UploadStore;
  clock: VirtualClock;
  /** Called for each logged error. */
  error: Logger['error'];
  isProcessAlive: () => boolean;
}

export function bareUploads({ folder, store, clock, error, isProcessAlive }: Parts): Uploads {
  return createUploads({
    connectionId: 'c',
    store,
    client: madeUpClient({ call: none, list: none, rows: none }),
    clock,
    random: systemRandom,
    logger: { ...silentLogger, error },
    files: openFiles(folder.path),
    spoolFolder: folder.file('copies'),
    plan: () => null,
    followJob: () => () => undefined,
    readBudget: () => ({ usedToday: 0, limit: 30, resetsAtMs: null }),
    onJobChanged: () => undefined,
    onDryRunChanged: () => undefined,
    onDeletionChanged: () => undefined,
    onWholeFileChanged: () => undefined,
    blockingError: () => null,
    options: { processId: 1, isProcessAlive },
  });
}
