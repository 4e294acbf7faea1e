/** The engine of the window and of the command line, built once per process. */

import { setEnvironmentData } from 'node:worker_threads';
import { createAnalysis } from '../analysis/analysis-client.ts';
import { parseBaseUrl } from '../api/base-url.ts';
import { testConnection } from '../api/connection-test.ts';
import type { Surroundings } from '../api/http-transport.ts';
import { type ConnectionService, createConnectionService } from '../connections/connection-service.ts';
import { TokenVault, tokenId } from '../connections/token-vault.ts';
import { Foreground } from '../core/foreground.ts';
import { guardTimers, type ReportFailure } from '../core/guard-timers.ts';
import type { Clock, Random } from '../core/ports.ts';
import { STALL_LIMITS } from '../core/stall-watch.ts';
import type { AppStore } from '../db/app-store.ts';
import { createMaintenance } from '../db/maintenance-thread.ts';
import { onlyReads } from '../db/only-reads.ts';
import { createPlannedStarts } from '../db/planned-start-file.ts';
import { quarantinedText, quarantineOlder } from '../db/quarantine.ts';
import { removeAbandonedFolders } from '../db/temporary-folder.ts';
import type { StartChild } from '../platform/child-process.ts';
import type { Keychain } from '../platform/keychain.ts';
import type { FileLogger } from '../platform/logger.ts';
import type { DataPaths } from '../platform/paths.ts';
import { useTimeZone } from '../platform/time-zone.ts';
import type { EventChannel } from '../shared/channels.ts';
import type { EventPayloads } from '../shared/contract.ts';
import type { Dialect } from '../shared/dialect.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { FileProfile } from '../shared/file-profile.ts';
import type {
  Connection,
  ConnectionDraft,
  ConnectionSecrets,
  ConnectionTest,
  SecretKind,
} from '../shared/model.ts';
import { privateFieldsOf } from '../shared/private-fields.ts';
import type { Settings } from '../shared/settings.ts';
import { setFormats } from '../shared/thread-formats.ts';
import type { OfferedFile } from '../shared/upload-model.ts';
import type { ValueReading } from '../shared/value-readings.ts';
import { createFileRegistry } from '../uploads/file-registry.ts';
import type { FileRegistry } from '../uploads/types.ts';
import { createUnpackedCopies } from '../uploads/unpack/copies.ts';
import { writeWhole } from '../uploads/whole-file-writer.ts';
import { type Agents, createAgents } from './agents.ts';
import { askForTime } from './ask-for-time.ts';
import { endAll } from './end-all.ts';
import { createHealth, type Health } from './health.ts';
import { KeptChoices } from './keep-choices.ts';
import { lookAtBudget, noticeOf } from './lost-budget.ts';
import { neededCopies } from './needed-copies.ts';
import { openScheduler } from './open-scheduler.ts';
import { openSettings } from './open-settings.ts';
import { orClosed } from './or-closed.ts';
import { createPacks, type Packs } from './packs.ts';
import { watchPlannedSessions } from './planned-sessions.ts';
import { createPower, type Power } from './power.ts';
import { profileFile } from './profile-file.ts';
import { reportFailures } from './report-failures.ts';
import { createReports, type Reports } from './reports.ts';
import { createSampleConnection } from './sample-connection.ts';
import { createSampleWorkspace } from './sample-workspace.ts';
import { saveConnection } from './save-connection.ts';
import { createSelfCheck, type SelfCheck } from './self-check.ts';
import type { Session } from './session.ts';
import { Sessions } from './sessions.ts';
import { createTraffic, type Traffic } from './traffic.ts';
import { watchOthers } from './watch-others.ts';

interface EngineDeps {
  /** Paths in the data folder, which already exists. */
  paths: DataPaths;
  clock: Clock;
  random: Random;
  logger: FileLogger;
  keychain: Keychain;
  startChild: StartChild;
  /** The computer's network settings; absent: only those of the connection are used. */
  surroundings?: Surroundings;
  /** Settings for this process only. */
  settingsOverride?: Partial<Settings>;
  /** Why this process works offline, in whole sentences, if the reason is not the person's switch. */
  offlineReason?: string;
  /** Whether the setting `offlineAtStart` is applied now, which is meant for the window only. */
  followsOfflineAtStart: boolean;
  /** Whether jobs that a killed process left running continue automatically. */
  resumesUploads: boolean;
  /** Delay after opening a connection until its large stores are checked completely in the background; null: never. */
  checksStoresAfterMs: number | null;
  /** How long opening a connection waits for its token; null: until the keychain has answered. */
  tokenPatienceMs: number | null;
  /** Message for the person if `paths` are a copy of a read-only folder; otherwise null. */
  copyNotice: string | null;
  publish: <C extends EventChannel>(channel: C, payload: EventPayloads[C]) => void;
}

export interface Engine {
  /** Message at the start if the data had an unreadable version, with the place to which it was moved. */
  notice: string | null;
  /** Message if changes cannot be saved because the data folder is not writable; null if it is. */
  copyNotice: string | null;
  /** Reports failures of background work: logs each one, and notifies the window once for each kind of work. */
  reportFailure: ReportFailure;
  connections: ConnectionService;
  files: FileRegistry;
  /**
   * Column profiles of an offered file; `connectionId` null: the file belongs to no connection. By default, values are
   * read as the preview proposes. Throws FILE_* errors, DISK_FULL.
   */
  profileFile(
    fileId: string,
    override: Partial<Dialect> | null,
    connectionId: string | null,
    readings?: ValueReading[],
  ): Promise<FileProfile>;
  readSettings(): Settings;
  /** The settings without those that apply only to this process. */
  storedSettings(): Settings;
  saveSettings(patch: Partial<Settings>): Settings;
  /** Switches Work offline on or off. While it is on, also after a restart, no request is sent to any service. */
  setOffline(isOffline: boolean): Promise<void>;
  /**
   * Like `connections.save`. With a new token for the same address, jobs that were paused because the old one was
   * refused are resumed. With another address, agents have no access until a person opens the connection to them again.
   */
  saveConnection(
    draft: ConnectionDraft,
    token: string | null,
    secrets?: ConnectionSecrets,
  ): Promise<Connection>;
  /** Uses `token` for a connection in this process without storing it. */
  holdToken(connectionId: string, token: string): void;
  /** The running session of one connection, started on first use. */
  session(connectionId: string): Promise<Session>;
  /** Ends the session, so that other processes can change the connection; the next use starts another session. */
  closeSession(connectionId: string): Promise<void>;
  /** Notes that a view was closed. Opens no connection, because a removed or closed connection has no views. */
  releaseView(connectionId: string, viewId: string): void;
  testConnection(
    draft: ConnectionDraft,
    token: string | null,
    secrets?: ConnectionSecrets,
  ): Promise<ConnectionTest>;
  traffic: Traffic;
  health: Health;
  /** Access of agents, and the log of their reads. */
  agents: Agents;
  selfCheck: SelfCheck;
  packs: Packs;
  reports: Reports;
  /** Writes a file that the window created, completely or not at all. Throws DISK_FULL, FILE_UNREADABLE. */
  writeFile(path: string, content: Uint8Array): Promise<void>;
  /** State of battery and network, as stated by the system and the window. */
  power: Power;
  /** Probes every service at once, because the computer has woken, perhaps in another network. */
  lookAtServices(): void;
  openSample(): Promise<Connection>;
  /** Offers the file with problems of the sample workspace. Throws INVALID_ARGUMENT for another connection. */
  offerSampleFile(connectionId: string): Promise<OfferedFile[]>;
  setSampleRunning(isRunning: boolean): Promise<{ isRunning: boolean }>;
  /** Ends every request, thread and file, in order. */
  stop(): Promise<void>;
}

/** Throws what prevents a start; then nothing is left open, so that it can be tried again. */
export function createEngine(deps: EngineDeps): Engine {
  return orClosed((onOpened) => build(deps, onOpened));
}

/** `onOpened`: receives the function that closes a file, once that is open. */
function build(deps: EngineDeps, onOpened: (close: () => void) => void): Engine {
  const { paths, random, logger, publish } = deps;
  const reportFailure = reportFailures(logger, publish);
  const clock = guardTimers(deps.clock, reportFailure);
  const ofComputer = deps.surroundings === undefined ? {} : { surroundings: deps.surroundings };
  const quarantined = quarantineOlder(paths);
  if (quarantined !== null) logger.warn('data folder quarantined', { folder: quarantined });
  const { store: ownStore, notice: storeNotice } = openSettings(paths, clock, logger);
  onOpened(() => ownStore.close());
  const isCopy = deps.copyNotice !== null;
  const store = isCopy ? withoutWrites(ownStore) : ownStore;
  const resumesUploads = deps.resumesUploads && !isCopy;
  const held = { ...deps.settingsOverride, ...(isCopy ? { worksOffline: true } : {}) };
  const readSettings = () => ({ ...store.readSettings(), ...held });
  const { wasUsed, budgetNotice } = lookAtBudget(paths, store, logger);
  const vault = new TokenVault(logger.redact);
  const { scheduler, budget, ...schedulerFile } = openScheduler({
    ...{ budgetFile: paths.budgetDb, clock, random, logger, wasUsed },
    isOffline: held.worksOffline === true,
    mostAttempts: () => readSettings().mostAttempts,
    onTimeUnconfirmed: (origin) => askForTime(sessions.all(), origin, logger),
    onDown: (origin, error) => sessions.sawDown(origin, error),
    onChange: () => {
      for (const connectionId of sessions.ids()) publish('traffic:changed', { connectionId });
    },
  });
  onOpened(() => schedulerFile.close());
  const { parquetToJsonLines, profileLines } = createAnalysis(deps.startChild, clock);
  const threads = createMaintenance();
  const copies = createUnpackedCopies({
    needed: () => neededCopies({ paths, clock, threads, logger }),
    ...{ folder: paths.copiesDir, clock, random, logger, parquetToJsonLines, stallLimits: STALL_LIMITS },
    isKnown: (connectionId) =>
      [...store.listConnections(), ...store.damagedConnections()].some(({ id }) => id === connectionId),
  });
  const notSwept = (what: string) => (thrown: unknown) =>
    logger.warn(`${what} not swept`, { reason: toAppError(thrown).message });
  if (!onlyReads()) {
    copies.sweep(store.readSettings().copyDays).catch(notSwept('copies'));
    removeAbandonedFolders(clock.nowMs()).catch(notSwept('temporary folders'));
  }
  const files = createFileRegistry({ random, clock, copies });
  const profiling = new AbortController();
  const sample = createSampleWorkspace({ dir: paths.sampleDir, logger });
  const { offlineAtStart } = store.readSettings();
  // Applied before any connection is opened, so that no request is sent that the setting forbids.
  if (deps.followsOfflineAtStart && offlineAtStart !== 'as-left')
    store.saveSettings({ worksOffline: offlineAtStart === 'always' });

  /** Applies settings that are not read at each use. */
  const applySettings = (settings: Settings) => {
    setFormats(settings, setEnvironmentData);
    useTimeZone(settings.timeZone);
    logger.keep({ fileBytes: settings.logFileBytes, files: settings.logFiles });
    scheduler.allowAttempts(settings.mostAttempts);
  };
  applySettings(readSettings());

  const settingsChanged = (): Settings => {
    const settings = readSettings();
    applySettings(settings);
    publish('settings:changed', settings);
    power.look();
    return settings;
  };
  const saveSettings = (patch: Partial<Settings>): Settings => {
    store.saveSettings(patch);
    others?.noteSettings();
    return settingsChanged();
  };
  const power = createPower({
    settings: readSettings,
    onChange: (state) => publish('app:power-changed', state),
    onFree: () => {
      for (const id of sessions.ids()) sessions.wake(id);
    },
  });

  const heldToken = (connection: Connection) => connections.heldToken(connection);
  const choices = new KeptChoices({ scheduler, store, heldToken });
  const connections: ConnectionService = createConnectionService({
    ...{ store, vault, paths, clock, random, parseBaseUrl },
    keychain: deps.keychain,
    whileClosed: (connectionId, work, of) =>
      sessions.whileClosed(connectionId, () => choices.around(connectionId, work), of),
    onTokenKnown: (connectionId) => choices.noteToken(connectionId),
    onRelabelled: (connection) => sessions.relabel(connection),
    onForgotten: (connectionId) => sessions.forgotten(connectionId),
    clearLogs: () => logger.clear(),
    forgetAgents: (connectionId) => agents.forget(connectionId),
    removeCopies: (connectionId) =>
      copies.forget(connectionId).catch((thrown: unknown) =>
        // Ignored: the next start tries again.
        logger.warn('copies not removed', { reason: toAppError(thrown).message }),
      ),
    isSampleRunning: () => sample.isRunning(),
    updating: () => sessions.updating(),
    onChanged: (list) => {
      others?.noteConnections();
      publish('connections:changed', list);
    },
  });
  const sampleConnection = createSampleConnection({
    ...{ sample, connections, store, vault, logger, random },
    keychain: deps.keychain,
    onChanged: () => {
      others?.noteConnections();
      publish('connections:changed', connections.list());
    },
  });
  const sessions: Sessions = new Sessions({
    paths,
    clock,
    random,
    logger,
    scheduler,
    foreground: new Foreground(clock),
    files,
    startChild: deps.startChild,
    ...ofComputer,
    settings: readSettings,
    offlineReason: deps.copyNotice ?? deps.offlineReason ?? null,
    resumesUploads,
    checksStoresAfterMs: deps.checksStoresAfterMs,
    tokenPatienceMs: deps.tokenPatienceMs,
    heldBy: power.heldBy,
    publish,
    prepare: async (connectionId) => {
      if (onlyReads()) return connections.get(connectionId);
      // A window completes removals when it starts; a command keeps the connection if a person uses it again.
      if (!resumesUploads) await connections.keep(connectionId);
      if (connections.get(connectionId).kind === 'sample') {
        const wasRunning = sample.isRunning();
        await sampleConnection.open();
        if (!wasRunning) publish('connections:changed', connections.list());
      }
      return connections.get(connectionId);
    },
    onUpdating: () => publish('connections:changed', connections.list()),
    onMoved: (connectionId) => void agents.access.close(connectionId),
    sampleError: () => sampleConnection.blockingError(),
    baseUrlOf: (id) => connections.list().connections.find((each) => each.id === id)?.baseUrl ?? null,
    heldToken,
    readToken: (connectionId) => connections.token(connections.get(connectionId)),
    readSecret: (connection, kind) => connections.secret(connection, kind),
  });
  // A command ends soon, and an agent opens everything again when the store has changed.
  const others = resumesUploads
    ? watchOthers({
        ...{ clock, logger, settings: readSettings, connections: () => connections.list() },
        onSettings: () => void settingsChanged(),
        onConnections: () => publish('connections:changed', connections.list()),
      })
    : null;
  onOpened(() => others?.stop());
  if (resumesUploads)
    connections
      .finishForgetting()
      .catch((thrown: unknown) => logger.warn('not forgotten', { reason: toAppError(thrown).message }));
  const traffic = createTraffic({
    scheduler,
    blockingError: () => budget().error,
    connection: (connectionId) => connections.get(connectionId),
    heldToken,
    onChosenWithoutToken: (connectionId, token) => choices.note(connectionId, token),
    onResumed: (connectionId) => sessions.wake(connectionId),
  });
  const packs = createPacks({
    ...{ paths, clock, random, logger },
    connections: () => connections.list().connections,
    add: (connection) => connections.addPack(connection),
    onShare: (share) => publish('pack:progress', { share }),
    checkPrivateFields: () => void privateFieldsOf(readSettings()),
  });
  const health = createHealth({
    paths,
    clock,
    logger,
    connections: () => connections.list().connections,
    whileClosed: (connectionId, work, of) => sessions.whileClosed(connectionId, work, of),
    forgetDamage: (file) => sessions.forgetDamage(file),
  });
  const agents = createAgents(paths, clock, () => connections.list().connections);
  const test: Engine['testConnection'] = async (draft, token, secrets = {}) => {
    const known = await connections.tokenFor(draft, token);
    if (known === null)
      throw new AppError('NO_TOKEN', 'Expected a token, got none. Type or paste one, then test again.');
    logger.redact(known);
    const means = { clock, scheduler, tokenId: tokenId(known), ...ofComputer };
    for (const typed of Object.values(secrets)) if (typed !== undefined) logger.redact(typed);
    const secret = (kind: SecretKind) => connections.secretFor(draft, secrets, kind);
    return testConnection(means, { ...draft, token: known, secret });
  };
  const selfCheck = createSelfCheck({
    clock,
    logFile: logger.file,
    keychain: () => connections.keychainStatus(),
    storage: () => health.storage(),
    check: () => health.check(),
    connections: () => connections.list().connections,
    test: (connection) => test({ ...connection }, null),
    differences: (connectionId) => sessions.differences(connectionId),
    serviceTime: (origin) => budget().value?.serviceTime(origin) ?? null,
    settings: readSettings,
  });
  const reports = createReports({
    session: (connectionId) => sessions.get(connectionId),
    ...{ keychain: deps.keychain, settings: readSettings, clock, random, copiesDir: paths.copiesDir },
  });
  const endPlanned = resumesUploads
    ? watchPlannedSessions({
        clock,
        logger,
        starts: createPlannedStarts(threads),
        closedIds: () => {
          const open = new Set(sessions.ids());
          return connections.list().connections.flatMap(({ id }) => (open.has(id) ? [] : [id]));
        },
        files: (connectionId) => ({
          uploads: paths.uploadsDb(connectionId),
          datasets: paths.datasetsDb(connectionId),
          library: paths.libraryDb(connectionId),
        }),
        open: (connectionId) => sessions.get(connectionId),
      })
    : () => undefined;

  /** An open session keeps its address, so it is reopened if the address has changed. */
  const startSample = async () => {
    const before = connections.list().connections.find(({ kind }) => kind === 'sample');
    const now = await sampleConnection.open();
    if (before !== undefined && before.baseUrl !== now.baseUrl) await sessions.close(now.id);
  };

  return {
    copyNotice: deps.copyNotice,
    notice:
      deps.copyNotice ??
      noticeOf(quarantined === null ? storeNotice : quarantinedText(quarantined), budgetNotice),
    reportFailure,
    connections,
    files,
    profileFile: (fileId, override, connectionId, readings) =>
      profileFile(
        connectionId === null ? files : files.ownedBy(connectionId),
        profileLines,
        { fileId },
        override,
        readings ?? null,
        profiling.signal,
      ),
    readSettings,
    storedSettings: store.readSettings,
    saveSettings,
    power,
    writeFile: writeWhole,
    setOffline: (isOffline) => {
      if (deps.copyNotice !== null) return Promise.reject(new AppError('STORE_FAILED', deps.copyNotice));
      // Saved first, so that a session that opens in the meantime has the new setting.
      saveSettings({ worksOffline: isOffline });
      sessions.setOffline(isOffline);
      return Promise.resolve();
    },
    saveConnection: (draft, token, secrets = {}) => {
      const session = (connectionId: string) => sessions.get(connectionId);
      return saveConnection({ connections, agents, session, logger }, draft, token, secrets);
    },
    holdToken: (connectionId, token) => connections.holdToken(connectionId, token),
    session: (connectionId) => sessions.get(connectionId),
    closeSession: (connectionId) => sessions.close(connectionId),
    releaseView: (connectionId, viewId) => sessions.releaseView(connectionId, viewId),
    testConnection: test,
    traffic,
    health,
    agents,
    selfCheck,
    packs,
    reports,
    openSample: async () => {
      const connection = await sampleConnection.open();
      return connections.activate(connection.id);
    },
    offerSampleFile: async (connectionId) => {
      if (connections.get(connectionId).kind !== 'sample') {
        throw new AppError('INVALID_ARGUMENT', 'Expected the sample workspace: only it has a file to try.');
      }
      return files.offer([sample.badFile]);
    },
    lookAtServices: () => {
      for (const id of sessions.ids()) sessions.look(id);
    },
    setSampleRunning: async (isRunning) => {
      if (isRunning) await startSample();
      else await sample.stop();
      const list = connections.list();
      publish('connections:changed', list);
      // The person who stopped or started the service sees the effect at once, not at the next probe.
      for (const { id } of list.connections.filter(({ kind }) => kind === 'sample')) sessions.look(id);
      return { isRunning: sample.isRunning() };
    },
    stop: () =>
      endAll([
        () => {
          endPlanned();
          others?.stop();
          return threads.stop();
        },
        () => health.stop(),
        () => packs.cancel(),
        () => profiling.abort(),
        () => sessions.stop(),
        () => files.stop(),
        () => scheduler.stop(),
        () => sample.stop(),
        () => sampleConnection.settled(),
        () => schedulerFile.close(),
        () => store.close(),
      ]),
  };
}

/** Makes every connection read-only, because changes in a copy of the data folder would be lost. */
function withoutWrites(store: AppStore): AppStore {
  const listConnections = () => store.listConnections().map((each) => ({ ...each, isReadOnly: true }));
  return { ...store, listConnections };
}
