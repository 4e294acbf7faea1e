/**
 * Opens the store of connections and settings. Nothing works without this store, so a damaged one is repaired at the
 * start.
 */

import { readConnectionFiles } from '../connections/connection-file.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { type AppStore, openAppStore } from '../db/app-store.ts';
import { repairStore } from '../db/maintenance.ts';
import { onlyReads } from '../db/only-reads.ts';
import type { DataPaths } from '../platform/paths.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import { repairLines } from '../shared/health-model.ts';
import type { Connection } from '../shared/model.ts';
import { createAgentAccess } from './agent-access.ts';
import { orClosed } from './or-closed.ts';

const READ_ONLY = 'It is read-only until you change that.';
const PRIVATE_LOST =
  'The list of private fields may be lost with damaged settings: connections are closed to agents, and mirrors, packs and reports are not written until the setting privateFields is set again, or reset if there are none.';

/**
 * Restored connections are read-only until a person decides otherwise, because the copy may be older than the last
 * change.
 */
const restored = (found: Connection): Connection =>
  found.kind === 'service' ? { ...found, isReadOnly: true } : found;

/**
 * Restores damaged connections from the copies in their own folders. Returns a message for the person; null if there
 * are none.
 */
function restoreDamaged(store: AppStore, paths: DataPaths, logger: Logger): string | null {
  const damaged = store.damagedConnections();
  if (damaged.length === 0 || onlyReads()) return null;
  const files = new Map(readConnectionFiles(paths, logger).map((each) => [each.id, each]));
  const lines = damaged.map(({ id, name, reason }) => {
    const found = files.get(id);
    if (found !== undefined) store.saveConnection(restored(found));
    logger.error('connection damaged', { id, reason, isRestored: found !== undefined });
    const which = `The connection ${name === '' ? id : `“${name}”`}`;
    return found === undefined
      ? `${which} is damaged and is left out: ${reason} What is stored for it stays in the folder ${id}. Add the connection again to continue.`
      : `${which} was damaged and was restored from its own folder: check its address and its options. ${READ_ONLY}`;
  });
  return lines.join(' ');
}

interface OpenedSettings {
  store: AppStore;
  /** Message about a repair, and about private fields that were lost; null if neither happened. */
  notice: string | null;
}

/** Throws the errors of `openAppStore`. */
export function openSettings(paths: DataPaths, clock: Clock, logger: Logger): OpenedSettings {
  return orClosed((onOpened) => {
    const { store, notice } = openRepaired(paths, clock, logger);
    onOpened(() => store.close());
    if (!store.readSettings().arePrivateFieldsLost) return { store, notice };
    if (!onlyReads()) createAgentAccess(paths.agentsDir).closeAll();
    return { store, notice: notice === null ? PRIVATE_LOST : `${notice} ${PRIVATE_LOST}` };
  });
}

function openRepaired(paths: DataPaths, clock: Clock, logger: Logger): OpenedSettings {
  const file = paths.appDb;
  const open = (complete: (store: AppStore) => OpenedSettings): OpenedSettings =>
    orClosed((onOpened) => {
      const store = openAppStore({ file, clock, logger });
      onOpened(() => store.close());
      return complete(store);
    });
  try {
    return open((store) => ({ store, notice: restoreDamaged(store, paths, logger) }));
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code !== 'STORE_DAMAGED' || onlyReads()) throw error;
    // The store has only a few kilobytes and nothing else is running yet, so no thread is needed.
    const done = repairStore({ file, store: 'settings' }, clock.nowMs(), logger);
    return open((store) => afterRepair(store, { paths, logger, done, error }));
  }
}

interface Repair {
  paths: DataPaths;
  logger: Logger;
  done: ReturnType<typeof repairStore>;
  /** The error that reported the damage. */
  error: AppError;
}

/** Completes a repaired store from the folders of the connections. */
function afterRepair(store: AppStore, { paths, logger, done, error }: Repair): OpenedSettings {
  const lines = repairLines({ ...done, connectionId: null, store: 'settings', error: null });
  const known = new Set(store.listConnections().map(({ id }) => id));
  for (const each of readConnectionFiles(paths, logger))
    if (!known.has(each.id)) store.saveConnection(restored(each));
  // Without the lost log, the rows may be older than the last change.
  if (done.isLogLost) for (const each of store.listConnections()) store.saveConnection(restored(each));
  const connections = store.listConnections().length;
  const next =
    connections === 0
      ? 'No connection could be read: add your connections again.'
      : `Connections that could be read, there or in their own folders: ${connections}. Each one that may differ from its last change is read-only until you change that.`;
  logger.error('settings repaired', { reason: error.message, folder: done.folder });
  return { store, notice: [error.message, ...lines, next].join(' ') };
}
