/** The components ("rooms") of a connection that each manage one kind of job, opened on its stores. */
import { isOperationId } from '../api/endpoints.ts';
import type { ServiceClient } from '../api/types.ts';
import { createBulk } from '../bulk/bulk.ts';
import { bulkSource } from '../bulk/job-source.ts';
import type { Bulk } from '../bulk/types.ts';
import type { NetworkMonitor } from '../connections/network-monitor.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { KeptStore } from '../db/kept-store.ts';
import { createExports } from '../export/exports.ts';
import { exportSource } from '../export/job-source.ts';
import { exportShape } from '../export/stored-export.ts';
import type { ExportDeps, Exports } from '../export/types.ts';
import { keepSource } from '../keep/job-source.ts';
import { createKeep } from '../keep/keep.ts';
import type { Keep } from '../keep/types.ts';
import type { Library, LibraryDeps } from '../library/library.ts';
import { mirrorSource } from '../mirror/job-source.ts';
import { createMirrors } from '../mirror/mirrors.ts';
import { mirrorShape } from '../mirror/stored-mirror.ts';
import type { MirrorDeps, Mirrors } from '../mirror/types.ts';
import { outboxSource } from '../outbox/job-source.ts';
import { createOutbox } from '../outbox/outbox.ts';
import type { Outbox } from '../outbox/types.ts';
import { readOf } from '../resources/change-check.ts';
import type { Resources } from '../resources/types.ts';
import type { Lane, RequestScheduler } from '../scheduler/types.ts';
import type { Job, JobKindId } from '../shared/job-contract.ts';
import { bulkAsJob } from '../shared/job-kinds/bulk.ts';
import { exportAsJob } from '../shared/job-kinds/export.ts';
import { keepAsJob } from '../shared/job-kinds/keep-offline.ts';
import { mirrorAsJob } from '../shared/job-kinds/mirror.ts';
import { outboxAsJob } from '../shared/job-kinds/outbox.ts';
import type { Connection } from '../shared/model.ts';
import { privateFieldsOf } from '../shared/private-fields.ts';
import type { Settings } from '../shared/settings.ts';
import { sendAllDurationMs, sendWaitMs, windowsOf } from './budgets.ts';
import type { CheckRead } from './former-records.ts';
import { createCutLibrary, openRoom } from './open-parts.ts';
import type { Stores } from './open-stores.ts';
import { noServiceError, sendingError } from './sending-errors.ts';
import type { WhenUsed } from './when-used.ts';

export interface JobRooms {
  /** Bulk changes of records. */
  bulk: Bulk;
  /** Pending changes. */
  outbox: Outbox;
  /** Data kept for offline use. */
  keep: Keep;
  /** Exports of lists to files. */
  exports: Exports;
  /** Stored tables in folders, for notebooks. */
  mirrors: Mirrors;
}

interface JobRoomParts extends Pick<ExportDeps, 'write' | 'writeTable' | 'readTable'> {
  mirroring: Pick<MirrorDeps, 'tables' | 'writeTable'>;
  connection: Connection;
  stores: Stores;
  client: ServiceClient;
  library: Library;
  /** Dependencies of the library that views use. */
  libraryDeps: Omit<LibraryDeps, 'store'>;
  resources: Resources;
  scheduler: RequestScheduler;
  lane: Pick<Lane, 'origin' | 'tokenId'>;
  network: NetworkMonitor;
  clock: Clock;
  random: Random;
  logger: Logger;
  settings: () => Settings;
  /** Why planned readings wait for another state of the computer; null if they may start. */
  heldBy: () => string | null;
  checkRead: CheckRead | undefined;
  /** False for a command, which sends only what it was asked to send. */
  isWindow: boolean;
  publishJob: (job: Job) => void;
  publishGone: (kind: JobKindId, id: string) => void;
}

/**
 * Each room is opened at its first use, and then recovers its jobs. If its store does not open, its calls fail with the
 * reason.
 */
export function openJobRooms(parts: JobRoomParts): JobRooms & { useAll(): void } {
  const { connection, stores, client, library, libraryDeps, resources, scheduler, lane, network } = parts;
  const { clock, random, logger, settings, heldBy, isWindow, publishJob, write, writeTable, readTable } =
    parts;
  const connectionId = connection.id;
  const startDueAfterSync = () => {
    rooms.exports.part.startDueAfterSync();
    rooms.mirrors.part.startDueAfterSync();
  };
  const rooms: { [R in keyof JobRooms]: WhenUsed<JobRooms[R]> } = {
    bulk: openRoom(stores.uploads.use, isWindow, bulkSource, (store, process) =>
      createBulk({
        ...{ connectionId, store, process, resources, clock, random, logger, checkRead: parts.checkRead },
        durationMs: (requests) => sendAllDurationMs(scheduler, lane, requests, clock.nowMs()),
        readOf: (operation) => (isOperationId(operation) ? readOf(operation) : null),
        waitMs: (operation) =>
          isOperationId(operation) ? sendWaitMs(scheduler, lane, operation, clock.nowMs()) : 0,
        blockingError: () => sendingError(connection, network) ?? noServiceError(network),
        onChanged: (act) => publishJob(bulkAsJob(act)),
      }),
    ),
    outbox: openRoom(stores.uploads.use, isWindow, outboxSource, (store, process) =>
      createOutbox({
        ...{ connectionId, store, process, resources, clock, random, logger, checkRead: parts.checkRead },
        waitMs: (operation) =>
          isOperationId(operation) ? sendWaitMs(scheduler, lane, operation, clock.nowMs()) : 0,
        blockingError: () => sendingError(connection, network) ?? noServiceError(network),
        sendsWhenBack: () => isWindow && settings().outboxSends === 'when-back',
        onChanged: (entry) => publishJob(outboxAsJob(entry)),
      }),
    ),
    keep: openRoom(
      () => stores.library,
      isWindow,
      keepSource,
      (store, process) =>
        createKeep({
          ...{ connectionId, client, library, clock, random, logger, process },
          store: store.kept,
          cutLibrary: () => createCutLibrary({ ...libraryDeps, store }),
          settings,
          heldBy,
          openTabIds: libraryDeps.openTabIds,
          windowsOf: (operation) => (isOperationId(operation) ? windowsOf(scheduler, lane, operation) : []),
          blockingError: () => noServiceError(network),
          onChanged: (kept) => {
            publishJob(keepAsJob(kept));
            // Another entry may have ended while this one was being read.
            if (kept.state !== 'running') startDueAfterSync();
          },
          onDropped: startDueAfterSync,
        }),
    ),
    exports: openRoom(
      () => stores.library,
      isWindow,
      exportSource,
      (store, process) =>
        createExports({
          ...{ connectionId, client, library, clock, random, logger, process },
          store: store.jobsOf(exportShape),
          baseUrl: connection.baseUrl,
          heldBy,
          write,
          writeTable,
          readTable,
          lastSyncMs: () => lastSyncMs(store.kept, clock.nowMs()),
          onChanged: (job) => publishJob(exportAsJob(job)),
          onReplaced: (id) => parts.publishGone('export', id),
        }),
    ),
    mirrors: openRoom(
      () => stores.library,
      isWindow,
      mirrorSource,
      (store, process) =>
        createMirrors({
          ...{ ...parts.mirroring, clock, random, logger, process },
          store: store.jobsOf(mirrorShape),
          connection: {
            ...{ id: connectionId, baseUrl: connection.baseUrl },
            // Read at each use, because a person may rename the connection meanwhile.
            get name() {
              return connection.name;
            },
          },
          heldBy,
          privateFields: () => privateFieldsOf(settings()),
          onChanged: (job) => publishJob(mirrorAsJob(job)),
          lastSyncMs: () => lastSyncMs(store.kept, clock.nowMs()),
          onReplaced: (id) => parts.publishGone('mirror', id),
        }),
    ),
  };
  const { bulk, outbox, keep, exports, mirrors } = rooms;
  return {
    ...{
      bulk: bulk.part,
      outbox: outbox.part,
      keep: keep.part,
      exports: exports.part,
      mirrors: mirrors.part,
    },
    useAll: () => {
      for (const room of Object.values(rooms)) room.use();
    },
  };
}

/**
 * Wall time of the last reading for offline use; null if there was none, or if one is running. A time in the future,
 * from a clock that was ahead, is ignored, because it would hide later readings.
 */
function lastSyncMs({ jobs }: KeptStore, nowMs: number): number | null {
  const all = jobs.list();
  if (all.some(({ state }) => state === 'running')) return null;
  const ended = all.flatMap(({ state, endedAtMs }) =>
    state === 'done' && endedAtMs !== null && endedAtMs <= nowMs ? [endedAtMs] : [],
  );
  return ended.length === 0 ? null : Math.max(...ended);
}
