/** Everything behind the window and behind the command line: built once a process, in order. */
import { parseBaseUrl } from '../api/base-url.ts';
import { testConnection } from '../api/connection-test.ts';
import { type ConnectionService, createConnectionService } from '../connections/connection-service.ts';
import { TokenVault, tokenId } from '../connections/token-vault.ts';
import type { Clock, Random } from '../core/ports.ts';
import { openAppStore } from '../db/app-store.ts';
import { openBudgetStore } from '../db/budget-store.ts';
import { checkInBackground } from '../db/check-store.ts';
import type { Keychain } from '../platform/keychain.ts';
import type { FileLogger } from '../platform/logger.ts';
import type { DataPaths } from '../platform/paths.ts';
import { createScheduler } from '../scheduler/request-scheduler.ts';
import type { EventChannel } from '../shared/channels.ts';
import type { EventPayloads } from '../shared/contract.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { Connection, ConnectionDraft, ConnectionTest, LaneStatus, Settings } from '../shared/model.ts';
import { createFileRegistry } from '../uploads/file-registry.ts';
import type { FileRegistry } from '../uploads/types.ts';
import { lanesOf, loadLanes, schedulerWithoutBudget } from './budgets.ts';
import { tryOpen } from './refusing.ts';
import { createSampleWorkspace } from './sample-workspace.ts';
import { createSession, type Session } from './session.ts';

export interface EngineDeps {
  /** The folder itself is there already. */
  paths: DataPaths;
  clock: Clock;
  random: Random;
  logger: FileLogger;
  keychain: Keychain;
  /** The sample service as a worker file: bundled or from source. */
  sampleWorkerUrl: URL;
  /** Settings that hold for this process only. */
  settingsOverride?: Partial<Settings>;
  /** Whether jobs that a killed process left running go on by themselves. */
  resumesUploads: boolean;
  /** Whether large stores are read whole in the background to see that they are sound. */
  checksStores: boolean;
  publish: <C extends EventChannel>(channel: C, payload: EventPayloads[C]) => void;
}

export interface Engine {
  connections: ConnectionService;
  files: FileRegistry;
  readSettings(): Settings;
  saveSettings(patch: Partial<Settings>): Settings;
  /** Uses `token` for a connection in this process, without storing it. */
  holdToken(connectionId: string, token: string): void;
  /** The running parts of one connection, started on first need. */
  session(connectionId: string): Promise<Session>;
  testConnection(draft: ConnectionDraft, token: string | null): Promise<ConnectionTest>;
  lanes(connectionId: string): LaneStatus[];
  openSample(): Promise<Connection>;
  setSampleRunning(isRunning: boolean): Promise<{ isRunning: boolean }>;
  /** Ends every request, thread and file, in order. */
  stop(): Promise<void>;
}

export function createEngine(deps: EngineDeps): Engine {
  const { paths, clock, random, logger, publish } = deps;
  const store = openAppStore({ file: paths.appDb, clock, logger });
  const budget = tryOpen(() => openBudgetStore({ file: paths.budgetDb, clock, logger }));
  const vault = new TokenVault(logger.redact);
  const loadedLanes = new Set<string>();
  const sessions = new Map<string, Promise<Session>>();
  const scheduler =
    budget.error === null
      ? createScheduler({
          clock,
          random,
          budget: budget.value,
          logger,
          settings: { onTimeUnconfirmed: (origin) => askForTime(sessions.values(), origin, logger) },
        })
      : schedulerWithoutBudget(budget.error, clock, logger);
  const tokenProblems = new Map<string, AppError>();
  const damage = new Map<string, AppError>();
  const files = createFileRegistry({ random });
  const sample = createSampleWorkspace({ dir: paths.sampleDir, workerUrl: deps.sampleWorkerUrl, logger });
  const readSettings = () => ({ ...store.readSettings(), ...deps.settingsOverride });

  const closeSession = async (connectionId: string) => {
    const open = sessions.get(connectionId);
    sessions.delete(connectionId);
    // One that did not open has nothing to end.
    await (await open?.catch(() => null))?.stop();
  };
  const connections = createConnectionService({
    store,
    keychain: deps.keychain,
    vault,
    paths,
    clock,
    random,
    parseBaseUrl,
    closeSession,
    clearLogs: () => logger.clear(),
    isSampleRunning: () => sample.isRunning(),
    onChanged: (list) => publish('connections:changed', list),
  });
  scheduler.onChange(() => {
    for (const connectionId of sessions.keys()) publish('traffic:changed', { connectionId });
  });

  const session = (connectionId: string): Promise<Session> => {
    const open = sessions.get(connectionId);
    if (open !== undefined) return open;
    const opening = openSession(connectionId);
    sessions.set(connectionId, opening);
    // A session that did not open must not stand in the way of the next try.
    opening.catch(() => sessions.delete(connectionId));
    return opening;
  };
  const findToken = async (connectionId: string): Promise<void> => {
    tokenProblems.delete(connectionId);
    try {
      await connections.token(connectionId);
    } catch (thrown) {
      // The keychain may be locked or gone: what is stored stays readable, and a call says what is missing.
      const error = toAppError(thrown);
      tokenProblems.set(connectionId, error);
      logger.warn('token not read', { code: error.code, reason: error.message });
    }
  };
  const openSession = async (connectionId: string) => {
    const connection = connections.get(connectionId);
    if (connection.kind === 'sample') await sampleConnection();
    await findToken(connectionId);
    const session = createSession({
      connection: connections.get(connectionId),
      damage,
      paths,
      clock,
      random,
      logger,
      scheduler,
      files,
      token: () => vault.get(connectionId),
      whyNoToken: () => tokenProblems.get(connectionId) ?? null,
      findToken: () => findToken(connectionId),
      settings: readSettings,
      resumesUploads: deps.resumesUploads,
      publish,
    });
    return deps.checksStores ? withChecks(session) : session;
  };
  /** Reads the large stores of a session in the background; one that is damaged is not used from the next call on. */
  const withChecks = (session: Session): Session => {
    const { id } = session.connection;
    const ends = [paths.libraryDb(id), paths.uploadsDb(id)].map((file) =>
      checkInBackground(file, logger, (error) => {
        damage.set(file, error);
        logger.error('store damaged', { reason: error.message });
        void closeSession(id).catch((thrown: unknown) => {
          logger.error('session not closed', { reason: toAppError(thrown).message });
        });
      }),
    );
    return {
      ...session,
      stop: async () => {
        for (const end of ends) end();
        await session.stop();
      },
    };
  };
  /**
   * Starts the sample service and brings its saved connection up to date with its address. Runs inside the
   * opening of that very session, so it must not wait for it to close.
   */
  const sampleConnection = async (): Promise<Connection> => {
    const { baseUrl, token } = await sample.start();
    const saved = connections.list().connections.find(({ kind }) => kind === 'sample');
    if (saved === undefined) return connections.save({ ...SAMPLE_DRAFT, id: null, baseUrl }, token, 'sample');
    vault.set(saved.id, token);
    if (saved.baseUrl === baseUrl) return saved;
    const moved = { ...saved, baseUrl };
    store.saveConnection(moved);
    publish('connections:changed', connections.list());
    return moved;
  };

  return {
    connections,
    files,
    readSettings,
    saveSettings: (patch) => {
      store.saveSettings(patch);
      const settings = readSettings();
      publish('settings:changed', settings);
      return settings;
    },
    holdToken: (connectionId, token) => vault.set(connectionId, token),
    session,
    testConnection: async (draft, token) => {
      const known = await connections.tokenFor(draft, token);
      if (known === null)
        throw new AppError('NO_TOKEN', 'A token was expected. Type or paste one, then test again.');
      logger.redact(known);
      return testConnection({ clock, scheduler, tokenId: tokenId(known) }, { ...draft, token: known });
    },
    lanes: (connectionId) => {
      const token = vault.get(connectionId);
      if (token === null) return [];
      const { origin } = new URL(connections.get(connectionId).baseUrl);
      const owner = { origin, tokenId: tokenId(token) };
      if (!loadedLanes.has(owner.origin + owner.tokenId)) {
        loadedLanes.add(owner.origin + owner.tokenId);
        loadLanes(scheduler, owner);
      }
      return lanesOf(scheduler, owner);
    },
    openSample: async () => {
      const connection = await sampleConnection();
      return connections.activate(connection.id);
    },
    setSampleRunning: async (isRunning) => {
      if (isRunning) await sampleConnection();
      else await sample.stop();
      publish('connections:changed', connections.list());
      return { isRunning: sample.isRunning() };
    },
    stop: () =>
      endAll([
        () => endAll([...sessions.keys()].map((connectionId) => () => closeSession(connectionId))),
        () => scheduler.stop(),
        () => sample.stop(),
        () => budget.value?.close(),
        () => store.close(),
      ]),
  };
}

/** Runs every step in order even where one fails (a full disk), then throws the first failure. */
async function endAll(steps: readonly (() => Promise<void> | void)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (thrown) {
      failures.push(thrown);
    }
  }
  if (failures.length > 0) throw failures[0];
}

const SAMPLE_DRAFT = {
  name: 'Sample workspace',
  colour: 'teal',
  isReadOnly: false,
  allowsPlainHttp: false,
  proxyUrl: null,
  extraCaFile: null,
  tokenStorage: 'memory',
} as const;

/** Any cheap answer carries the service's own time, which a daily budget needs after a restart of the computer. */
function askForTime(sessions: Iterable<Promise<Session>>, origin: string, logger: FileLogger): void {
  for (const opening of sessions) {
    opening
      .then(async ({ connection, client }) => {
        if (new URL(connection.baseUrl).origin !== origin) return;
        await client.call('server-info.get', {}, { priority: 'click', group: 'time' });
      })
      .catch((thrown: unknown) => {
        logger.warn('time of the service not learned', { reason: toAppError(thrown).message });
      });
  }
}
