/** Finds the files that unfinished jobs of all connections read, without opening the connections. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Clock } from '../core/ports.ts';
import type { Maintenance } from '../db/maintenance-thread.ts';
import type { DataPaths } from '../platform/paths.ts';

interface NeededPathsDeps {
  paths: DataPaths;
  clock: Clock;
  threads: Pick<Maintenance, 'neededFiles'>;
}

/** Rejects if a store cannot be read, e.g. because it is damaged: it is then not known what its jobs need. */
export async function neededPaths({ paths, clock, threads }: NeededPathsDeps): Promise<string[]> {
  const found: string[] = [];
  // The folders are listed instead of the connections, because the row of a connection may be unreadable.
  const ids = existsSync(paths.connectionsDir) ? await readdir(paths.connectionsDir) : [];
  for (const id of ids) {
    found.push(...(await threads.neededFiles('uploads', paths.uploadsDb(id), clock.nowMs())));
    found.push(...(await threads.neededFiles('datasets', paths.datasetsDb(id), clock.nowMs())));
  }
  return found;
}
