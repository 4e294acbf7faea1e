/** Opens the stores of a connection, each independently of the others. */
import { mkdirSync } from 'node:fs';
import { readFormerAddress } from '../connections/former-address.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { type LibraryStore, openLibraryStore } from '../db/library-store.ts';
import { onlyReads } from '../db/only-reads.ts';
import type { ServiceOfStore } from '../db/service-of-store.ts';
import { openUploadStore, type UploadStore } from '../db/upload-store.ts';
import type { DataPaths } from '../platform/paths.ts';
import type { AppError } from '../shared/errors.ts';
import type { Connection } from '../shared/model.ts';
import type { Settings } from '../shared/settings.ts';
import { type Opened, tryOpen } from './unavailable-rooms.ts';

interface StoresDeps {
  connection: Connection;
  paths: DataPaths;
  clock: Clock;
  logger: Logger;
  /** Damage that a check found in a store, by file. */
  damage: ReadonlyMap<string, AppError>;
  settings: () => Settings;
  /** Undefined if the connection has no service that could move. */
  service: ServiceOfStore | undefined;
}

export interface Stores {
  library: Opened<LibraryStore>;
  uploads: Opened<UploadStore>;
}

function throwIfDamaged(damage: ReadonlyMap<string, AppError>, file: string): void {
  const found = damage.get(file);
  if (found !== undefined) throw found;
}

/** Throws the error of the library store if neither store opens. */
export function openStores(deps: StoresDeps): Stores {
  const { connection, paths, clock, logger, damage, settings, service } = deps;
  const stores = {
    library: tryOpen(() => {
      if (!onlyReads()) mkdirSync(paths.connectionDir(connection.id), { recursive: true, mode: 0o700 });
      const file = paths.libraryDb(connection.id);
      throwIfDamaged(damage, file);
      return openLibraryStore({ file, clock, logger, service, logRequests: settings().logRequests });
    }),
    uploads: tryOpen(() => {
      const file = paths.uploadsDb(connection.id);
      throwIfDamaged(damage, file);
      return openUploadStore({ file, clock, logger, service });
    }),
  };
  for (const { error } of [stores.library, stores.uploads]) {
    if (error !== null) logger.error('store not opened', { code: error.code, reason: error.message });
  }
  if (stores.library.error !== null && stores.uploads.error !== null) throw stores.library.error;
  return stores;
}

/** The address of the sample service differs at every start, and it is the same service. */
export function serviceOf({
  connection,
  paths,
  logger,
  onMoved,
}: Pick<StoresDeps, 'connection' | 'paths' | 'logger'> & { onMoved: (connectionId: string) => void }):
  | ServiceOfStore
  | undefined {
  const { id, kind, baseUrl } = connection;
  if (kind === 'sample' || kind === 'pack') return undefined;
  return {
    address: baseUrl,
    formerAddress: readFormerAddress(paths, id),
    onMoved: (former) => {
      logger.warn('connection leads to another service: its jobs do not continue', {
        id,
        former,
        now: baseUrl,
      });
      onMoved(id);
    },
  };
}
