/** The running components of one connection: client, offline library, uploads, datasets, network state and others. */

import { join } from 'node:path';
import { createRowWriter, createTableWriter } from '../analysis/export-client.ts';
import { createMirrorWriter } from '../analysis/mirror-client.ts';
import { createSidecars } from '../analysis/sidecars.ts';
import { createSql, type Sql } from '../analysis/sql.ts';
import { parseBaseUrl } from '../api/base-url.ts';
import { withoutToken } from '../api/call-trace.ts';
import { waitLimits } from '../api/http-agent.ts';
import { credentialsOf, type Surroundings } from '../api/http-transport.ts';
import { createServiceClient } from '../api/service-client.ts';
import type { ServiceClient } from '../api/types.ts';
import { removeFormerAddress } from '../connections/former-address.ts';
import { createLayoutFile, type LayoutFile } from '../connections/layout-file.ts';
import { createNetworkMonitor, type NetworkMonitor } from '../connections/network-monitor.ts';
import { tokenId } from '../connections/token-vault.ts';
import type { Foreground } from '../core/foreground.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { Datasets } from '../datasets/types.ts';
import type { DamagedRows } from '../db/damaged-rows.ts';
import { onlyReads } from '../db/only-reads.ts';
import type { RequestLogStore } from '../db/request-log-store.ts';
import type { Library, LibraryDeps } from '../library/library.ts';
import type { Search } from '../library/search.ts';
import { createSnapshots, type Snapshots } from '../library/snapshots.ts';
import type { StartChild } from '../platform/child-process.ts';
import type { DataPaths } from '../platform/paths.ts';
import { createResources } from '../resources/resources.ts';
import type { Resources } from '../resources/types.ts';
import type { RequestScheduler } from '../scheduler/types.ts';
import type { EventChannel } from '../shared/channels.ts';
import type { EventPayloads } from '../shared/contract.ts';
import type { AppError } from '../shared/errors.ts';
import type { ItemsJob } from '../shared/items-model.ts';
import type { Job } from '../shared/job-contract.ts';
import { deletionAsJob } from '../shared/job-kinds/deletion.ts';
import { uploadAsJob } from '../shared/job-kinds/upload.ts';
import type { Connection, SecretKind } from '../shared/model.ts';
import type { RuleDraft, RuleDryRun } from '../shared/rule-dry-run.ts';
import type { Settings } from '../shared/settings.ts';
import type { Recreation } from '../shared/snapshot-model.ts';
import { asFileJob } from '../uploads/job-sources.ts';
import type { FileRegistry, Uploads } from '../uploads/types.ts';
import { tellDifferences } from './answer-news.ts';
import { deletionBudget, sendDurationMs } from './budgets.ts';
import { damagedOf } from './damaged.ts';
import { endAll } from './end-all.ts';
import { readTable } from './export-tables.ts';
import { createFormerCheck, withFormerCheck } from './former-records.ts';
import { JobKinds } from './job-kinds.ts';
import { type JobRooms, openJobRooms } from './job-rooms.ts';
import { createLogFeed } from './log-feed.ts';
import { mirrorTables } from './mirror-tables.ts';
import { openDatasets } from './open-datasets.ts';
import { answerTimeoutOf, openHttp, openLibrary, openSearch, openUploads } from './open-parts.ts';
import { areStoresAtRest, openStores, serviceOf } from './open-stores.ts';
import { recreateDataset } from './recreate-dataset.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';
import { dryRunRule } from './rule-dry-run.ts';
import { createSchemaChanges, type SchemaChanges } from './schema-changes.ts';
import { searchedUploads } from './searched-uploads.ts';
import { createVerdictSender, type VerdictSender } from './send-verdicts.ts';
import { offlineError, packError, sendingError, unreachableError } from './sending-errors.ts';
import { sqlTables } from './sql-tables.ts';
import { storedNames } from './stored-names.ts';
import { refusing } from './unavailable-rooms.ts';
import { whenUsed } from './when-used.ts';

const VERSION = '0.1.0';

export interface Session extends JobRooms {
  connection: Connection;
  client: ServiceClient;
  library: Library;
  /** Search over all stored data. */
  search: Search;
  /** Snapshots of datasets. */
  snapshots: Snapshots;
  /** Fields whose type or coverage changed in new rows. */
  schema: SchemaChanges;
  /** Creates a new dataset from a snapshot. */
  recreate(request: Recreation): Promise<ItemsJob>;
  /** Adds the verdicts of a review to an existing run. */
  verdicts: VerdictSender;
  /** SQL over all stored lists. */
  sql: Sql;
  resources: Resources;
  /** Tries an evaluator rule on the stored spans of its application. Throws the errors of reading the library. */
  dryRunRule(draft: RuleDraft): Promise<RuleDryRun>;
  uploads: Uploads;
  datasets: Datasets;
  /** Durable jobs of every kind. */
  jobs: JobKinds;
  /** Stored rows of every kind that cannot be read. */
  damaged: DamagedRows;
  network: NetworkMonitor;
  /** Differences between the answers of the service and the expectations of this version. */
  differences: { readonly texts: readonly string[] };
  requestLog: RequestLog;
  layout: LayoutFile;
  /**
   * Call it when a person repeats a request. After a refusal of the token, further requests are held back; this lets
   * the next one test the token again, and looks for a token if there was none.
   */
  askAgain(): Promise<void>;
  /** Resumes everything that waits for the service. */
  wake(): void;
  /**
   * Call it when the computer has woken, or the service has started or stopped: determines the route (proxy) again and
   * probes the service at once.
   */
  look(): void;
  /** Default path for the receipts of a job on the command line. */
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
  /** Shared by all sessions of the process. */
  foreground: Foreground;
  files: FileRegistry;
  startChild: StartChild;
  surroundings?: Surroundings;
  token: () => string | null;
  /** Resolves when the token that is being read is known; null if none is being read. */
  tokenSought: () => Promise<void> | null;
  /** Why the keychain did not provide the token, if it did not. */
  missingTokenError: () => AppError | null;
  /** Asks the keychain for the token again. */
  findToken: () => Promise<void>;
  /**
   * A secret for the proxy or the certificate of this connection; null if there is none. May use the keychain, and
   * fail.
   */
  readSecret: (connection: Connection, kind: SecretKind) => Promise<string | null>;
  /** Why the sample service would not answer now; null if it would. */
  sampleError: () => AppError | null;
  /** Damage found by checks while the stores were in use. */
  damage: Map<string, AppError>;
  settings: () => Settings;
  /** Why this process works offline, in whole sentences; default: the person's switch. */
  offlineReason?: string | null;
  resumesUploads: boolean;
  /** Called if the connection has another service than before, which is noticed when a store is opened. */
  onMoved: (connectionId: string) => void;
  /** Why planned readings wait for another state of the computer; null if they may start. */
  heldBy: () => string | null;
  publish: <C extends EventChannel>(channel: C, payload: EventPayloads[C]) => void;
}

/**
 * Opens the stores of a connection and starts its components; sends nothing yet. If one store does not open, calls that
 * need its data fail with the reason and all others work; if no store opens, throws the AppError.
 */
export function createSession(deps: SessionDeps): Session {
  const { connection, paths, clock, random, logger, scheduler, publish } = deps;
  const connectionId = connection.id;
  const isPack = connection.kind === 'pack';
  const publishJob = (job: Job) => publish('jobs:changed', { connectionId, kind: job.kind, id: job.id, job });
  const baseUrl = parseBaseUrl(connection.baseUrl, { allowsPlainHttp: connection.allowsPlainHttp });
  const lane = {
    origin: baseUrl.origin,
    // Read each time, because the token may arrive later, e.g. from a locked keychain.
    get tokenId() {
      const token = deps.token();
      return token === null ? 'none' : tokenId(token);
    },
  };
  const service = serviceOf(deps);
  const onOpened = () => {
    const isUploadsOpen = stores.uploads.made()?.error === null;
    const areAllOpen = stores.library.error === null && isUploadsOpen && lazyDatasets.made()?.isOpen === true;
    if (areAllOpen && !onlyReads()) removeFormerAddress(paths, connectionId);
  };
  const wasLeft = !areStoresAtRest(paths, connectionId);
  const stores = openStores({ ...deps, service, onOpened });
  if (stores.library.error !== null && stores.uploads.use().error !== null) throw stores.library.error;
  // A reopened session may have another token, or a token that is accepted again.
  scheduler.resume('unauthorized', lane.origin, lane.tokenId);
  const logStore =
    stores.library.error === null
      ? stores.library.value.requestLog
      : refusing<RequestLogStore>(stores.library.error, { add: () => null });
  const feed = createLogFeed(clock, (news) => publish('traffic:logged', { connectionId, ...news }));
  const http = openHttp(
    {
      baseUrl,
      token: deps.token,
      missingTokenError: deps.missingTokenError,
      proxyUrl: connection.proxyUrl,
      extraCaFile: connection.extraCaFile,
      credentials: credentialsOf(connection, (kind) => deps.readSecret(connection, kind)),
      ...(deps.surroundings === undefined ? {} : { surroundings: deps.surroundings }),
      limits: waitLimits(answerTimeoutOf(connection, deps.settings())),
      clock,
      userAgent: `Spandeck/${VERSION}`,
    },
    connection.kind === 'sample' ? deps.sampleError : () => null,
  );

  const checkRead = createFormerCheck({ connection, reads: stores.library.value?.former ?? null, clock });
  const closing = new AbortController();
  const network = createNetworkMonitor({
    connectionId,
    clock,
    isOffline: isPack || deps.settings().worksOffline,
    hasService: !isPack,
    probeEveryMs: () => deps.settings().probeEveryMs,
    probe: async () => {
      await client.call('server-info.get', {}, { priority: 'view', group: 'network probe' });
    },
    onChange: (state, previous) => {
      publish('connections:network-changed', state);
      if (state.state === 'online' || state.state === 'unknown') {
        // The first answer after a start: nothing was suspended, but the outbox may be waiting.
        if (previous === 'unknown') jobRooms.outbox.wake();
        else wake();
      } else {
        library.suspend(unreachableError(state));
        resources.suspend();
        for (const room of rooms) room.suspend(unreachableError(state));
      }
    },
    onAnswer: (state) => publish('connections:network-changed', state),
  });
  /** Resumes everything that waited for the service. */
  const wake = () => {
    for (const part of [library, resources, uploads, datasets, ...rooms]) part.wake();
  };
  const differences = tellDifferences(deps);
  const client = createServiceClient({
    baseUrl,
    get tokenId() {
      return lane.tokenId;
    },
    tokenSought: deps.tokenSought,
    isReadOnly: () => connection.isReadOnly,
    closing: closing.signal,
    blockingError: () => packError(connection),
    isOffline: network.isSwitchedOff,
    offlineReason: deps.offlineReason ?? null,
    http,
    scheduler,
    ...{ foreground: deps.foreground, shareScope: connectionId, clock, random },
    writeLog: (request) => {
      const row = logStore.add(withoutToken(request, deps.token()));
      if (row !== null) feed.add(row);
    },
    onSilence: (silence) => network.sawSilence(silence),
    silentAfterMs: () => deps.settings().silentAfterMs,
    onDifferences: (operation, found) => differences.add(operation, found),
    onSettled: ({ error, canRefuseToken }) => {
      if (error === null) network.sawAnswer();
      else network.sawFailure(error, canRefuseToken);
      if (error?.code !== 'INTERNAL') return;
      const stack = error.cause instanceof Error ? (error.cause.stack ?? null) : null;
      logger.error('request failed inside the application', { reason: error.message, stack });
    },
  });
  const layout = createLayoutFile(paths.layoutFile(connectionId), logger);
  const sidecars = createSidecars({
    folder: paths.analysisDir(connectionId),
    libraryFile: paths.libraryDb(connectionId),
    ...{ startChild: deps.startChild, clock, logger },
    onPrepared: (preparation) => publish('library:profile-changed', { connectionId, preparation }),
  });
  const snapshots = createSnapshots({
    libraryFile: paths.libraryDb(connectionId),
    file: paths.snapshotsDb(connectionId),
    logger,
    mostVersions: () => deps.settings().mostVersions,
    onTaken: ({ datasetId }) => publish('snapshots:changed', { connectionId, datasetId }),
    clock,
    presetsOf: (applicationId) => datasets.presets.ofApplication(applicationId),
    onSchemaChanged: () => publish('snapshots:changed', { connectionId, datasetId: null }),
  });
  const libraryDeps: Omit<LibraryDeps, 'store'> = {
    connectionId,
    client,
    clock,
    // Data of a pack cannot be read again, so it is never evicted.
    settings: isPack ? () => ({ ...deps.settings(), mostListBytes: Number.MAX_SAFE_INTEGER }) : deps.settings,
    openTabIds: () => layout.openTabIds(),
    logger,
    sidecars,
    onListChanged: (state) => publish('library:list-changed', { connectionId, state }),
    onComplete: (query, generation) => {
      snapshots.onComplete(query, generation);
      datasets.onComplete(query, generation);
    },
    onRecordChanged: (state) => publish('library:record-changed', { connectionId, state }),
  };
  const library = openLibrary(stores.library, libraryDeps);
  if (network.isSwitchedOff()) library.suspend(unreachableError(network.state()));
  const writing = {
    sidecars,
    libraryFile: paths.libraryDb(connectionId),
    startChild: deps.startChild,
    clock,
  };
  const writeTable = createTableWriter(writing);
  const storeFiles = {
    library: paths.libraryDb(connectionId),
    uploads: paths.uploadsDb(connectionId),
    datasets: paths.datasetsDb(connectionId),
    snapshots: paths.snapshotsDb(connectionId),
  };
  const resources = createResources({
    client,
    library,
    clock,
    logger,
    onJobChanged: (job) => publish('resources:job-changed', { connectionId, job }),
  });
  const lazyUploads = openUploads(stores.uploads.use, deps.resumesUploads, {
    ...{ connectionId, connection, checkRead, client, clock, random, logger },
    files: deps.files,
    spoolFolder: deps.paths.copiesDir,
    plan: (operation, requests) => sendDurationMs(scheduler, lane, operation, requests, clock.nowMs()),
    followJob: resources.followJob,
    readBudget: () => deletionBudget(scheduler, lane),
    onJobChanged: (job) => publishJob(uploadAsJob(job)),
    onDryRunChanged: (dryRun) => publish('uploads:dry-run-changed', { connectionId, dryRun }),
    onDeletionChanged: (deletion) => publishJob(deletionAsJob(deletion)),
    blockingError: () => sendingError(connection, network) ?? offlineError(network),
    onWholeFileChanged: (file) => publishJob(asFileJob(file)),
  });
  const uploads = lazyUploads.part;
  const lazyDatasets = openDatasets({
    ...{ connectionId, client, library, scheduler, clock, random, logger, publishJob, onOpened, checkRead },
    file: paths.datasetsDb(connectionId),
    snapshotsFile: paths.snapshotsDb(connectionId),
    libraryFile: paths.libraryDb(connectionId),
    columnsFolder: paths.analysisDir(connectionId),
    files: deps.files,
    token: lane,
    service,
    damage: deps.damage,
    isReadOnly: () => connection.isReadOnly,
    continues: deps.resumesUploads,
  });
  const datasets = lazyDatasets.part;
  const search = openSearch(stores.library, {
    libraryFile: paths.libraryDb(connectionId),
    indexFile: paths.searchDb(connectionId),
    uploads: () => searchedUploads(uploads),
    // A command would end before an index is built.
    isFollowing: deps.resumesUploads,
    clock,
    logger,
  });
  const keptTables = () =>
    sqlTables({
      requestLog: stores.library.error === null ? stores.library.value.requestLog : null,
      uploads: stores.uploads.use().value?.jobs ?? null,
      scores: datasets.isOpen ? datasets.scores : null,
      files: storeFiles,
    });
  const sql = createSql({
    lists: () => library.storedLists(),
    names: () => storedNames(library),
    tables: keptTables,
    ...{ sidecars, startChild: deps.startChild, clock },
  });
  const { useAll: useJobRooms, ...jobRooms } = openJobRooms({
    ...{ connection, stores, client, library, libraryDeps, resources, scheduler, lane, network, publishJob },
    ...{ clock, random, logger, settings: deps.settings, heldBy: deps.heldBy, isWindow: deps.resumesUploads },
    checkRead,
    publishGone: (kind, id) => publish('jobs:changed', { connectionId, kind, id, job: null }),
    mirroring: {
      tables: async () =>
        mirrorTables(library.storedLists(), await storedNames(library), keptTables(), storeFiles.library),
      writeTable: createMirrorWriter(writing),
    },
    write: createRowWriter(writing),
    writeTable: ({ source, plan, part }, signal, onProgress) =>
      source.form === 'sql'
        ? sql.write(source.sql, plan, part, signal, onProgress)
        : writeTable({ source, plan, part }, signal, onProgress),
    readTable: (table) =>
      readTable(
        {
          ...{
            library,
            uploads,
            builds: datasets.builds,
            scores: datasets.scores,
            comparisons: datasets.comparisons,
            search,
            snapshots,
          },
          ...{ requestLog: logStore, files: storeFiles },
        },
        table,
      ),
  });
  const rooms = Object.values(jobRooms);
  const written = { files: deps.files, copiesDir: paths.copiesDir, random };
  const verdicts = whenUsed(() =>
    createVerdictSender({
      ...{ ...written, builds: datasets.builds, items: datasets.items, library, client, clock },
      settings: deps.settings,
    }),
  );
  const sources = () => [...uploads.sources, ...datasets.sources, ...rooms.map(({ source }) => source)];
  const jobs = whenUsed(
    () => new JobKinds(sources(), (news) => publish('jobs:changed', { connectionId, ...news })),
  );
  const damaged = whenUsed(() =>
    damagedOf([uploads, datasets, ...rooms.filter((room) => 'damaged' in room)]),
  );
  if (deps.resumesUploads || wasLeft) {
    for (const part of [lazyDatasets, lazyUploads]) part.use();
    useJobRooms();
    jobs.use();
  }
  return {
    connection,
    client,
    library,
    search,
    snapshots,
    schema: createSchemaChanges({ snapshots, library }),
    recreate: (request) =>
      recreateDataset(
        { ...written, snapshots, comparisons: datasets.comparisons, items: datasets.items },
        request,
      ),
    verdicts: verdicts.part,
    sql,
    resources: withFormerCheck(resources, checkRead),
    dryRunRule: (draft) => dryRunRule({ library, clock }, draft),
    uploads,
    datasets,
    damaged: damaged.part,
    ...jobRooms,
    jobs: jobs.part,
    network,
    differences,
    requestLog: createRequestLog(logStore, { version: VERSION, connection }),
    layout,
    wake,
    look: () => {
      http.doubtRoute();
      network.look();
    },
    askAgain: async () => {
      // The keychain may have been unlocked since the connection was opened.
      if (deps.token() === null) await deps.findToken();
      if (network.state().state !== 'unauthorized') return;
      scheduler.resume('unauthorized', lane.origin, lane.tokenId);
      network.clearError();
    },
    receiptsFile: (jobId) => join(paths.connectionDir(connectionId), `receipts-${jobId}.csv`),
    stop: async () => {
      network.stop();
      // The known state of the service was determined with the old settings.
      if (network.state().state !== 'unknown') {
        const sinceMs = clock.nowMs();
        publish('connections:network-changed', {
          ...network.state(),
          state: 'unknown',
          error: null,
          sinceMs,
        });
      }
      await endAll([
        () => layout.settled(),
        () =>
          endAll(
            [resources, datasets, ...rooms, uploads].map((part) => () => part.stop()),
            'at once',
          ),
        // Aborts all requests, because none may outlive its connection.
        () => closing.abort(),
        () => sql.close(),
        () => sidecars.stop(),
        () => library.stop(),
        () => snapshots.stop(),
        () => search.stop(),
        () => http.close(),
        () => feed.stop(),
        () => lazyDatasets.end()?.close(),
        () => stores.uploads.end()?.value?.close(),
        () => stores.library.value?.close(),
      ]);
    },
  };
}
