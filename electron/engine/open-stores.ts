/** Opens the stores of a connection, independently of each other. */
import { mkdirSync } from 'node:fs';
import { readFormerAddress } from '../connections/former-address.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { type LibraryStore, openLibraryStore } from '../db/library-store.ts';
import { DATASET_MIGRATIONS } from '../db/migrations/datasets/index.ts';
import { LIBRARY_MIGRATIONS } from '../db/migrations/library/index.ts';
import { UPLOAD_MIGRATIONS } from '../db/migrations/uploads/index.ts';
import { onlyReads } from '../db/only-reads.ts';
import { isAtRest, isOutdated } from '../db/open.ts';
import type { ServiceOfStore } from '../db/service-of-store.ts';
import { openUploadStore, type UploadStore } from '../db/upload-store.ts';
import type { DataPaths } from '../platform/paths.ts';
import type { AppError } from '../shared/errors.ts';
import type { Connection } from '../shared/model.ts';
import type { Settings } from '../shared/settings.ts';
import { type Opened, tryOpen } from './unavailable-rooms.ts';
import { type WhenUsed, whenUsed } from './when-used.ts';

interface StoresDeps {
  connection: Connection;
  paths: DataPaths;
  clock: Clock;
  logger: Logger;
  /** Damage found by checks, by file of the store. */
  damage: ReadonlyMap<string, AppError>;
  settings: () => Settings;
  /** Undefined if the connection has no service whose address could change. */
  service: ServiceOfStore | undefined;
  /**
   * Called if the connection has another service than before, once for each change, when the library is opened. A store
   * that is opened later only stops its jobs.
   */
  onMoved: (connectionId: string) => void;
  /** Called once, after the store of uploads was opened or refused. */
  onOpened: () => void;
}

export interface Stores {
  library: Opened<LibraryStore>;
  /** Opened at the first use. */
  uploads: WhenUsed<Opened<UploadStore>>;
}

function throwIfDamaged(damage: ReadonlyMap<string, AppError>, file: string): void {
  const found = damage.get(file);
  if (found !== undefined) throw found;
}

/**
 * Whether no store of jobs has to be recovered or migrated. Always true for a process that only reads, which does
 * neither.
 */
export function areStoresAtRest(paths: DataPaths, connectionId: string): boolean {
  if (onlyReads()) return true;
  return (
    isAtRest(paths.libraryDb(connectionId), LIBRARY_MIGRATIONS) &&
    isAtRest(paths.uploadsDb(connectionId), UPLOAD_MIGRATIONS) &&
    isAtRest(paths.datasetsDb(connectionId), DATASET_MIGRATIONS)
  );
}

/** Opens the store of the library. */
export function openStores(deps: StoresDeps): Stores {
  const { connection, paths, clock, logger, damage, settings, service } = deps;
  const movedLibrary = (of: ServiceOfStore) => (former: string) => {
    of.onMoved(former);
    deps.onMoved(connection.id);
  };
  const opened = <T>(open: () => T): Opened<T> => {
    const store = tryOpen(open);
    const { error } = store;
    if (error !== null) logger.error('store not opened', { code: error.code, reason: error.message });
    return store;
  };
  const library = opened(() => {
    if (!onlyReads()) mkdirSync(paths.connectionDir(connection.id), { recursive: true, mode: 0o700 });
    const file = paths.libraryDb(connection.id);
    throwIfDamaged(damage, file);
    return openLibraryStore({
      ...{ file, clock, logger, logRequests: settings().logRequests },
      service: service && { ...service, onMoved: movedLibrary(service) },
    });
  });
  const uploads = whenUsed(
    () =>
      opened(() => {
        const file = paths.uploadsDb(connection.id);
        throwIfDamaged(damage, file);
        return openUploadStore({ file, clock, logger, service });
      }),
    {},
    deps.onOpened,
  );
  return { library, uploads };
}

/**
 * The service whose address the stores record; undefined for a pack, and for the sample service, which has another
 * address at each start.
 */
export function serviceOf({
  connection,
  paths,
  logger,
}: Pick<StoresDeps, 'connection' | 'paths' | 'logger'>): ServiceOfStore | undefined {
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
    },
  };
}

/** Whether opening the stores would migrate one of them. */
export function areStoresOutdated(paths: DataPaths, connectionId: string): boolean {
  if (onlyReads()) return false;
  return (
    isOutdated(paths.libraryDb(connectionId), LIBRARY_MIGRATIONS) ||
    isOutdated(paths.uploadsDb(connectionId), UPLOAD_MIGRATIONS) ||
    isOutdated(paths.datasetsDb(connectionId), DATASET_MIGRATIONS)
  );
}
