/** Sizes, checks, compaction and repair of the stores of all connections, each in a thread. */
import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import type { Clock, Logger } from '../core/ports.ts';
import { createMaintenance } from '../db/maintenance-thread.ts';
import type { DataPaths } from '../platform/paths.ts';
import { whenFreeLater } from '../shared/busy-files.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import {
  COPIED_STORES,
  type ConnectionCopy,
  type CopiedStoreName,
  type CopyRestored,
  STORES,
  type StorageReport,
  type StoreCheck,
  type StoreCompacted,
  type StoreName,
  type StoreRepaired,
} from '../shared/health-model.ts';
import { readStorage } from './storage.ts';

export interface Health {
  storage(): Promise<StorageReport>;
  /** Reads every store completely, also while it is in use. */
  check(): Promise<StoreCheck[]>;
  /** Frees unused space in the stores of a connection, which is closed meanwhile; null for all connections. */
  compact(connectionId: string | null): Promise<StoreCompacted[]>;
  /**
   * Moves the files of one damaged store to another folder and builds a new store from the readable rows. Throws
   * INVALID_ARGUMENT if it is not damaged, STORE_FAILED, DISK_FULL; then nothing was changed.
   */
  repair(connectionId: string | null, store: StoreName): Promise<StoreRepaired>;
  /** Backup copies of the stores of all connections, newest first. */
  copies(): Promise<ConnectionCopy[]>;
  /**
   * Replaces a store with one of its copies; the replaced store is kept as a copy. Throws INVALID_ARGUMENT, CONFLICT,
   * DISK_FULL, STORE_FAILED, STORE_DAMAGED, STORE_NEWER; then the store was not changed.
   */
  restoreCopy(copy: CopyOf): Promise<CopyRestored>;
  /** Throws INVALID_ARGUMENT if there is no such copy. */
  removeCopy(copy: CopyOf): Promise<void>;
  stop(): Promise<void>;
}

interface CopyOf {
  connectionId: string;
  store: CopiedStoreName;
  name: string;
}

interface HealthDeps {
  paths: DataPaths;
  clock: Clock;
  logger: Logger;
  connections: () => readonly { id: string; name: string }[];
  /**
   * Runs `work` while the session of the connection is closed and cannot be opened. For all processes, throws CONFLICT
   * while another one has the connection open.
   */
  whileClosed: <T>(
    connectionId: string,
    work: () => Promise<T>,
    of: 'this process' | 'every process',
  ) => Promise<T>;
  /** Forgets earlier damage of a store that was replaced. */
  forgetDamage: (file: string) => void;
}

interface Target {
  connectionId: string | null;
  store: StoreName;
  file: string;
}

const OF_CONNECTION = ['library', 'uploads', 'datasets', 'snapshots', 'search'] as const;

export function createHealth(deps: HealthDeps): Health {
  const { paths, clock, logger } = deps;
  const maintenance = createMaintenance();
  const fileOf = (connectionId: string | null, store: StoreName): string => {
    if (store === 'settings') return paths.appDb;
    if (store === 'budget') return paths.budgetDb;
    if (connectionId === null) {
      throw new AppError(
        'INVALID_ARGUMENT',
        `${STORES[store].file} belongs to a connection; none was named.`,
      );
    }
    return {
      library: paths.libraryDb,
      uploads: paths.uploadsDb,
      datasets: paths.datasetsDb,
      snapshots: paths.snapshotsDb,
      search: paths.searchDb,
    }[store](connectionId);
  };
  const targets = (ids: readonly string[]): Target[] =>
    ids
      .flatMap((connectionId) => OF_CONNECTION.map((store) => ({ connectionId, store })))
      .map((each) => ({ ...each, file: fileOf(each.connectionId, each.store) }));
  const known = (): Target[] => [
    { connectionId: null, store: 'settings', file: paths.appDb },
    { connectionId: null, store: 'budget', file: paths.budgetDb },
    ...targets(deps.connections().map(({ id }) => id)),
  ];
  const isThere = ({ file }: Target) => existsSync(file) || existsSync(`${file}-wal`);
  const sizeOf = async (file: string) => (await stat(file).catch(() => null))?.size ?? 0;

  const checkOne = async ({ file, ...of }: Target): Promise<StoreCheck> => {
    const sizeBytes = await sizeOf(file);
    const found = await maintenance
      .check(of.store, file, clock.nowMs())
      .catch((thrown: unknown) => ({ error: toAppError(thrown).toWire(), note: null }));
    return { ...of, sizeBytes, ...found };
  };
  const compactOne = async (connectionId: string, { store, file }: Target): Promise<StoreCompacted> => {
    const beforeBytes = await sizeOf(file);
    const error = await maintenance.compact(store, file, clock.nowMs()).then(
      () => null,
      (thrown: unknown) => toAppError(thrown),
    );
    if (error !== null) logger.warn('store not compacted', { store, reason: error.message });
    return {
      connectionId,
      store,
      beforeBytes,
      afterBytes: await sizeOf(file),
      error: error?.toWire() ?? null,
    };
  };
  const removeIndexOf = async (connectionId: string) => {
    const file = paths.searchDb(connectionId);
    for (const end of ['', '-wal', '-shm']) await whenFreeLater(() => rm(`${file}${end}`, { force: true }));
  };
  const repairOne = async ({ file, ...of }: Target): Promise<StoreRepaired> => {
    const nothing = { folder: null, tables: [], isWhole: true, isLogLost: false, endedJobs: 0, error: null };
    const { error } = await checkOne({ file, ...of });
    if (error?.code !== 'STORE_DAMAGED') {
      throw new AppError(
        error === null ? 'INVALID_ARGUMENT' : error.code,
        error === null ? `${STORES[of.store].file} is not damaged: nothing was changed.` : error.message,
        error?.details ?? {},
      );
    }
    if (of.store === 'search') {
      if (of.connectionId !== null) await removeIndexOf(of.connectionId);
      return { ...of, ...nothing };
    }
    const done = await maintenance.repair(of.store, file, clock.nowMs());
    // The index is removed, because it follows changes by numbers that the new store does not continue.
    if (of.store === 'library' && of.connectionId !== null) await removeIndexOf(of.connectionId);
    deps.forgetDamage(file);
    logger.warn('store repaired', { store: of.store, folder: done.folder, isWhole: done.isWhole });
    return { ...of, ...done, error: null };
  };

  const restoreOne = async ({ connectionId, store, name }: CopyOf): Promise<CopyRestored> => {
    const file = fileOf(connectionId, store);
    const done = await maintenance.restore(store, file, name, clock.nowMs());
    // The index and the prepared columns are removed, because they follow the store by numbers that the copy assigns to
    // other rows.
    if (store === 'library') await removeIndexOf(connectionId);
    await whenFreeLater(() => rm(paths.analysisDir(connectionId), { recursive: true, force: true }));
    deps.forgetDamage(file);
    logger.warn('copy of a store restored', { store, name, keptAs: done.keptAs, endedJobs: done.endedJobs });
    return { connectionId, store, ...done };
  };

  return {
    copies: async () => {
      const found: ConnectionCopy[] = [];
      for (const { id: connectionId } of deps.connections())
        for (const store of COPIED_STORES)
          for (const copy of await maintenance.copies(store, fileOf(connectionId, store), clock.nowMs()))
            found.push({ ...copy, connectionId });
      return found.toSorted((a, b) => b.atMs - a.atMs);
    },
    restoreCopy: (copy) => deps.whileClosed(copy.connectionId, () => restoreOne(copy), 'every process'),
    removeCopy: ({ connectionId, store, name }) =>
      maintenance.removeCopy(store, fileOf(connectionId, store), name, clock.nowMs()),
    storage: () => readStorage({ paths, connections: deps.connections(), maintenance, nowMs: clock.nowMs() }),
    check: async () => {
      const found: StoreCheck[] = [];
      // Checks run one after the other, because each reads at the full speed of the disk.
      for (const target of known().filter(isThere)) found.push(await checkOne(target));
      return found;
    },
    compact: async (connectionId) => {
      const ids = deps.connections().map(({ id }) => id);
      const chosen = connectionId === null ? ids : ids.filter((id) => id === connectionId);
      const done: StoreCompacted[] = [];
      for (const id of chosen) {
        const compactAll = async () => {
          for (const target of targets([id]).filter(isThere)) done.push(await compactOne(id, target));
        };
        await deps.whileClosed(id, compactAll, 'this process');
      }
      return done;
    },
    repair: (connectionId, store) => {
      const target = {
        connectionId: OF_CONNECTION.some((each) => each === store) ? connectionId : null,
        store,
      };
      const work = () => repairOne({ ...target, file: fileOf(connectionId, store) });
      return target.connectionId === null
        ? work()
        : deps.whileClosed(target.connectionId, work, 'every process');
    },
    stop: () => maintenance.stop(),
  };
}
