/** Finds the files that unfinished jobs of all connections read, without opening the connections. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Clock, Logger } from '../core/ports.ts';
import type { Maintenance } from '../db/maintenance-thread.ts';
import type { DataPaths } from '../platform/paths.ts';
import { toAppError } from '../shared/errors.ts';
import type { NeededCopies } from '../uploads/unpack/copies.ts';

interface NeededCopiesDeps {
  paths: DataPaths;
  clock: Clock;
  threads: Pick<Maintenance, 'neededFiles'>;
  logger: Pick<Logger, 'warn'>;
}

/**
 * Connections with a store that cannot be read, e.g. because it is damaged, are named and logged: it is not known which
 * files their jobs need. Rejects if the connections cannot be listed, and with CANCELLED if the program ends.
 */
export async function neededCopies({
  paths,
  clock,
  threads,
  logger,
}: NeededCopiesDeps): Promise<NeededCopies> {
  const needed = { paths: [] as string[], unreadOwners: [] as string[] };
  // The folders are listed instead of the connections, because the row of a connection may be unreadable.
  const ids = existsSync(paths.connectionsDir) ? await readdir(paths.connectionsDir) : [];
  for (const id of ids) {
    try {
      needed.paths.push(...(await threads.neededFiles('uploads', paths.uploadsDb(id), clock.nowMs())));
      needed.paths.push(...(await threads.neededFiles('datasets', paths.datasetsDb(id), clock.nowMs())));
    } catch (thrown) {
      const { code, message } = toAppError(thrown);
      if (code === 'CANCELLED') throw thrown;
      needed.unreadOwners.push(id);
      logger.warn('copies of a connection not swept', { connection: id, reason: message });
    }
  }
  return needed;
}
