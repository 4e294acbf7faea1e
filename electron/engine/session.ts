/** The running parts of one connection: client, offline library, uploads, network state. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseBaseUrl } from '../api/base-url.ts';
import { createHttpClient } from '../api/http-client.ts';
import { createServiceClient } from '../api/service-client.ts';
import type { ServiceClient } from '../api/types.ts';
import { createLayoutFile, type LayoutFile } from '../connections/layout-file.ts';
import { createNetworkMonitor, type NetworkMonitor } from '../connections/network-monitor.ts';
import { tokenId } from '../connections/token-vault.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import { openLibraryStore } from '../db/library-store.ts';
import type { RequestLogStore } from '../db/request-log-store.ts';
import { openUploadStore } from '../db/upload-store.ts';
import { createLibrary, type Library } from '../library/library.ts';
import type { DataPaths } from '../platform/paths.ts';
import type { RequestScheduler } from '../scheduler/types.ts';
import type { EventChannel } from '../shared/channels.ts';
import type { EventPayloads } from '../shared/contract.ts';
import { AppError, fromWire, toAppError } from '../shared/errors.ts';
import type { Connection, NetworkState, Settings } from '../shared/model.ts';
import type { FileRegistry, Uploads } from '../uploads/types.ts';
import { createUploads } from '../uploads/uploads.ts';
import { deletionBudget, sendDurationMs } from './budgets.ts';

const VERSION = '0.1.0';

export interface Session {
  connection: Connection;
  client: ServiceClient;
  library: Library;
  uploads: Uploads;
  network: NetworkMonitor;
  requestLog: RequestLogStore;
  layout: LayoutFile;
  /** Where the command line writes the receipts of a job unless told otherwise. */
  receiptsFile(jobId: string): string;
  stop(): Promise<void>;
}

export interface SessionDeps {
  connection: Connection;
  paths: DataPaths;
  clock: Clock;
  random: Random;
  logger: Logger;
  scheduler: RequestScheduler;
  files: FileRegistry;
  token: () => string | null;
  settings: () => Settings;
  resumesUploads: boolean;
  publish: <C extends EventChannel>(channel: C, payload: EventPayloads[C]) => void;
}

/** Opens the connection's stores and starts its parts; nothing is sent yet. Throws AppError where a store does not open. */
export function createSession(deps: SessionDeps): Session {
  const { connection, paths, clock, random, logger, scheduler, publish } = deps;
  const connectionId = connection.id;
  const baseUrl = parseBaseUrl(connection.baseUrl, { allowsPlainHttp: connection.allowsPlainHttp });
  const token = deps.token();
  const lane = { origin: baseUrl.origin, tokenId: token === null ? 'none' : tokenId(token) };

  mkdirSync(paths.connectionDir(connectionId), { recursive: true });
  const store = openLibraryStore({ file: paths.libraryDb(connectionId), clock, logger });
  const uploadStore = openUploadStore({ file: paths.uploadsDb(connectionId), clock, logger });
  const http = createHttpClient({
    baseUrl,
    token: deps.token,
    proxyUrl: connection.proxyUrl,
    extraCaFile: connection.extraCaFile,
    clock,
    userAgent: `Spandeck/${VERSION}`,
  });

  const network = createNetworkMonitor({
    connectionId,
    clock,
    probe: async () => {
      await client.call('server-info.get', {}, { priority: 'view', group: 'network probe' });
    },
    onChange: (state, previous) => {
      publish('connections:network-changed', state);
      if (state.state === 'online' || state.state === 'unknown') {
        if (previous === 'unknown') return;
        library.wake();
        uploads.wake();
      } else {
        library.suspend(unreachableError(state));
      }
    },
  });
  const client = createServiceClient({
    baseUrl,
    tokenId: lane.tokenId,
    isReadOnly: () => connection.isReadOnly,
    isOffline: network.isSwitchedOff,
    http,
    scheduler,
    clock,
    random,
    writeLog: (row) => store.requestLog.add(row),
    onSettled: ({ error }) => {
      if (error === null) network.sawAnswer();
      else network.sawFailure(error);
    },
  });
  const library = createLibrary({
    connectionId,
    store,
    client,
    clock,
    settings: deps.settings,
    logger,
    onListChanged: (state) => publish('library:list-changed', { connectionId, state }),
    onRecordChanged: (state) => publish('library:record-changed', { connectionId, state }),
  });
  const uploads = createUploads({
    connectionId,
    store: uploadStore,
    client,
    clock,
    random,
    logger,
    files: deps.files,
    plan: (operation, requests) => sendDurationMs(scheduler, lane, operation, requests, clock.nowMs()),
    readBudget: () => deletionBudget(scheduler, lane),
    onJobChanged: (job) => publish('uploads:job-changed', { connectionId, job }),
    onDryRunChanged: (dryRun) => publish('uploads:dry-run-changed', { connectionId, dryRun }),
    onDeletionChanged: (deletion, budget) =>
      publish('events:deletion-changed', { connectionId, deletion, budget }),
  });
  uploads.recover({ continues: deps.resumesUploads }).catch((thrown: unknown) => {
    logger.error('uploads not recovered', { reason: toAppError(thrown).message });
  });

  return {
    connection,
    client,
    library,
    uploads,
    network,
    requestLog: store.requestLog,
    layout: createLayoutFile(paths.layoutFile(connectionId), logger),
    receiptsFile: (jobId) => join(paths.connectionDir(connectionId), `receipts-${jobId}.csv`),
    stop: async () => {
      network.stop();
      await uploads.stop();
      await library.stop();
      await http.close();
      uploadStore.close();
      store.close();
    },
  };
}

function unreachableError(state: NetworkState): AppError {
  if (state.error !== null) return fromWire(state.error);
  return new AppError('OFFLINE', 'Working offline: the switch is on, so nothing is asked of the service.', {
    outcome: 'unsent',
  });
}
